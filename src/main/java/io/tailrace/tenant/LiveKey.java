package io.tailrace.tenant;

import io.vertx.core.Future;
import java.security.MessageDigest;
import java.util.Optional;

/** A key that was neither revoked nor expired when it was read. Its digest never prints. */
final class LiveKey {
    private final byte[] secretSha256;
    private final Future<Optional<Caller>> accepted;

    LiveKey(byte[] secretSha256, Caller caller) {
        this.secretSha256 = secretSha256.clone();
        this.accepted = Future.succeededFuture(Optional.of(caller));
    }

    /** Constant time: how long it takes says nothing about how much of the digest was right. */
    boolean provenBy(byte[] presentedSha256) {
        return MessageDigest.isEqual(secretSha256, presentedSha256);
    }

    /** The same completed Future for every request, so that the hot path makes nothing. */
    Future<Optional<Caller>> accepted() {
        return accepted;
    }
}
