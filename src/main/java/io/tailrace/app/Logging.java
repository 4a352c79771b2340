package io.tailrace.app;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import io.tailrace.config.LogsConfig;
import org.slf4j.LoggerFactory;

/** Brings what {@code logback.xml} says in line with the settings (OPS-2). */
public final class Logging {
    /** The appender of {@code logback.xml}. */
    private static final String APPENDER = "console";

    private Logging() {}

    /** Call it once, before anything is logged that matters. */
    public static void apply(LogsConfig config) {
        if (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)) {
            return;
        }
        context.getLogger("io.tailrace").setLevel(Level.toLevel(config.level()));
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        if (config.json() && root.getAppender(APPENDER) instanceof ConsoleAppender<ILoggingEvent> console) {
            console.stop();
            console.setEncoder(json(context));
            console.start();
        }
    }

    static JsonEncoder json(LoggerContext context) {
        JsonEncoder encoder = new JsonEncoder();
        encoder.setContext(context);
        // The formatted message has what a reader needs; raw arguments are objects nobody meant to print.
        encoder.setWithFormattedMessage(true);
        encoder.setWithMessage(false);
        encoder.setWithArguments(false);
        encoder.setWithContext(false);
        encoder.setWithSequenceNumber(false);
        encoder.start();
        return encoder;
    }
}
