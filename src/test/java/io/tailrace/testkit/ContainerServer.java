package io.tailrace.testkit;

import org.testcontainers.postgresql.PostgreSQLContainer;

/** A server in a container. Loaded only when {@code -Dtailrace.test.testcontainers=true} asks for it. */
final class ContainerServer {
    private ContainerServer() {}

    @SuppressWarnings("resource") // Testcontainers' own reaper ends it with this JVM
    static PostgresServer.Address start() {
        String version = System.getProperty("postgres.version", "17");
        PostgreSQLContainer container = new PostgreSQLContainer("postgres:" + version)
                .withCommand("postgres", "-c", "max_connections=200", "-c", "log_lock_waits=on");
        container.start();
        return new PostgresServer.Address(
                container.getHost(),
                container.getMappedPort(PostgreSQLContainer.POSTGRESQL_PORT),
                container.getDatabaseName(),
                container.getUsername(),
                container.getPassword());
    }
}
