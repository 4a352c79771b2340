package io.tailrace.http;

import io.tailrace.tenant.Scope;
import io.vertx.core.http.HttpMethod;
import java.util.Set;

/**
 * One line of the route table.
 *
 * @param template as in the OpenAPI document: {@code /v1/outbox/items/{id}}
 * @param anyOf scopes of which the key must have one; empty for a route that needs no key
 */
record Route(HttpMethod method, String template, Set<Scope> anyOf, Action action) {
    /** Answers one request; a thrown exception goes to the failure handler as a failed Future would. */
    interface Action {
        void handle(Exchange exchange);
    }

    /** As vertx-web writes path parameters. */
    String path() {
        return template.replaceAll("\\{([a-z0-9_]+)}", ":$1");
    }

    boolean open() {
        return anyOf.isEmpty();
    }
}
