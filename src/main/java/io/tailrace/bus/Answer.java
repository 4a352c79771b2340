package io.tailrace.bus;

import io.tailrace.wire.JsonBody;
import io.tailrace.wire.Reply;
import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * What goes back.
 *
 * @param status HTTP's
 * @param mediaType of bytes; null for JSON, which goes back as what it was asked with
 */
record Answer(int status, Buffer body, @Nullable String mediaType) {
    static Answer of(Reply reply) {
        return new Answer(reply.status(), JsonBody.of(reply.content()), null);
    }
}
