package io.tailrace.config;

/** Which key of the shipped file becomes which component of which record. */
final class ConfigBinder {
    private ConfigBinder() {}

    /**
     * The records; what is wrong is noted in {@code settings} and a default stands in for it.
     *
     * @throws IllegalStateException when the shipped file has a key that nothing reads
     */
    static TailraceConfig bind(Settings settings) {
        SettingsReader reader = new SettingsReader(settings);
        TailraceConfig config = reader.section("", all -> build(reader));
        if (!reader.unread().isEmpty()) {
            throw new IllegalStateException("nothing reads " + reader.unread() + " of the shipped conf/tailrace.yaml");
        }
        return config;
    }

    private static TailraceConfig build(SettingsReader from) {
        return new TailraceConfig(
                from.section("database", section -> database(from, section)),
                from.section(
                        "http",
                        section -> new HttpConfig(
                                from.flag(section + "enabled"),
                                from.text(section + "host"),
                                from.number(section + "port"),
                                from.section("http.limits", limits -> limits(from, limits)))),
                from.section(
                        "management",
                        section -> new ManagementConfig(
                                from.flag(section + "enabled"),
                                from.text(section + "host"),
                                from.number(section + "port"),
                                from.secret(section + "admin_token"))),
                from.section(
                        "bus",
                        section -> new BusConfig(from.flag(section + "enabled"), from.number(section + "in_flight"))),
                from.section("keys", section -> new KeysConfig(from.text(section + "environment"))),
                from.section("outbox", section -> outbox(from, section)),
                from.section(
                        "activities",
                        section -> new ActivitiesConfig(
                                from.section("activities.group_commit", lanes -> groupCommit(from, lanes)))),
                from.section(
                        "partitions",
                        section -> new PartitionsConfig(
                                from.number(section + "days_ahead"),
                                from.duration(section + "check_every"),
                                from.duration(section + "detach_wait"),
                                from.duration(section + "blocker_wait"),
                                from.number(section + "removals_per_check"))),
                from.section("runtime", section -> new RuntimeConfig(from.number(section + "event_loops"))),
                from.section(
                        "logs", section -> new LogsConfig(from.flag(section + "json"), from.text(section + "level"))),
                from.section("shutdown", section -> new ShutdownConfig(from.duration(section + "timeout"))));
    }

    private static DatabaseConfig database(SettingsReader from, String section) {
        return new DatabaseConfig(
                from.text(section + "host"),
                from.number(section + "port"),
                from.text(section + "name"),
                from.text(section + "user"),
                from.secret(section + "password"),
                from.number(section + "pool_size"),
                from.number(section + "pool_queue"),
                from.duration(section + "pool_wait"),
                from.duration(section + "connect_timeout"),
                from.duration(section + "lock_timeout"),
                from.duration(section + "statement_timeout"),
                from.duration(section + "ddl_lock_timeout"));
    }

    private static HttpConfig.Limits limits(SettingsReader from, String section) {
        return new HttpConfig.Limits(
                from.size(section + "body"),
                from.size(section + "decompressed"),
                from.number(section + "decompression_ratio"),
                from.size(section + "headers"),
                from.size(section + "line"),
                from.number(section + "json_depth"),
                from.duration(section + "idle_timeout"),
                from.duration(section + "request_timeout"),
                from.number(section + "connections"),
                from.number(section + "rate_per_key"));
    }

    private static OutboxConfig outbox(SettingsReader from, String section) {
        int retention = from.number(section + "retention_days");
        Integer dedup = from.numberOr(section + "dedup_days", "retention");
        return new OutboxConfig(
                retention,
                dedup != null ? dedup : followed(retention),
                from.number(section + "ledger_days"),
                from.duration(section + "lease"),
                from.section("outbox.group_commit", lanes -> groupCommit(from, lanes)),
                new OutboxConfig.Retry(
                        retryLimit(from, "outbox.retry.create"),
                        retryLimit(from, "outbox.retry.target_idempotent"),
                        retryLimit(from, "outbox.retry.ephemeral"),
                        retryLimit(from, "outbox.retry.financial")));
    }

    /** The horizon that follows a retention: as long, within what look-ups can bear. */
    private static int followed(int retentionDays) {
        return retentionDays == 0
                ? OutboxConfig.LONGEST_DEDUP_DAYS
                : Math.min(Math.max(1, retentionDays), OutboxConfig.LONGEST_DEDUP_DAYS);
    }

    private static GroupCommitConfig groupCommit(SettingsReader from, String section) {
        return new GroupCommitConfig(
                from.flag(section + "enabled"),
                from.number(section + "lanes"),
                from.number(section + "flush_entries"),
                from.size(section + "flush_bytes"),
                from.number(section + "queue_entries"),
                from.size(section + "queue_bytes"),
                from.number(section + "aside_at_once"));
    }

    private static OutboxConfig.RetryLimit retryLimit(SettingsReader from, String section) {
        return from.section(
                section,
                prefix -> new OutboxConfig.RetryLimit(
                        from.duration(prefix + "max_age"), from.number(prefix + "max_attempts")));
    }
}
