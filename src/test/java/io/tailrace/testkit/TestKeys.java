package io.tailrace.testkit;

import io.tailrace.tenant.ApiKeys;
import io.tailrace.tenant.KeyResult;
import io.tailrace.tenant.NewKey;
import io.tailrace.tenant.Scope;
import io.tailrace.tenant.Tenant;
import java.util.EnumSet;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** API keys for tests that come in from outside. */
public final class TestKeys {
    private TestKeys() {}

    /** A key of the default tenant with every scope, for any bot. */
    public static String all(TestDatabase database) {
        return create(database, Tenant.DEFAULT, EnumSet.allOf(Scope.class), null);
    }

    /** The text of a new key. */
    public static String create(TestDatabase database, UUID tenant, Set<Scope> scopes, @Nullable Set<String> botIds) {
        ApiKeys keys = new ApiKeys(database.database(), "test");
        KeyResult made = TestDatabase.await(keys.create(tenant, new NewKey("test", scopes, botIds, null)));
        if (made instanceof KeyResult.Created created) {
            return created.key().reveal();
        }
        throw new AssertionError("no key was made: " + made);
    }
}
