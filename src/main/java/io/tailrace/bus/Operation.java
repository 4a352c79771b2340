package io.tailrace.bus;

import io.tailrace.wire.JsonReader;
import io.tailrace.wire.StrictJson;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.UUID;

/**
 * One operation and where it listens.
 *
 * @param twin the same operation of HTTP, as the OpenAPI document has it: {@code POST /v1/outbox/claims}
 */
record Operation<T>(String address, String twin, Body body, Reading<T> reading, Asking<T> asking) {
    /** What a request's body has to be. */
    enum Body {
        /** A JsonObject, a Buffer of JSON, or nothing, which is an object without members. */
        JSON,
        /** A Buffer, of anything. */
        BYTES
    }

    /** A message as it came. */
    record Request(UUID tenant, MultiMap headers, Buffer body) {}

    /** Makes of a message what is asked; throws {@link io.tailrace.wire.Rejection} when it is not that. Asks nothing yet. */
    interface Reading<T> {
        T read(Request request, StrictJson json);
    }

    /** Asks the capability. */
    interface Asking<T> {
        Future<Answer> ask(UUID tenant, T asked);
    }

    /** A decoder that has to know whose request it is. */
    interface TenantsDecoder<T> {
        T decode(JsonReader in, UUID tenant) throws IOException;
    }

    static <T> Operation<T> json(String address, String twin, StrictJson.Decoder<T> decoder, Asking<T> asking) {
        return json(address, twin, (in, tenant) -> decoder.decode(in), asking);
    }

    static <T> Operation<T> json(String address, String twin, TenantsDecoder<T> decoder, Asking<T> asking) {
        return new Operation<>(
                address,
                twin,
                Body.JSON,
                (request, json) -> json.read(request.body().getBytes(), in -> decoder.decode(in, request.tenant())),
                asking);
    }
}
