package io.tailrace.db;

import io.tailrace.config.DatabaseConfig;
import org.flywaydb.core.Flyway;
import org.flywaydb.database.postgresql.PostgreSQLConfigurationExtension;

/** The schema, by Flyway. Blocking: call it from a worker or before the event loops have anything to do. */
public final class Migrations {
    private Migrations() {}

    /** Brings the schema to this build's version and returns how many scripts ran. */
    public static int migrate(DatabaseConfig config) {
        return flyway(config).migrate().migrationsExecuted;
    }

    /** How many scripts this build has that the database has not run. */
    public static int pending(DatabaseConfig config) {
        return flyway(config).info().pending().length;
    }

    private static Flyway flyway(DatabaseConfig config) {
        var configuration = Flyway.configure()
                .dataSource(config.jdbcUrl(), config.user(), config.password().reveal())
                .locations("classpath:db/migration")
                .validateMigrationNaming(true);
        PostgreSQLConfigurationExtension postgres =
                configuration.getConfigurationExtension(PostgreSQLConfigurationExtension.class);
        // Under the transactional lock a CREATE INDEX CONCURRENTLY would wait for Flyway itself.
        postgres.setTransactionalLock(false);
        return configuration.load();
    }
}
