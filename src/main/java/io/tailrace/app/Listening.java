package io.tailrace.app;

import io.vertx.core.Future;
import java.net.BindException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens a port, and says which one and what to do when it cannot be had. */
final class Listening {
    private static final Logger LOG = LoggerFactory.getLogger(Listening.class);

    private Listening() {}

    /**
     * The port listened on.
     *
     * @param section of the settings that names host and port
     */
    static Future<Integer> on(String section, String host, int port, Supplier<Future<Integer>> open) {
        return open.get()
                .onSuccess(actual -> LOG.info("{} listens on {}:{}", section, host, actual))
                .recover(cause -> Future.failedFuture(
                        cause instanceof BindException
                                ? new IllegalStateException(
                                        host + ":" + port + " is taken or not ours; set " + section + ".host or "
                                                + section + ".port (0 takes a free port)",
                                        cause)
                                : cause));
    }
}
