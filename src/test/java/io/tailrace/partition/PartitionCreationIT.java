package io.tailrace.partition;

import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.db.Database;
import io.tailrace.testkit.TestDatabase;
import io.vertx.pgclient.PgConnection;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PartitionCreationIT {
    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    private static final PartitionedTable EVENTS =
            PartitionedTable.daily("events", "at").withUnique("key", "key");
    private static final Instant NOON = Instant.parse("2026-11-30T12:00:00Z");

    @BeforeEach
    void table() {
        db.clock().set(NOON);
        db.execute("""
                DROP TABLE IF EXISTS events;
                CREATE TABLE events (id bigint GENERATED ALWAYS AS IDENTITY, at timestamptz NOT NULL, key text,
                                     PRIMARY KEY (id, at)) PARTITION BY RANGE (at)
                """);
        await(maintenance().ensure(Duration.ofSeconds(5)));
    }

    private static PartitionMaintenance maintenance() {
        return new PartitionMaintenance(db.database(), MaintainedTables.daily(List.of(EVENTS)));
    }

    /**
     * Writers that insert without pause, each failing an insert that waited 500 ms for any lock: PostgreSQL itself
     * measures, so a slow machine proves nothing wrong.
     */
    private static final class Writers implements AutoCloseable {
        private static final int COUNT = 4;
        private final ExecutorService threads = Executors.newFixedThreadPool(COUNT);
        private final AtomicBoolean stop = new AtomicBoolean();
        final AtomicLong inserted = new AtomicLong();
        final AtomicLong queued = new AtomicLong();
        final List<String> broken = new ArrayList<>();

        Writers() {
            for (int i = 0; i < COUNT; i++) {
                threads.execute(this::write);
            }
        }

        private void write() {
            try (Connection connection = db.connect();
                    Statement statement = connection.createStatement()) {
                statement.execute("SET lock_timeout = '500ms'");
                while (!stop.get()) {
                    insert(statement);
                }
            } catch (SQLException e) {
                synchronized (broken) {
                    broken.add(e.toString());
                }
            }
        }

        private void insert(Statement statement) throws SQLException {
            try {
                statement.execute("INSERT INTO events (at) VALUES ('2026-11-30 12:00:00+00')");
                inserted.incrementAndGet();
            } catch (SQLException e) {
                if (!"55P03".equals(e.getSQLState())) {
                    throw e;
                }
                queued.incrementAndGet();
            }
        }

        /** Until each has written again since now. */
        void awaitProgress() {
            long target = inserted.get() + 10 * COUNT;
            Awaitility.await().atMost(TestDatabase.PATIENCE).until(() -> inserted.get() >= target);
        }

        @Override
        public void close() {
            stop.set(true);
            threads.shutdown();
            try {
                assertThat(threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            assertThat(broken).isEmpty();
        }
    }

    private static Connection reader() throws SQLException {
        Connection reader = db.connect();
        reader.setAutoCommit(false);
        try (Statement read = reader.createStatement()) {
            read.executeQuery("SELECT count(*) FROM events").close();
        }
        return reader;
    }

    @Test
    @DisplayName("LIFE-2 beside an open reader partitions are made and no insert waits for a lock")
    void writersGoOn() throws SQLException {
        try (Connection reader = reader();
                Writers writers = new Writers()) {
            writers.awaitProgress();
            for (int week = 1; week <= 5; week++) {
                db.clock().set(NOON.plus(Duration.ofDays(8L * week)));
                MaintenanceRun run = await(maintenance().runOnce(Duration.ofSeconds(5)), Duration.ofSeconds(30));
                assertThat(run.failure()).isEmpty();
                assertThat(run.tables().get(0).created()).hasSize(8);
                writers.awaitProgress();
            }
            assertThat(writers.queued).hasValue(0);
            reader.rollback();
        }
    }

    @Test
    @DisplayName("LIFE-2 control: with CREATE … PARTITION OF the same writers queue behind the same reader")
    void whatPartitionOfDoes() throws SQLException {
        try (Connection reader = reader();
                Writers writers = new Writers();
                Connection creator = db.connect();
                Statement create = creator.createStatement()) {
            writers.awaitProgress();
            create.execute("SET lock_timeout = '3s'");
            String outcome = "created";
            try {
                create.execute("""
                        CREATE TABLE events_control PARTITION OF events
                        FOR VALUES FROM ('2030-01-01 00:00:00+00') TO ('2030-01-02 00:00:00+00')
                        """);
            } catch (SQLException e) {
                outcome = e.getSQLState();
            }
            assertThat(outcome).isEqualTo("55P03");
            assertThat(writers.queued).hasValueGreaterThanOrEqualTo(4);
            reader.rollback();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTC", "America/New_York", "Asia/Amman"})
    @DisplayName(
            "LIFE-2 the parent is locked SHARE UPDATE EXCLUSIVE at most, and bounds are UTC in any zone of the session")
    void locksAndZones(String zone) {
        Span day = Period.DAY.at(Instant.parse("2028-02-29T00:00:00Z"));
        PartitionOperation create = new PartitionOperation.Create("events_p2028_02_29", day);
        PgConnection session =
                await(PgConnection.connect(db.vertx(), db.database().ownConnection("create-test")));
        await(session.query("SET TimeZone = '" + zone + "'").execute());
        List<String> modes = await(Database.transaction(session, inside -> new PartitionStore()
                .apply(inside, EVENTS, create)
                .compose(made -> inside.query("""
                                        SELECT mode FROM pg_locks
                                        WHERE pid = pg_backend_pid() AND relation = 'events'::regclass ORDER BY 1
                                        """).execute())
                .map(rows -> {
                    List<String> all = new ArrayList<>();
                    rows.forEach(row -> all.add(row.getString(0)));
                    return all;
                })));
        await(session.close());
        assertThat(modes).containsExactly("AccessShareLock", "ShareUpdateExclusiveLock");
        Observation seen = await(db.database()
                .transaction(db.database().maintenance(), inside -> new PartitionCatalog().observe(inside, EVENTS)));
        assertThat(seen.partitions()).contains(Seen.table("events_p2028_02_29", day.from(), day.to()));
        assertThat(db.execute("INSERT INTO events (at) VALUES ('2028-02-29 00:00Z'), ('2028-02-29 23:59:59.999999Z')"))
                .isEqualTo(2);
        assertThat(db.number("SELECT count(*) FROM ONLY events_p2028_02_29")).isEqualTo(2);
    }

    @Test
    @DisplayName("LIFE-2 the attach is spared the scan by the CHECK; a partition detached concurrently has one again")
    void attachedWithoutAScan() throws SQLException {
        String day = "events_p2026_11_30";
        String attach = "ALTER TABLE events ATTACH PARTITION " + day
                + " FOR VALUES FROM ('2026-11-30 00:00:00+00') TO ('2026-12-01 00:00:00+00')";
        db.execute("INSERT INTO events (at) VALUES ('2026-11-30 12:00:00+00')");
        assertThat(messages("ALTER TABLE events DETACH PARTITION " + day + " CONCURRENTLY", attach))
                .anyMatch(message -> message.contains("is implied by existing constraints"));
        assertThat(db.number("SELECT count(*) FROM events")).isEqualTo(1);
        List<String> made = new ArrayList<>();
        PgConnection session =
                await(PgConnection.connect(db.vertx(), db.database().ownConnection("create-test")));
        session.noticeHandler(notice -> made.add(notice.getMessage()));
        await(session.query("SET client_min_messages = debug1").execute());
        Span far = Period.DAY.at(Instant.parse("2029-01-01T00:00:00Z"));
        await(Database.transaction(session, inside -> new PartitionStore()
                .apply(inside, EVENTS, new PartitionOperation.Create("events_p2029_01_01", far))));
        await(session.close());
        assertThat(made).anyMatch(message -> message.contains("is implied by existing constraints"));
    }

    private static List<String> messages(String... statements) throws SQLException {
        List<String> messages = new ArrayList<>();
        try (Connection connection = db.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SET client_min_messages = debug1");
            for (String sql : statements) {
                statement.execute(sql);
                for (SQLWarning warning = statement.getWarnings();
                        warning != null;
                        warning = warning.getNextWarning()) {
                    messages.add(String.valueOf(warning.getMessage()));
                }
            }
        }
        return messages;
    }
}
