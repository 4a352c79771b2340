package io.tailrace.tenant;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class KeyRulesTest {
    @Test
    @DisplayName("API-3 a presented secret is compared in constant time and in no other way")
    void constantTime() {
        JavaClasses tenant = new ClassFileImporter().importPackagesOf(LiveKey.class);
        classes()
                .that()
                .haveFullyQualifiedName(LiveKey.class.getName())
                .should()
                .callMethod(MessageDigest.class, "isEqual", byte[].class, byte[].class)
                .because("Arrays.equals stops at the first byte that differs, and that can be timed")
                .check(tenant);
        noClasses()
                .that()
                .resideInAPackage("io.tailrace.tenant")
                .and()
                .haveSimpleNameNotEndingWith("Test")
                .and()
                .haveSimpleNameNotEndingWith("IT")
                .should()
                .callMethod(Arrays.class, "equals", byte[].class, byte[].class)
                .because("digests of secrets are compared by LiveKey alone")
                .check(tenant);
    }

    @Test
    @DisplayName("API-3 a caller may use the bots its key is bound to, or any when it is bound to none")
    void bots() {
        Caller bound = new Caller(Tenant.DEFAULT, "k", Set.of(Scope.OUTBOX), Set.of("7"));
        Caller free = new Caller(Tenant.DEFAULT, "k", Set.of(Scope.OUTBOX), null);

        assertThat(bound.mayUse("7")).isTrue();
        assertThat(bound.mayUse("8")).isFalse();
        assertThat(free.mayUse("8")).isTrue();
        assertThat(bound.has(Scope.OUTBOX)).isTrue();
        assertThat(bound.has(Scope.OPERATE)).isFalse();
    }

    @Test
    void namesThatMayBeStored() {
        assertThat(Names.problem("acme")).isNull();
        assertThat(Names.problem("\u05E9\u05DC\u05D5\u05DD \uD83D\uDE00")).isNull();
        assertThat(Names.problem("\uD83D\uDE00".repeat(200))).isNull();
    }

    @Test
    void namesThatMayNot() {
        assertThat(Names.problem("  ")).contains("empty");
        assertThat(Names.problem("x".repeat(201))).contains("200");
        assertThat(Names.problem("a\u0000b")).contains("control");
        assertThat(Names.problem("a\uD83Db")).contains("surrogates");
    }

    @Test
    void keysThatWouldOpenNothingAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new NewKey("k", Set.of(), null, null));
        assertThatIllegalArgumentException().isThrownBy(() -> new NewKey("k", Set.of(Scope.LLM), Set.of(), null));
        assertThatIllegalArgumentException().isThrownBy(() -> new NewKey("", Set.of(Scope.LLM), null, null));
    }
}
