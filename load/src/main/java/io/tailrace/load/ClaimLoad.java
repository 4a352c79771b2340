package io.tailrace.load;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a claim of 100 costs, by what else waits (OUT-14). The backlog is written by SQL in the shape that enqueues leave;
 * each claim's parts are given back before the next. No statistics are taken: plans are those of a database that was empty
 * when they were made, then, with {@code --analyze true}, those of an analyzed one.
 *
 * <pre>
 * --url --key --jdbc-url [--claims 60] [--cases base,million,deepkey,notdue,bot,dead]
 * </pre>
 */
public final class ClaimLoad {
    private static final Pattern ITEM = Pattern.compile("\"id\":\"([^\"]+)\",\"created_at\":\"[^\"]+\",\"lease_token\":(\\d+)");
    private static final String TENANT = "'00000000-0000-0000-0000-000000000001'::uuid";

    private final Map<String, String> options;
    private final HttpClient http = HttpClient.newHttpClient();

    private ClaimLoad(Map<String, String> options) {
        this.options = options;
    }

    public static void main(String[] args) throws Exception {
        Map<String, String> options = new HashMap<>();
        for (int i = 0; i + 1 < args.length; i += 2) {
            options.put(args[i].substring(2), args[i + 1]);
        }
        new ClaimLoad(options).run();
    }

    private void run() throws Exception {
        double base = 0;
        try (Connection admin = DriverManager.getConnection(options.get("jdbc-url"))) {
            for (String name : options.getOrDefault("cases", "base,million,deepkey,notdue,bot,base,dead").split(",")) {
                execute(admin, "DELETE FROM telegram_outbox_inflight");
                execute(admin, "DELETE FROM telegram_outbox");
                execute(admin, "DELETE FROM telegram_outbox_attempts");
                execute(admin, "DELETE FROM telegram_outbox_keys");
                execute(admin, "VACUUM telegram_outbox_inflight");
                Connection old = null;
                if (name.equals("dead")) {
                    old = DriverManager.getConnection(options.get("jdbc-url"));
                    old.setAutoCommit(false);
                    old.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                    execute(old, "SELECT count(*) FROM tenants");
                }
                prepare(admin, name);
                if (Boolean.parseBoolean(options.getOrDefault("analyze", "false"))) {
                    execute(admin, "ANALYZE telegram_outbox_inflight");
                    execute(admin, "ANALYZE telegram_outbox");
                }
                double median = measure(name.equals("bot") ? "\"bot_ids\":[\"bot-77\"]," : "", name);
                if (name.equals("base") && base == 0) {
                    base = median;
                }
                System.out.printf(Locale.ROOT, "    %.2f of the base%n", median / base);
                if (old != null) {
                    old.close();
                }
            }
        }
    }

    private void prepare(Connection admin, String name) throws SQLException {
        switch (name) {
            case "base" -> backlog(admin, 10_000, 10_000, "'7'", 0, "0 seconds");
            case "million" -> backlog(admin, 1_000_000, 10_000, "'7'", 0, "0 seconds");
            case "deepkey" -> {
                backlog(admin, 100_000, 1, "'7'", 0, "0 seconds");
                backlog(admin, 10_000, 10_000, "'7'", 0, "0 seconds");
            }
            case "notdue" -> {
                backlog(admin, 100_000, 100_000, "'7'", 100, "1 hour");
                backlog(admin, 10_000, 10_000, "'7'", 0, "0 seconds");
            }
            case "bot" -> backlog(admin, 10_000, 10_000, "'bot-' || n % 10000", 0, "0 seconds");
            case "dead" -> {
                // Every one of them was a candidate: those are what a search walks past.
                backlog(admin, 1_000_000, 10_000, "'7'", 0, "0 seconds", 1_000_000);
                execute(admin, "DELETE FROM telegram_outbox_inflight");
                backlog(admin, 10_000, 10_000, "'7'", 0, "0 seconds");
            }
            default -> throw new IllegalArgumentException(name);
        }
    }

    /** Parts {@code n} over keys {@code n % keys}; of each key the first is a candidate, the rest queue. */
    private static void backlog(Connection admin, int parts, int keys, String bot, int priority, String later)
            throws SQLException {
        backlog(admin, parts, keys, bot, priority, later, keys);
    }

    private static void backlog(
            Connection admin, int parts, int keys, String bot, int priority, String later, int candidates) throws SQLException {
        String run = Long.toString(System.nanoTime(), 36);
        String series = " FROM generate_series(0, " + (parts - 1) + ") n";
        execute(admin, "CREATE TEMP TABLE made AS SELECT n, nextval('telegram_outbox_id_seq') AS id, tailrace_now() AS at" + series);
        execute(admin, "INSERT INTO telegram_outbox_keys (tenant_id, bot_id, ordering_key) SELECT DISTINCT " + TENANT + ", " + bot
                + ", '" + run + ":' || n % " + keys + series);
        execute(admin, "INSERT INTO telegram_outbox (id, created_at, tenant_id, operation_id, batch_id, part_index, bot_id, ordering_key,"
                + " method_kind, payload_version, original_payload, delivery_policy, protected, priority, available_at, updated_at)"
                + " SELECT id, at, " + TENANT + ", 'op', '" + run + ":' || n, 0, " + bot + ", '" + run + ":' || n % " + keys
                + ", 'sendMessage', 1, jsonb_build_object('text', repeat('x', 160)), 'create', false, " + priority + ", at + '"
                + later + "'::interval, at FROM made");
        execute(admin, "INSERT INTO telegram_outbox_inflight (id, created_at, tenant_id, key_id, bot_id, part_index, priority,"
                + " delivery_policy, turn, available_at, updated_at, retry_jitter_ms)"
                + " SELECT m.id, m.at, " + TENANT + ", k.key_id, k.bot_id, 0, " + priority + ", 'create', CASE WHEN '" + later
                + "'::interval > '0' THEN 's' WHEN n < " + candidates + " THEN 'c' ELSE 'q' END::\"char\", m.at + '" + later
                + "'::interval, m.at, 0 FROM made m JOIN telegram_outbox_keys k ON k.tenant_id = " + TENANT + " AND k.bot_id = "
                + bot + " AND k.ordering_key = '" + run + ":' || n % " + keys);
        execute(admin, "DROP TABLE made");
    }

    private double measure(String filter, String name) throws IOException, InterruptedException {
        List<Double> millis = new ArrayList<>();
        int got = 0;
        int claims = Integer.parseInt(options.getOrDefault("claims", "60"));
        for (int i = 0; i < claims + 20; i++) {
            long began = System.nanoTime();
            String answer = post("/v1/outbox/claims", "{" + filter + "\"worker_id\":\"w\",\"limit\":100}");
            double took = (System.nanoTime() - began) / 1e6;
            if (i >= 20) {
                millis.add(took);
            }
            StringBuilder releases = new StringBuilder();
            Matcher items = ITEM.matcher(answer);
            got = 0;
            while (items.find()) {
                got++;
                releases.append(releases.isEmpty() ? "" : ",").append("{\"id\":\"").append(items.group(1))
                        .append("\",\"lease_token\":").append(items.group(2)).append(",\"outcome\":\"release\"}");
            }
            if (got > 0) {
                post("/v1/outbox/settlements", "{\"items\":[" + releases + "]}");
            }
        }
        double[] sorted = millis.stream().mapToDouble(Double::doubleValue).toArray();
        Arrays.sort(sorted);
        double median = sorted[sorted.length / 2];
        System.out.printf(Locale.ROOT, "%-8s items=%3d median=%6.2f ms p90=%6.2f ms", name, got, median, sorted[sorted.length * 9 / 10]);
        return median;
    }

    private String post(String path, String body) throws IOException, InterruptedException {
        return http.send(
                        HttpRequest.newBuilder(URI.create(options.get("url") + path))
                                .header("authorization", "Bearer " + options.get("key"))
                                .header("content-type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(body))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
