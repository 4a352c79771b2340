package io.tailrace.load;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The outbox at a steady rate while somebody's snapshot keeps vacuum from removing anything: claims, rate and dead rows
 * before it, during it and after it. Senders claim, start and settle; a claim that finds nothing is asked again 20 ms later.
 *
 * <pre>
 * --url --key --jdbc-url [--rate 800] [--keys 1000] [--senders 4] [--before 30] [--held 60] [--after 15]
 * </pre>
 */
public final class HeldSnapshotLoad {
    private static final Pattern ITEM = Pattern.compile("\"id\":\"([^\"]+)\",\"created_at\":\"[^\"]+\",\"lease_token\":(\\d+)");
    private static final int BATCH = 10;

    private final Map<String, String> options;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String run = Long.toString(System.currentTimeMillis(), 36);
    private final AtomicBoolean ended = new AtomicBoolean();
    private final AtomicInteger enqueued = new AtomicInteger();
    private final AtomicInteger settled = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private List<Double> claims = new ArrayList<>();

    private HeldSnapshotLoad(Map<String, String> options) {
        this.options = options;
    }

    public static void main(String[] args) throws Exception {
        Map<String, String> options = new HashMap<>();
        for (int i = 0; i + 1 < args.length; i += 2) {
            options.put(args[i].substring(2), args[i + 1]);
        }
        new HeldSnapshotLoad(options).run();
    }

    private int option(String name, int otherwise) {
        return Integer.parseInt(options.getOrDefault(name, Integer.toString(otherwise)));
    }

    private void run() throws Exception {
        List<Thread> threads = new ArrayList<>();
        threads.add(new Thread(() -> quietly(this::enqueue), "enqueues"));
        for (int i = 0; i < option("senders", 4); i++) {
            threads.add(new Thread(() -> quietly(this::send), "sender-" + i));
        }
        threads.forEach(Thread::start);
        try (Connection admin = DriverManager.getConnection(options.get("jdbc-url"));
                Connection old = DriverManager.getConnection(options.get("jdbc-url"))) {
            phase("warm-up", option("before", 30) / 2, admin);
            double before = phase("before", option("before", 30), admin);
            old.setAutoCommit(false);
            execute(old, "DECLARE held CURSOR FOR SELECT FROM telegram_outbox_inflight");
            double worst = 0;
            for (int seconds = 0; seconds < option("held", 60); seconds += 15) {
                worst = Math.max(worst, phase("held", 15, admin));
            }
            old.rollback();
            phase("after", option("after", 15), admin);
            System.out.printf(Locale.ROOT, "p99 of a claim while held, at worst ÷ before: %.2f%n", worst / before);
        }
        ended.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** The 99th percentile of claims, in milliseconds. */
    private double phase(String name, int seconds, Connection admin) throws InterruptedException, SQLException {
        int settledBefore = settled.get();
        synchronized (this) {
            claims = new ArrayList<>();
        }
        Thread.sleep(seconds * 1000L);
        double[] sorted;
        synchronized (this) {
            sorted = claims.stream().mapToDouble(Double::doubleValue).toArray();
        }
        Arrays.sort(sorted);
        double p99 = sorted[(int) (sorted.length * 0.99)];
        System.out.printf(
                Locale.ROOT,
                "%-8s %3d s: %4.0f settled/s, %d claims of work, p50 %.1f ms, p99 %.1f ms, slowest %.1f ms; %d behind, %d refused; dead rows %s%n",
                name,
                seconds,
                (settled.get() - settledBefore) / (double) seconds,
                sorted.length,
                sorted[sorted.length / 2],
                p99,
                sorted[sorted.length - 1],
                enqueued.get() - settled.get(),
                refused.get(),
                dead(admin));
        return p99;
    }

    private static String dead(Connection admin) throws SQLException {
        try (Statement statement = admin.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT n_dead_tup FROM pg_stat_user_tables WHERE relname = 'telegram_outbox_inflight'")) {
            rows.next();
            return rows.getString(1);
        }
    }

    private interface Work {
        void run() throws IOException, InterruptedException;
    }

    private static void quietly(Work work) {
        try {
            work.run();
        } catch (IOException | InterruptedException e) {
            System.err.println(Thread.currentThread().getName() + " ended: " + e);
        }
    }

    private void enqueue() throws IOException, InterruptedException {
        int keys = option("keys", 1_000);
        double every = 1e9 * BATCH / option("rate", 800);
        long began = System.nanoTime();
        for (int batch = 0; !ended.get(); batch++) {
            StringBuilder parts = new StringBuilder();
            for (int i = 0; i < BATCH; i++) {
                int key = (batch * BATCH + i) % keys;
                parts.append(i == 0 ? "" : ",").append("{\"bot_id\":\"7\",\"ordering_key\":\"").append(run).append(':').append(key)
                        .append("\",\"method_kind\":\"sendMessage\",\"payload_version\":1,\"payload\":{\"text\":\"")
                        .append("x".repeat(160)).append("\"},\"delivery_policy\":\"target_idempotent\"}");
            }
            post("/v1/outbox/batches", "{\"batch_id\":\"" + run + ":" + batch + "\",\"parts\":[" + parts + "]}");
            enqueued.addAndGet(BATCH);
            long wait = began + (long) (every * (batch + 1)) - System.nanoTime();
            if (wait > 0) {
                Thread.sleep(wait / 1_000_000, (int) (wait % 1_000_000));
            }
        }
    }

    private void send() throws IOException, InterruptedException {
        while (!ended.get()) {
            long began = System.nanoTime();
            String answer = post("/v1/outbox/claims", "{\"worker_id\":\"" + Thread.currentThread().getName() + "\",\"limit\":100}");
            double took = (System.nanoTime() - began) / 1e6;
            Matcher items = ITEM.matcher(answer);
            StringBuilder starts = new StringBuilder();
            StringBuilder ends = new StringBuilder();
            int got = 0;
            while (items.find()) {
                String lease = (got++ == 0 ? "" : ",") + "{\"id\":\"" + items.group(1) + "\",\"lease_token\":" + items.group(2);
                starts.append(lease).append('}');
                ends.append(lease).append(",\"outcome\":\"delivered\",\"message_ids\":[\"5\"],\"receipt\":{},\"response_kind\":\"message\"}");
            }
            if (got == 0) {
                Thread.sleep(20);
                continue;
            }
            synchronized (this) {
                claims.add(took);
            }
            post("/v1/outbox/starts", "{\"items\":[" + starts + "]}");
            post("/v1/outbox/settlements", "{\"items\":[" + ends + "]}");
            settled.addAndGet(got);
        }
    }

    private String post(String path, String body) throws IOException, InterruptedException {
        HttpResponse<String> answer = http.send(
                HttpRequest.newBuilder(URI.create(options.get("url") + path))
                        .header("authorization", "Bearer " + options.get("key"))
                        .header("content-type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() >= 300 && refused.getAndIncrement() < 5) {
            System.err.println(path + " " + answer.statusCode() + " " + answer.body());
        }
        return answer.body();
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
