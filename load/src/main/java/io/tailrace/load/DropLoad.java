package io.tailrace.load;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;

/**
 * An expired day of the outbox leaves under writers (PERF-1): by the service's own removal, by a plain DETACH and by a plain
 * DROP of the attached partition, with and without a reader's transaction left open, in one run.
 *
 * <pre>
 * --url --admin-url --admin-token --key --jdbc-url --server-log … [--rows 300000 --drops 5 --plain-drops 2 --before 30 --writers 8 --reader 5]
 * </pre>
 *
 * The slowest insert during a removal is set against the maxima of 200 windows of the same length before it, which
 * overlap when {@code --before} seconds do not hold 200 of them. Lock waits longer than 20 ms come from the server's log.
 */
public final class DropLoad {
    private record Insert(long at, long nanos) {}

    private record Outcome(long began, long nanos, String said) {}

    private final Map<String, String> options;
    private final HttpClient http = HttpClient.newHttpClient();
    private final ConcurrentLinkedQueue<Insert> inserts = new ConcurrentLinkedQueue<>();
    private volatile boolean ended;
    private volatile int refused;
    private int day;

    private DropLoad(Map<String, String> options) {
        this.options = options;
    }

    public static void main(String[] args) throws Exception {
        Map<String, String> options = new HashMap<>();
        for (int i = 0; i + 1 < args.length; i += 2) {
            options.put(args[i].substring(2), args[i + 1]);
        }
        new DropLoad(options).run();
    }

    private int number(String name, int otherwise) {
        return Integer.parseInt(options.getOrDefault(name, Integer.toString(otherwise)));
    }

    private void run() throws Exception {
        try (Connection admin = DriverManager.getConnection(options.get("jdbc-url"))) {
            execute(admin, "ALTER SYSTEM SET log_lock_waits = on");
            execute(admin, "ALTER SYSTEM SET deadlock_timeout = '20ms'");
            execute(admin, "SELECT pg_reload_conf()");
            List<Thread> writers = new ArrayList<>();
            for (int w = 0; w < number("writers", 8); w++) {
                Thread writer = new Thread(this::write);
                writer.start();
                writers.add(writer);
            }
            Thread.sleep(5_000);
            for (String way : options.getOrDefault("ways", "removal,detach,drop").split(",")) {
                for (boolean reader : new boolean[] {false, true}) {
                    int within = 0;
                    int drops = way.equals("removal") ? number("drops", 5) : number("plain-drops", 2);
                    for (int n = 0; n < drops; n++) {
                        within += measure(admin, way, reader) ? 1 : 0;
                    }
                    System.out.printf("%s%s: within the 99th percentile in %d of %d%n", way, reader ? " with a reader" : "", within, drops);
                }
            }
            ended = true;
            for (Thread writer : writers) {
                writer.join();
            }
            System.out.println("inserts refused: " + refused);
        }
    }

    private void write() {
        String filler = "x".repeat(160);
        while (!ended) {
            int key = ThreadLocalRandom.current().nextInt(1_000);
            String body = "{\"batch_id\":\"d:" + Long.toHexString(ThreadLocalRandom.current().nextLong())
                    + "\",\"parts\":[{\"bot_id\":\"7\",\"chat_id\":\"" + key + "\",\"ordering_key\":\"" + key
                    + "\",\"method_kind\":\"sendMessage\",\"payload_version\":1,\"payload\":{\"text\":\"" + filler
                    + "\"},\"delivery_policy\":\"create\"}]}";
            long began = System.nanoTime();
            try {
                int status = http.send(
                                HttpRequest.newBuilder(URI.create(options.get("url") + "/v1/outbox/batches"))
                                        .header("authorization", "Bearer " + options.get("key"))
                                        .header("content-type", "application/json")
                                        .timeout(Duration.ofSeconds(30))
                                        .POST(HttpRequest.BodyPublishers.ofString(body))
                                        .build(),
                                HttpResponse.BodyHandlers.discarding())
                        .statusCode();
                if (status != 201) {
                    refused++;
                }
            } catch (IOException | InterruptedException e) {
                refused++;
            }
            inserts.add(new Insert(began, System.nanoTime() - began));
        }
    }

    private String oldDay(Connection admin) throws SQLException {
        return OldDay.make(admin, LocalDate.now(ZoneOffset.UTC).minusDays(40L + day++), number("rows", 300_000));
    }

    private boolean measure(Connection admin, String way, boolean withReader) throws Exception {
        String name = oldDay(admin);
        Thread.sleep(2_000);
        long before = System.nanoTime();
        Thread.sleep(number("before", 30) * 1_000L);
        long logged = Files.size(Path.of(options.get("server-log")));
        Thread reader = new Thread(() -> read(number("reader", 5)));
        if (withReader) {
            reader.start();
            Thread.sleep(100);
        }
        Outcome outcome = remove(admin, way, name);
        if (withReader) {
            reader.join();
        }
        Thread.sleep(500);
        long[] maxima = maxima(before, outcome.began, outcome.nanos);
        long slowest = slowest(outcome.began, outcome.began + outcome.nanos);
        long p99 = maxima[(int) (maxima.length * 0.99)];
        System.out.printf(
                Locale.ROOT,
                "%-8s reader=%-5s took=%7.0f ms slowest insert=%7.1f ms, 99th of the windows' maxima=%6.1f ms, lock waits=%d %s%n",
                way,
                withReader,
                outcome.nanos / 1e6,
                slowest / 1e6,
                p99 / 1e6,
                lockWaits(logged),
                outcome.said);
        return slowest <= p99;
    }

    private Outcome remove(Connection admin, String way, String name) throws Exception {
        long began = System.nanoTime();
        if (way.equals("removal")) {
            String said = http.send(
                            HttpRequest.newBuilder(URI.create(options.get("admin-url") + "/admin/maintenance/runs"))
                                    .header("authorization", "Bearer " + options.get("admin-token"))
                                    .header("content-type", "application/json")
                                    .POST(HttpRequest.BodyPublishers.ofString("{}"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
            long took = System.nanoTime() - began;
            return new Outcome(began, took, said.contains("\"dropped\":[\"" + name) ? times(admin, name) : "NOT DROPPED: " + said);
        }
        if (way.equals("detach")) {
            execute(admin, "ALTER TABLE telegram_outbox DETACH PARTITION " + name);
        }
        execute(admin, "DROP TABLE " + name);
        return new Outcome(began, System.nanoTime() - began, "");
    }

    private static String times(Connection admin, String name) throws SQLException {
        try (Statement statement = admin.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT detach_ms, drop_ms FROM partition_removals WHERE partition = '" + name + "'")) {
            row.next();
            return "detach=" + row.getLong(1) + " ms drop=" + row.getLong(2) + " ms";
        }
    }

    private void read(int seconds) {
        try (Connection reader = DriverManager.getConnection(options.get("jdbc-url"))) {
            reader.setAutoCommit(false);
            execute(reader, "SELECT count(*) FROM telegram_outbox WHERE created_at > now() - interval '1 second'");
            Thread.sleep(seconds * 1_000L);
            reader.rollback();
        } catch (SQLException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private long slowest(long from, long to) {
        return inserts.stream()
                .filter(insert -> insert.at + insert.nanos >= from && insert.at <= to)
                .mapToLong(Insert::nanos)
                .max()
                .orElse(0);
    }

    private long[] maxima(long from, long to, long window) {
        Insert[] all = inserts.stream().filter(insert -> insert.at + insert.nanos >= from && insert.at <= to).toArray(Insert[]::new);
        long[] maxima = new long[200];
        for (int i = 0; i < maxima.length; i++) {
            long start = from + (to - from - window) / maxima.length * i;
            maxima[i] = Arrays.stream(all)
                    .filter(insert -> insert.at + insert.nanos >= start && insert.at <= start + window)
                    .mapToLong(Insert::nanos)
                    .max()
                    .orElse(0);
        }
        Arrays.sort(maxima);
        return maxima;
    }

    /** Waits of anybody but the removal itself: a writer that queued for the table or one of its partitions. */
    private long lockWaits(long from) throws IOException {
        byte[] log = Files.readAllBytes(Path.of(options.get("server-log")));
        String tail = new String(log, (int) from, log.length - (int) from, StandardCharsets.UTF_8);
        return tail.lines()
                .filter(line -> line.contains("still waiting for") && line.contains("on relation"))
                .filter(line -> line.contains("RowExclusiveLock") || line.contains("AccessShareLock") || line.contains("RowShareLock"))
                .count();
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
