package io.tailrace.http;

import io.tailrace.tenant.Caller;
import io.vertx.core.Future;
import java.util.Optional;

/** Who presents a key; {@code ApiKeys::authenticate}. Completed at once in the common case. */
public interface Authenticator {
    Future<Optional<Caller>> authenticate(String presented);
}
