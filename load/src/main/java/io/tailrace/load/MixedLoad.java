package io.tailrace.load;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
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
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Everything at once at two instances on one database: senders, workers that behave and that do not, operators, expired days
 * that leave. At the end the database is held against what was acknowledged. Exits with 1 when something does not hold.
 *
 * <pre>
 * --urls …,… --admin-urls …,… --admin-token … --key … --jdbc-url … --pids …,… --server-log … [--minutes 10 --senders 6 --workers 6]
 * </pre>
 */
public final class MixedLoad {
    private static final int OLD_ROWS = 20_000;

    private final Map<String, String> options;
    private final MixedLedger ledger = new MixedLedger();
    private final HttpClient http = HttpClient.newHttpClient();
    private final List<String> adminUrls;
    private final List<String> pids;
    private final MixedTraffic traffic;
    /** VmRSS in KiB, by instance and minute. */
    private final List<List<Long>> resident = new ArrayList<>();

    private MixedLoad(Map<String, String> options) {
        this.options = options;
        this.adminUrls = List.of(options.get("admin-urls").split(","));
        this.pids = List.of(options.get("pids").split(","));
        this.traffic = new MixedTraffic(List.of(options.get("urls").split(",")), options.get("key"), ledger);
        pids.forEach(pid -> resident.add(new ArrayList<>()));
    }

    public static void main(String[] args) throws Exception {
        Map<String, String> options = new HashMap<>();
        for (int i = 0; i + 1 < args.length; i += 2) {
            options.put(args[i].substring(2), args[i + 1]);
        }
        System.exit(new MixedLoad(options).run() ? 0 : 1);
    }

    private int number(String name, int otherwise) {
        return Integer.parseInt(options.getOrDefault(name, Integer.toString(otherwise)));
    }

    private boolean run() throws Exception {
        try (Connection db = DriverManager.getConnection(options.get("jdbc-url"))) {
            List<Thread> threads = begin();
            int minutes = number("minutes", 10);
            for (int minute = 1; minute <= minutes; minute++) {
                run(db, 30);
                removeOldDay(db, minute);
                run(db, 30);
                minute(db, minute);
            }
            drain(db);
            traffic.ended = true;
            for (Thread thread : threads) {
                thread.join();
            }
            System.out.println("answers and results");
            ledger.print();
            ledger.check(db);
            checkServer(db);
            checkMemory();
        }
        List<String> broken = ledger.verdict();
        broken.forEach(what -> System.out.println("BROKEN " + what));
        System.out.println(broken.isEmpty() ? "VERDICT holds" : "VERDICT does not hold");
        return broken.isEmpty();
    }

    private List<Thread> begin() {
        traffic.sendBlobs();
        List<Thread> threads = new ArrayList<>();
        for (int s = 0; s < number("senders", 6); s++) {
            threads.add(new Thread(traffic::send, "sender-" + s));
        }
        for (int w = 0; w < number("workers", 6); w++) {
            int worker = w;
            threads.add(new Thread(() -> traffic.work(worker), "worker-" + w));
        }
        threads.add(new Thread(traffic::operate, "operator-1"));
        threads.add(new Thread(traffic::operate, "operator-2"));
        for (Thread thread : threads) {
            thread.setUncaughtExceptionHandler((died, cause) -> {
                cause.printStackTrace();
                ledger.broken(died.getName() + " died: " + cause);
            });
            thread.start();
        }
        return threads;
    }

    /** The senders are held while the workers are behind: what is asked for is everything at once, not a backlog. */
    private void run(Connection db, int seconds) throws SQLException, InterruptedException {
        for (int i = 0; i < seconds; i++) {
            traffic.enqueueing = number(db, "SELECT count(*) FROM telegram_outbox_inflight") < 5_000;
            Thread.sleep(1_000);
        }
    }

    private void minute(Connection db, int minute) throws SQLException, IOException {
        StringBuilder line = new StringBuilder("minute " + minute);
        for (int i = 0; i < pids.size(); i++) {
            long rss = status(pids.get(i), "VmRSS");
            resident.get(i).add(rss);
            line.append(String.format("  instance %d VmRSS %d MiB VmHWM %d MiB", i + 1, rss / 1_024, status(pids.get(i), "VmHWM") / 1_024));
        }
        line.append("  stored ").append(number(db, "SELECT count(*) FROM telegram_outbox"));
        line.append(" in flight ").append(number(db, "SELECT count(*) FROM telegram_outbox_inflight"));
        line.append(" claimed ").append(ledger.counted("claimed"));
        System.out.println(line);
    }

    private static long status(String pid, String name) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
            if (line.startsWith(name + ":")) {
                return Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        throw new IOException("no " + name + " of process " + pid);
    }

    /** Both instances are told to run maintenance at once: the day must leave once. */
    private void removeOldDay(Connection db, int minute) throws Exception {
        String name = OldDay.make(db, LocalDate.now(ZoneOffset.UTC).minusDays(40L + minute), OLD_ROWS);
        String[] said = new String[adminUrls.size()];
        List<Thread> calls = new ArrayList<>();
        for (int i = 0; i < said.length; i++) {
            int instance = i;
            Thread call = new Thread(() -> said[instance] = runMaintenance(adminUrls.get(instance)));
            call.start();
            calls.add(call);
        }
        int droppers = 0;
        for (int i = 0; i < said.length; i++) {
            calls.get(i).join();
            ledger.count("maintenance calls");
            for (Object run : new JsonObject(said[i]).getJsonArray("runs", new JsonArray())) {
                ledger.count("maintenance, another runs", ((JsonObject) run).getBoolean("another_runs") ? 1 : 0);
                ledger.count("maintenance, not ok", ((JsonObject) run).getBoolean("ok") ? 0 : 1);
            }
            droppers += said[i].contains("\"dropped\":[\"" + name) ? 1 : 0;
        }
        ledger.count("old days made");
        ledger.count("old days dropped by the call", droppers);
        if (droppers > 1) {
            ledger.broken(name + " was dropped by " + droppers + " instances");
        }
    }

    private String runMaintenance(String adminUrl) {
        try {
            HttpResponse<String> answer = http.send(
                    HttpRequest.newBuilder(URI.create(adminUrl + "/admin/maintenance/runs"))
                            .header("authorization", "Bearer " + options.get("admin-token"))
                            .header("content-type", "application/json")
                            .POST(HttpRequest.BodyPublishers.ofString("{}"))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            ledger.count("http " + answer.statusCode() + " of maintenance");
            return answer.body();
        } catch (IOException | InterruptedException e) {
            ledger.broken("maintenance: " + e);
            return "{}";
        }
    }

    /** Nobody sends any more and everybody behaves; what is due must go. */
    private void drain(Connection db) throws SQLException, InterruptedException {
        traffic.enqueueing = false;
        traffic.calm = true;
        Thread.sleep(3_000);
        for (String bot : List.of("7", "8", "9")) {
            traffic.call("POST", "/v1/outbox/bots/" + bot + "/resume", "application/json", "{}".getBytes(StandardCharsets.UTF_8));
        }
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(180);
        long left;
        do {
            Thread.sleep(1_000);
            left = number(db, "SELECT count(*) FROM telegram_outbox_inflight");
        } while (left > 0 && System.nanoTime() < until);
        System.out.println("after the drain in flight: " + left);
        if (left > 0) {
            ledger.broken(left + " parts are still in flight after the drain");
        }
    }

    private void checkServer(Connection db) throws SQLException, IOException {
        System.out.println("server");
        String log = Files.readString(Path.of(options.get("server-log")));
        System.out.println("  deadlocks, by its statistics: "
                + number(db, "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()") + ", in its log: "
                + log.lines().filter(line -> line.contains("deadlock detected")).count() + " (tried again inside the service)");
        System.out.println("  errors in its log:");
        Map<String, Integer> errors = new java.util.TreeMap<>();
        log.lines().filter(line -> line.contains("ERROR:")).forEach(line -> errors.merge(
                line.substring(line.indexOf("ERROR:") + 6).replaceAll("[0-9]+", "…").strip(), 1, Integer::sum));
        errors.forEach((error, times) -> System.out.println("    " + times + " × " + error));
        long left = number(db, "SELECT count(*) FROM pg_class WHERE relname LIKE 'telegram_outbox_p%' AND relkind = 'r'"
                + " AND relname < 'telegram_outbox_p" + LocalDate.now(ZoneOffset.UTC).minusDays(30).toString().replace('-', '_') + "'");
        System.out.println("  old days made " + ledger.counted("old days made") + ", left " + left);
        if (left > 0) {
            ledger.broken(left + " old days did not leave");
        }
        long twice = number(db, "SELECT count(*) FROM (SELECT partition FROM partition_removals GROUP BY 1 HAVING count(*) > 1) d");
        if (twice > 0) {
            ledger.broken(twice + " days were removed twice");
        }
    }

    private void checkMemory() {
        for (int i = 0; i < resident.size(); i++) {
            List<Long> minutes = resident.get(i);
            if (minutes.size() < 3) {
                System.out.println("memory: too short a run to tell");
                continue;
            }
            double ratio = minutes.get(minutes.size() - 1) / (double) minutes.get(1);
            System.out.printf("memory: instance %d, last minute ÷ second: %.2f%n", i + 1, ratio);
            if (ratio > 1.1) {
                ledger.broken("memory of instance " + (i + 1) + " grew by " + ratio);
            }
        }
    }

    private static long number(Connection db, String sql) throws SQLException {
        try (Statement statement = db.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
