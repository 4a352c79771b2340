package io.tailrace.peers;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.serializer.Serializer;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * db-scheduler: scheduleBatch in calls of 1,000, lock-and-fetch polling, which its documentation gives for high throughput, 50
 * threads that are refilled at half (of four settings the best here, by little). It has no keys, so it is measured unkeyed only. Data are text, not Java's
 * serialization, which would cost it more.
 */
public final class DbSchedulerPeer {
    private static final String TABLE = """
            CREATE TABLE scheduled_tasks (
                task_name text NOT NULL, task_instance text NOT NULL, task_data bytea,
                execution_time timestamptz NOT NULL, picked boolean NOT NULL, picked_by text,
                last_success timestamptz, last_failure timestamptz, consecutive_failures int,
                last_heartbeat timestamptz, version bigint NOT NULL, priority smallint,
                state text, PRIMARY KEY (task_name, task_instance));
            CREATE INDEX execution_time_idx ON scheduled_tasks (execution_time);
            CREATE INDEX last_heartbeat_idx ON scheduled_tasks (last_heartbeat);
            CREATE INDEX priority_execution_time_idx ON scheduled_tasks (priority DESC, execution_time ASC)""";

    private static final class Text implements Serializer {
        @Override
        public byte[] serialize(Object data) {
            return data == null ? null : ((String) data).getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public <T> T deserialize(Class<T> type, byte[] bytes) {
            return bytes == null ? null : type.cast(new String(bytes, StandardCharsets.UTF_8));
        }
    }

    private final Map<String, String> options;
    private final HikariDataSource pool;
    private final int threads;

    private DbSchedulerPeer(Map<String, String> options) {
        this.options = options;
        this.threads = Seen.option(options, "threads", 50);
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(Seen.jdbcUrl());
        config.setUsername(System.getenv("PGUSER"));
        config.setMaximumPoolSize(Seen.option(options, "pool", threads + 4));
        this.pool = new HikariDataSource(config);
    }

    public static void main(String[] args) throws Exception {
        Map<String, String> options = Seen.options(args);
        DbSchedulerPeer peer = new DbSchedulerPeer(options);
        peer.execute(TABLE);
        int warmup = Seen.option(options, "warmup", 5_000);
        if (warmup > 0) {
            peer.round(warmup);
        }
        System.out.println(peer.round(Seen.option(options, "jobs", 20_000)));
        System.exit(0);
    }

    private String round(int jobs) throws Exception {
        Seen seen = new Seen(jobs, 0, false);
        OneTimeTask<String> send = Tasks.oneTime("send", String.class).execute((instance, context) -> {
            String data = instance.getData();
            seen.handle(0, Integer.parseInt(data.substring(0, data.indexOf(' '))));
        });
        Scheduler scheduler = Scheduler.create(pool, send)
                .threads(threads)
                .pollUsingLockAndFetch(
                        Double.parseDouble(options.getOrDefault("lower", "0.5")),
                        Double.parseDouble(options.getOrDefault("upper", "2.0")))
                .pollingInterval(Duration.ofMillis(100))
                .serializer(new Text())
                .build();
        String filler = "x".repeat(160);
        long began = System.nanoTime();
        for (int at = 0; at < jobs; at += 1_000) {
            List<TaskInstance<?>> instances = new ArrayList<>();
            for (int i = at; i < Math.min(jobs, at + 1_000); i++) {
                instances.add(send.instance("job-" + i, (i + 1) + " " + filler));
            }
            scheduler.scheduleBatch(instances, Instant.now());
        }
        double enqueueSeconds = (System.nanoTime() - began) / 1e9;
        began = System.nanoTime();
        long deadline = began + Seen.option(options, "seconds", 60) * 1_000_000_000L;
        scheduler.start();
        while (seen.done() < jobs && System.nanoTime() < deadline) {
            Thread.sleep(2);
        }
        // Durable: it deletes a task when it is complete.
        int left = count();
        while (seen.done() >= jobs && left > 0 && System.nanoTime() < deadline) {
            Thread.sleep(2);
            left = count();
        }
        double drainSeconds = (System.nanoTime() - began) / 1e9;
        scheduler.stop();
        execute("TRUNCATE scheduled_tasks");
        return seen.line("db-scheduler", jobs, enqueueSeconds, jobs - left, drainSeconds);
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private int count() throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT count(*) FROM scheduled_tasks")) {
            rows.next();
            return rows.getInt(1);
        }
    }
}
