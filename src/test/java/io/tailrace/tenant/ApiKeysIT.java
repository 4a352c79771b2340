package io.tailrace.tenant;

import static io.tailrace.testkit.TestDatabase.await;
import static io.tailrace.testkit.TestDatabase.awaitFailure;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.config.DatabaseConfig;
import io.tailrace.db.Database;
import io.tailrace.db.DatabaseFailure;
import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ApiKeysIT {
    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    private final AtomicLong nanos = new AtomicLong();
    private ApiKeys keys;
    private ApiKeys otherInstance;

    @BeforeEach
    void open() {
        keys = new ApiKeys(db.database(), "test", nanos::get);
        otherInstance = new ApiKeys(db.database(), "test", nanos::get);
    }

    @AfterEach
    void backToToday() {
        db.clock().reset();
    }

    private KeyResult.Created create(NewKey key) {
        return (KeyResult.Created) await(keys.create(Tenant.DEFAULT, key));
    }

    private KeyResult.Created create() {
        return create(new NewKey("ci", Set.of(Scope.OUTBOX), null, null));
    }

    @Test
    @DisplayName("API-3 a key names its tenant, scopes and bots")
    void recognised() {
        UUID acme = ((TenantResult.Created) await(new Tenants(db.database()).create("acme", 365)))
                .tenant()
                .id();
        NewKey asked = new NewKey("ci", Set.of(Scope.OUTBOX, Scope.OPERATE), Set.of("7", "8"), null);
        KeyResult.Created made = (KeyResult.Created) await(keys.create(acme, asked));

        Caller caller = new Caller(acme, made.stored().keyId(), asked.scopes(), asked.botIds());
        assertThat(await(keys.authenticate(made.key().reveal()))).contains(caller);
        Future<Optional<Caller>> again = keys.authenticate(made.key().reveal());
        assertThat(again.isComplete()).as("remembered").isTrue();
        assertThat(again.result()).contains(caller);
    }

    @Test
    @DisplayName("API-3 a tenant has any number of named keys, and a list shows no secret")
    void listed() {
        UUID tenant = ((TenantResult.Created) await(new Tenants(db.database()).create("lister", 365)))
                .tenant()
                .id();
        for (int i = 0; i < 3; i++) {
            await(keys.create(tenant, new NewKey("same name", Set.of(Scope.LLM), null, null)));
        }
        List<ApiKey> first = await(keys.list(tenant, "", 2));
        List<ApiKey> rest = await(keys.list(tenant, first.get(1).keyId(), 2));

        assertThat(first).hasSize(2).allSatisfy(key -> assertThat(key.name()).isEqualTo("same name"));
        assertThat(rest).hasSize(1);
        assertThat(first).doesNotContainAnyElementsOf(rest);
    }

    @Test
    @DisplayName("API-3 of a secret nothing but its SHA-256 is stored, and nothing prints it")
    void secretIsNotStored() {
        KeyResult.Created made = create();
        String secret = made.key().reveal().substring(made.key().reveal().lastIndexOf('_') + 1);
        String row = db.value(
                String.class,
                "SELECT row_to_json(k)::text FROM api_keys k WHERE key_id = ?",
                made.stored().keyId());

        assertThat(row).doesNotContain(secret);
        assertThat(db.value(
                        Boolean.class,
                        "SELECT secret_sha256 = sha256(convert_to(?, 'UTF8')) FROM api_keys WHERE key_id = ?",
                        secret,
                        made.stored().keyId()))
                .isTrue();
        assertThat(made.toString()).doesNotContain(secret);
    }

    @Test
    @DisplayName("API-3 a wrong secret, an unknown id and a text that is no key are nobody's")
    void refused() {
        String key = create().key().reveal();
        char last = key.charAt(key.length() - 1);
        String wrongSecret = key.substring(0, key.length() - 1) + (last == 'x' ? 'y' : 'x');

        assertThat(await(keys.authenticate(wrongSecret))).isEmpty();
        assertThat(await(keys.authenticate(KeyText.random("test").whole().reveal())))
                .isEmpty();
        assertThat(await(keys.authenticate("tr_test_' OR 1=1 --"))).isEmpty();
        assertThat(await(keys.authenticate(key))).isPresent();
    }

    @Test
    @DisplayName("API-3 a revocation is seen by another instance within a second, and here at once")
    void revoked() {
        KeyResult.Created made = create();
        String key = made.key().reveal();
        assertThat(await(keys.authenticate(key))).isPresent();
        assertThat(await(otherInstance.authenticate(key))).isPresent();

        assertThat(await(keys.revoke(made.stored().keyId()))).isTrue();
        assertThat(await(keys.authenticate(key))).isEmpty();

        nanos.addAndGet(Duration.ofMillis(999).toNanos());
        assertThat(await(otherInstance.authenticate(key))).isEmpty();
    }

    @Test
    @DisplayName("API-3 revoking again changes nothing, and revoking what is no key says so")
    void revokedTwice() {
        KeyResult.Created made = create();
        String keyId = made.stored().keyId();
        await(keys.revoke(keyId));
        String first = db.value(String.class, "SELECT revoked_at::text FROM api_keys WHERE key_id = ?", keyId);

        assertThat(await(keys.revoke(keyId))).isTrue();
        assertThat(db.value(String.class, "SELECT revoked_at::text FROM api_keys WHERE key_id = ?", keyId))
                .isEqualTo(first);
        assertThat(await(keys.revoke("no-such-key"))).isFalse();
    }

    @Test
    @DisplayName("API-3 a key expires by PostgreSQL's clock, within a second")
    void expired() {
        Instant inADay = await(db.database().now()).plus(Duration.ofDays(1));
        String key = create(new NewKey("short", Set.of(Scope.LLM), null, inADay))
                .key()
                .reveal();
        assertThat(await(keys.authenticate(key))).isPresent();

        db.clock().advance(Duration.ofDays(1));
        nanos.addAndGet(Duration.ofMillis(999).toNanos());
        assertThat(await(keys.authenticate(key))).isEmpty();
        assertThat(await(otherInstance.authenticate(key))).isEmpty();
    }

    @Test
    @DisplayName("API-3 a key that has expired already, or of no tenant, is not made")
    void notMade() {
        Instant yesterday = await(db.database().now()).minus(Duration.ofDays(1));
        long before = db.number("SELECT count(*) FROM api_keys");

        assertThat(await(keys.create(Tenant.DEFAULT, new NewKey("late", Set.of(Scope.LLM), null, yesterday))))
                .isInstanceOf(KeyResult.AlreadyExpired.class);
        assertThat(await(keys.create(UUID.randomUUID(), new NewKey("lost", Set.of(Scope.LLM), null, null))))
                .isInstanceOf(KeyResult.UnknownTenant.class);
        assertThat(db.number("SELECT count(*) FROM api_keys")).isEqualTo(before);
    }

    @Test
    @DisplayName("API-3 while PostgreSQL is down a key is neither accepted nor refused: UNAVAILABLE")
    void down() throws Exception {
        int closedPort;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            closedPort = socket.getLocalPort();
        }
        // Pools are shared by name within a Vert.x, so a second database needs a second one.
        Vertx vertx = Vertx.vertx();
        Database nowhere =
                Database.open(vertx, DatabaseConfig.at("127.0.0.1", closedPort, "none", "nobody", "nothing"));
        ApiKeys cutOff = new ApiKeys(nowhere, "test", nanos::get);

        Throwable cause = awaitFailure(cutOff.authenticate(create().key().reveal()));

        assertThat(DatabaseFailure.is(cause, DatabaseFailure.Kind.UNAVAILABLE))
                .as(String.valueOf(cause))
                .isTrue();
        await(nowhere.close());
        await(vertx.close());
    }

    @Test
    void answersOnTheCallersContext() {
        String key = create().key().reveal();
        Context context = db.vertx().getOrCreateContext();
        Promise<Boolean> onContext = Promise.promise();
        context.runOnContext(started -> otherInstance
                .authenticate(key)
                .onComplete(done -> onContext.complete(Vertx.currentContext() == context)));
        assertThat(await(onContext.future())).isTrue();
    }

    @Test
    void everyInstallationHasTheDefaultTenant() {
        Tenants tenants = new Tenants(db.database());
        assertThat(await(tenants.find(Tenant.DEFAULT)))
                .hasValueSatisfying(tenant -> assertThat(tenant.name()).isEqualTo("default"));
        assertThat(await(tenants.find(UUID.randomUUID()))).isEmpty();
        assertThat(await(tenants.create("default", 365))).isInstanceOf(TenantResult.NameTaken.class);
        assertThat(await(tenants.list("", 1))).hasSize(1);
    }
}
