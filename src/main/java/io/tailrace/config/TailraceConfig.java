package io.tailrace.config;

import java.util.Map;

/**
 * Everything that can be set. An instance is right: each section checked itself, and the relations between sections hold.
 *
 * @see ConfigLoader
 */
public record TailraceConfig(
        DatabaseConfig database,
        HttpConfig http,
        ManagementConfig management,
        BusConfig bus,
        KeysConfig keys,
        OutboxConfig outbox,
        ActivitiesConfig activities,
        PartitionsConfig partitions,
        RuntimeConfig runtime,
        LogsConfig logs,
        ShutdownConfig shutdown) {
    /** Connections that must remain for claims, settlements and reads while every lane of group commit is at work. */
    private static final int CONNECTIONS_BESIDE_LANES = 2;

    public TailraceConfig {
        int lanes =
                outbox.groupCommit().connections() + activities.groupCommit().connections();
        DataSize body = http.limits().decompressed();
        new Checks()
                .that(
                        http.port() == 0
                                || http.port() != management.port()
                                || !http.enabled()
                                || !management.enabled(),
                        "management.port",
                        "must differ from http.port, but both are " + http.port())
                .that(
                        database.poolSize() >= lanes + CONNECTIONS_BESIDE_LANES,
                        "database.pool_size",
                        "must be at least " + (lanes + CONNECTIONS_BESIDE_LANES)
                                + ", because the lanes of outbox.group_commit and activities.group_commit can hold "
                                + lanes
                                + " (lanes × (1 + aside_at_once)) and others need " + CONNECTIONS_BESIDE_LANES
                                + ", but is " + database.poolSize())
                .that(
                        http.limits().requestTimeout().compareTo(database.statementTimeout()) > 0,
                        "http.limits.request_timeout",
                        "must be longer than database.statement_timeout, so that a slow statement is answered with its"
                                + " reason")
                .that(
                        outbox.groupCommit().queueBytes().bytes() >= body.bytes(),
                        "outbox.group_commit.queue_bytes",
                        "must not be less than http.limits.decompressed (" + body + "), or a batch of that size is"
                                + " always refused")
                .that(
                        activities.groupCommit().queueBytes().bytes() >= body.bytes(),
                        "activities.group_commit.queue_bytes",
                        "must not be less than http.limits.decompressed (" + body + "), or an activity of that size is"
                                + " always refused")
                .done();
    }

    /** The defaults, with a few keys set over them: for tests and for embedding. */
    public static TailraceConfig defaults(Map<String, String> overrides) {
        return ConfigLoader.withoutEnvironment().load(overrides);
    }
}
