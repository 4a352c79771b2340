package io.tailrace.config;

import java.time.Duration;

/**
 * Where PostgreSQL is and how long anything may wait for it.
 *
 * @param poolSize connections for requests; maintenance has three of its own
 * @param poolQueue requests that may wait for a connection before the next is refused (503 {@code overloaded})
 * @param poolWait how long one of them waits
 * @param lockTimeout for statements of requests
 * @param statementTimeout for statements of requests, and for an idle transaction
 * @param ddlLockTimeout for partition DDL, so that it never queues behind a long reader
 */
public record DatabaseConfig(
        String host,
        int port,
        String database,
        String user,
        Secret password,
        int poolSize,
        int poolQueue,
        Duration poolWait,
        Duration connectTimeout,
        Duration lockTimeout,
        Duration statementTimeout,
        Duration ddlLockTimeout) {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration INSTANT = Duration.ofMillis(10);

    public DatabaseConfig {
        new Checks()
                .present("host", host)
                .between("port", port, 1, 65_535)
                .present("name", database)
                .present("user", user)
                .between("pool_size", poolSize, 4, 200)
                .between("pool_queue", poolQueue, 1, 100_000)
                .between("pool_wait", poolWait, INSTANT, MINUTE)
                .between("connect_timeout", connectTimeout, INSTANT, MINUTE)
                .between("lock_timeout", lockTimeout, INSTANT, HOUR)
                .between("statement_timeout", statementTimeout, INSTANT, HOUR)
                .between("ddl_lock_timeout", ddlLockTimeout, INSTANT, MINUTE)
                .that(
                        lockTimeout.compareTo(statementTimeout) <= 0,
                        "lock_timeout",
                        "must not be longer than statement_timeout, which ends the statement first")
                .done();
    }

    /** The address for JDBC (Flyway, COPY), without user or password. */
    public String jdbcUrl() {
        return "jdbc:postgresql://" + host + ":" + port + "/" + database;
    }

    /** The defaults of {@code conf/tailrace.yaml} for a given address. */
    public static DatabaseConfig at(String host, int port, String database, String user, String password) {
        return new DatabaseConfig(
                host,
                port,
                database,
                user,
                new Secret(password),
                16,
                2_000,
                Duration.ofSeconds(5),
                Duration.ofSeconds(5),
                Duration.ofSeconds(10),
                Duration.ofSeconds(30),
                Duration.ofSeconds(3));
    }
}
