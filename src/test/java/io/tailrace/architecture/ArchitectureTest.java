package io.tailrace.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.conditions.ArchConditions.accessTargetWhere;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.SqlConnection;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.YearMonth;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.jspecify.annotations.NullMarked;

@AnalyzeClasses(packages = Layers.BASE, importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    /** A store is named for what it keeps; the outbox's is split by verb, and and what speaks LISTEN and NOTIFY says so. */
    private static final Pattern STORE =
            Pattern.compile(".*(Store|Catalog|Reader)|Outbox(Enqueues|Claims|Leases|Settlements|Sweeps|Depth)");

    private static final Set<String> CLOCKS = Set.of(
            Instant.class.getName(),
            OffsetDateTime.class.getName(),
            ZonedDateTime.class.getName(),
            LocalDateTime.class.getName(),
            LocalDate.class.getName(),
            YearMonth.class.getName());

    @ArchTest
    static final ArchRule roomsHaveNoCycles = slices().matching(Layers.BASE + ".(*)..")
            .should()
            .beFreeOfCycles()
            .because("a cycle makes one room of two, and nobody can say who owns what");

    @ArchTest
    static final ArchRule packagesHaveNoCycles = slices().matching(Layers.BASE + ".(**)")
            .should()
            .beFreeOfCycles()
            .because("a port belongs to its consumer; the package that implements it looks up, never both ways");

    @ArchTest
    static final ArchRule importsGoDown = classes()
            .should(Layers.importDownwardsOnly())
            .because("a request is traced from edge to capability to SQL, and nothing below knows who asked");

    @ArchTest
    static final ArchRule capabilitiesKnowNoEdge = noClasses()
            .that()
            .resideOutsideOfPackages(
                    "io.tailrace",
                    "io.tailrace.app..",
                    "io.tailrace.cli..",
                    "io.tailrace.http..",
                    "io.tailrace.kafka..",
                    "io.tailrace.bus..",
                    "io.tailrace.console..")
            .should()
            .dependOnClassesThat(resideInAnyPackage(
                            "io.vertx.core.http..",
                            "io.vertx.ext.web..",
                            "io.vertx.core.eventbus..",
                            "io.vertx.kafka..",
                            "org.apache.kafka..",
                            "io.vertx.openapi..")
                    // The SQL pool's own way to say that its queue is full.
                    .and(DescribedPredicate.not(JavaClass.Predicates.type(ConnectionPoolTooBusyException.class))))
            .because("a capability answers HTTP, Kafka, the bus and a caller's Java alike");

    @ArchTest
    static final ArchRule sqlIsInStores = noClasses()
            .that(areNoStores())
            .should(accessTargetWhere(describe("sends SQL", ArchitectureTest::sendsSql)))
            .because("a reader who looks for a statement, or for who touches a table, opens one file");

    @ArchTest
    static final ArchRule oneClock = noClasses()
            .that()
            .resideOutsideOfPackage("io.tailrace.app..")
            .should(accessTargetWhere(describe("reads the JVM's clock", ArchitectureTest::readsTheClock)))
            .orShould()
            .callConstructor(Date.class)
            .because("stored and compared instants are PostgreSQL's tailrace_now(): two instances' clocks disagree");

    @ArchTest
    static final ArchRule jdbcHasOwners = noClasses()
            .that()
            .resideOutsideOfPackages("io.tailrace.db..", "io.tailrace.cli..", "io.tailrace.archive..")
            .should()
            .dependOnClassesThat(resideInAnyPackage("java.sql..", "javax.sql..", "org.postgresql..", "org.flywaydb.."))
            .because("JDBC blocks its thread, and an event loop that is blocked serves nobody");

    @ArchTest
    static final ArchRule embeddedServerIsForDevelopment = noClasses()
            .that()
            .resideOutsideOfPackage("io.tailrace.cli..")
            .should()
            .dependOnClassesThat(resideInAPackage("io.zonky.."))
            .because("only `dev` starts a server of its own; production never carries the risk of one");

    @ArchTest
    static final ArchRule nothingSleepsOrWaits = noClasses()
            .that()
            .resideOutsideOfPackages("io.tailrace", "io.tailrace.app..", "io.tailrace.cli..")
            .should(accessTargetWhere(describe("blocks its thread", ArchitectureTest::blocks)))
            .because("a thread that waits is an event loop that stalls; timers and Futures wait for nothing");

    @ArchTest
    static final ArchRule everyPackageIsNullMarked = classes()
            .that()
            .areTopLevelClasses()
            .should()
            .resideInAPackage("io.tailrace..")
            .andShould(beInANullMarkedPackage())
            .because("NullAway checks only what is marked, and package-info says what the package is for");

    private static DescribedPredicate<JavaClass> areNoStores() {
        return describe("are no stores", javaClass -> {
            JavaClass top = javaClass;
            while (top.getEnclosingClass().isPresent()) {
                top = top.getEnclosingClass().get();
            }
            return !Layers.room(top).equals("db")
                    && !STORE.matcher(top.getSimpleName()).matches();
        });
    }

    private static boolean sendsSql(JavaAccess<?> call) {
        JavaClass owner = call.getTargetOwner();
        String name = call.getName();
        return (owner.isAssignableTo(SqlClient.class) && (name.equals("query") || name.equals("preparedQuery")))
                || (owner.isAssignableTo(SqlConnection.class) && name.equals("prepare"))
                || (owner.isAssignableTo(Statement.class) && name.startsWith("execute"))
                || (owner.isAssignableTo(Connection.class) && name.startsWith("prepare"));
    }

    private static boolean readsTheClock(JavaAccess<?> call) {
        String owner = call.getTargetOwner().getName();
        String name = call.getName();
        return (CLOCKS.contains(owner) && name.equals("now"))
                || (owner.equals(System.class.getName()) && name.equals("currentTimeMillis"))
                || (owner.equals(Clock.class.getName()) && (name.startsWith("system") || name.startsWith("tick")));
    }

    private static boolean blocks(JavaAccess<?> call) {
        JavaClass owner = call.getTargetOwner();
        String name = call.getName();
        return (owner.isEquivalentTo(Thread.class) && name.equals("sleep"))
                || (owner.isAssignableTo(CompletableFuture.class) && (name.equals("get") || name.equals("join")))
                || (owner.isAssignableTo(io.vertx.core.Future.class) && name.equals("await"));
    }

    private static ArchCondition<JavaClass> beInANullMarkedPackage() {
        return ArchCondition.from(describe(
                "be in a @NullMarked package",
                javaClass -> javaClass.getPackage().isAnnotatedWith(NullMarked.class)));
    }
}
