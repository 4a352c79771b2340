package io.tailrace.tenant;

import io.tailrace.db.Database;
import io.tailrace.db.DatabaseFailure;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongSupplier;

/**
 * Makes, lists, revokes and recognises API keys {@code tr_<env>_<key id>_<secret>}.
 *
 * <p>Of a secret only its SHA-256 is stored, and it is compared in constant time. A key that was revoked, on whatever
 * instance, or that has expired by PostgreSQL's clock, is refused everywhere within a second (LiveKeys).
 *
 * <p>Every Future fails with {@link DatabaseFailure}: a database that cannot be asked is never "no such key".
 * Thread-safe.
 */
public final class ApiKeys {
    private static final Future<Optional<Caller>> NOBODY = Future.succeededFuture(Optional.empty());

    private final KeyStore store;
    private final LiveKeys liveKeys;
    private final String environment;

    /**
     * @param environment the label in the keys made here: 1 to 16 lower-case letters and digits, such as {@code live}
     */
    public ApiKeys(Database database, String environment) {
        this(database, environment, System::nanoTime);
    }

    /** With a clock of the caller's own for the age of what is remembered, in nanoseconds. */
    ApiKeys(Database database, String environment, LongSupplier nanoTime) {
        if (!KeyText.isEnvironment(environment)) {
            throw new IllegalArgumentException(
                    "a key's environment is 1 to 16 lower-case letters and digits, not \"" + environment + "\"");
        }
        this.environment = environment;
        this.store = new KeyStore(database);
        this.liveKeys = new LiveKeys(database.vertx(), store::readLive, nanoTime);
    }

    /**
     * Who presents this key, or nobody when it is not a live key of ours.
     *
     * <p>Already completed in the common case, so a caller may test {@link Future#isComplete()} and go on at once; else it
     * completes on the caller's context. {@code UNAVAILABLE} while PostgreSQL is down, {@code OVERLOADED} under a flood of
     * ids never seen.
     */
    public Future<Optional<Caller>> authenticate(String presented) {
        KeyText text = KeyText.parse(presented);
        if (text == null) {
            return NOBODY;
        }
        byte[] sha256 = text.secretSha256();
        Future<Optional<LiveKey>> found = liveKeys.find(text.keyId());
        if (found.succeeded()) {
            return judge(found.result(), sha256);
        }
        return onCallersContext(found.compose(key -> judge(key, sha256)));
    }

    /** Makes a key of a tenant. Its text is in the answer and nowhere else. */
    public Future<KeyResult> create(UUID tenantId, NewKey key) {
        return store.create(tenantId, KeyText.random(environment), key);
    }

    /**
     * At most {@code limit} keys of a tenant by id, expired and revoked ones too.
     *
     * @param after the last key id of the page before; empty for the first page
     */
    public Future<List<ApiKey>> list(UUID tenantId, String after, int limit) {
        return store.list(tenantId, after, limit);
    }

    /** Revokes a key for good: here at once, elsewhere within a second. False when there is none; again is no error. */
    public Future<Boolean> revoke(String keyId) {
        return store.revoke(keyId).onSuccess(known -> liveKeys.forget(keyId));
    }

    private static Future<Optional<Caller>> judge(Optional<LiveKey> key, byte[] presentedSha256) {
        return key.isPresent() && key.get().provenBy(presentedSha256)
                ? key.get().accepted()
                : NOBODY;
    }

    private static <T> Future<T> onCallersContext(Future<T> result) {
        ContextInternal context = ContextInternal.current();
        if (context == null) {
            return result;
        }
        Promise<T> promise = context.promise();
        result.onComplete(promise);
        return promise.future();
    }
}
