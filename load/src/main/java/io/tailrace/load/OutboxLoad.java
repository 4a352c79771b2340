package io.tailrace.load;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Load on the outbox over HTTP, from one event loop, so that the generator takes as little as it can of the machine it
 * shares with the service.
 *
 * <pre>
 * enqueue  --url … --key … --connections 64 --seconds 10            single-part batches as fast as they are answered
 * cycle    --url …[,…] --key … --parts 10000 --keys 1000 --claimers 8 --limit 100 --connections 64
 *          enqueue one part a batch, claim, start, settle; checks order and doubles on the way
 * </pre>
 */
public final class OutboxLoad {
    private final Vertx vertx;
    private final HttpClient client;
    private final List<Target> targets;
    private final String key;
    private final Map<String, String> options;
    private String run = "";

    private record Target(String host, int port) {}

    private OutboxLoad(Map<String, String> options) {
        this.options = options;
        this.key = options.getOrDefault("key", "");
        this.targets = Arrays.stream(options.getOrDefault("url", "http://127.0.0.1:8080").split(","))
                .map(java.net.URI::create)
                .map(uri -> new Target(uri.getHost(), uri.getPort()))
                .toList();
        this.vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
        this.client = vertx.httpClientBuilder()
                .with(new HttpClientOptions().setKeepAlive(true))
                .with(new PoolOptions().setHttp1MaxSize(2_000))
                .build();
    }

    public static void main(String[] args) throws Exception {
        Map<String, String> options = new HashMap<>();
        for (int i = 1; i + 1 < args.length; i += 2) {
            options.put(args[i].substring(2), args[i + 1]);
        }
        OutboxLoad load = new OutboxLoad(options);
        // The first round also warms up both sides; what counts are the later ones.
        for (int round = 0; round < load.option("rounds", 1); round++) {
            load.run = Long.toString(System.currentTimeMillis(), 36);
            Future<Void> done = args.length > 0 && args[0].equals("enqueue") ? load.enqueue() : load.cycle();
            done.toCompletionStage().toCompletableFuture().get(10, TimeUnit.MINUTES);
        }
        load.vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    private int option(String name, int otherwise) {
        return Integer.parseInt(options.getOrDefault(name, Integer.toString(otherwise)));
    }

    private Future<Buffer> post(int target, String path, String body, long[] statuses) {
        Target to = targets.get(target % targets.size());
        RequestOptions request = new RequestOptions()
                .setHost(to.host())
                .setPort(to.port())
                .setMethod(HttpMethod.POST)
                .setURI(path)
                .putHeader("authorization", "Bearer " + key)
                .putHeader("content-type", "application/json");
        return client.request(request)
                .compose(opened -> opened.send(body))
                .compose(answer -> {
                    statuses[answer.statusCode() / 100]++;
                    return answer.body().compose(text -> answer.statusCode() < 300
                            ? Future.succeededFuture(text)
                            : Future.failedFuture(answer.statusCode() + " " + text));
                });
    }

    private int complaints;

    /** Says what went wrong, and gives up when it goes on. */
    private void complain(String what, Throwable cause) {
        System.err.println(what + ": " + cause.getMessage());
        if (++complaints >= 20) {
            System.err.println("giving up");
            System.exit(1);
        }
    }

    private String batch(int number, int orderingKey) {
        String filler = "x".repeat(Math.max(0, option("payload", 200) - 40));
        return "{\"batch_id\":\"" + run + ":" + orderingKey + ":" + number + "\",\"parts\":[{\"bot_id\":\"7\",\"chat_id\":\""
                + orderingKey + "\",\"ordering_key\":\"" + run + ":" + orderingKey
                + "\",\"method_kind\":\"sendMessage\",\"payload_version\":1,\"payload\":{\"chat_id\":" + orderingKey
                + ",\"text\":\"" + filler + "\"},\"delivery_policy\":\"target_idempotent\"}]}";
    }

    private Future<Void> enqueue() {
        int connections = option("connections", 64);
        int keys = option("keys", 1_000);
        long warmUntil = System.nanoTime() + TimeUnit.SECONDS.toNanos(option("warmup", 3));
        long until = warmUntil + TimeUnit.SECONDS.toNanos(option("seconds", 10));
        long[] statuses = new long[6];
        List<Long> latencies = new ArrayList<>();
        int[] next = {0};
        List<Future<Void>> loops = new ArrayList<>();
        for (int c = 0; c < connections; c++) {
            Promise<Void> ended = Promise.promise();
            enqueueLoop(keys, warmUntil, until, statuses, latencies, next, ended);
            loops.add(ended.future());
        }
        return Future.all(loops).onSuccess(all -> {
            latencies.sort(Long::compare);
            System.out.printf(
                    Locale.ROOT,
                    "enqueue connections=%d rate=%.0f/s p50=%.1f ms p99=%.1f ms 2xx=%d 4xx=%d 5xx=%d%n",
                    connections,
                    latencies.size() / (double) option("seconds", 10),
                    latencies.get(latencies.size() / 2) / 1e6,
                    latencies.get((int) (latencies.size() * 0.99)) / 1e6,
                    statuses[2],
                    statuses[4],
                    statuses[5]);
        }).mapEmpty();
    }

    private void enqueueLoop(
            int keys, long warmUntil, long until, long[] statuses, List<Long> latencies, int[] next, Promise<Void> ended) {
        long sent = System.nanoTime();
        if (sent >= until) {
            ended.complete();
            return;
        }
        int number = next[0]++;
        post(number, "/v1/outbox/batches", batch(number, number % keys), statuses).onComplete(answer -> {
            long now = System.nanoTime();
            if (answer.succeeded() && now >= warmUntil && now < until) {
                latencies.add(now - sent);
            }
            enqueueLoop(keys, warmUntil, until, statuses, latencies, next, ended);
        });
    }

    /** What a cycle has seen, all on the one event loop. */
    private final class Cycle {
        final int parts = option("parts", 10_000);
        final int keys = option("keys", 1_000);
        final int limit = option("limit", 100);
        final long[] statuses = new long[6];
        final long[] lastOfKey = new long[keys];
        final Set<String> ids = new HashSet<>();
        final long started = System.nanoTime();
        int enqueued;
        int settled;
        double enqueueSeconds;
        double seconds;
        int settledWhileEnqueueing;
        int doubled;
        int claims;
        int emptyClaims;
        int outOfOrder;

        void enqueueLoop(Promise<Void> ended) {
            if (enqueued >= parts) {
                if (enqueueSeconds == 0) {
                    enqueueSeconds = (System.nanoTime() - started) / 1e9;
                    settledWhileEnqueueing = settled;
                }
                ended.complete();
                return;
            }
            int number = enqueued++;
            post(number, "/v1/outbox/batches", batch(number, number % keys), statuses)
                    .onFailure(cause -> complain("enqueue", cause))
                    .onComplete(answer -> enqueueLoop(ended));
        }

        void claimLoop(int claimer, Promise<Void> ended) {
            if (settled >= parts) {
                ended.complete();
                return;
            }
            claims++;
            String body = "{\"worker_id\":\"load-" + claimer + "\",\"limit\":" + limit + ",\"wait_seconds\":1}";
            post(claimer, "/v1/outbox/claims", body, statuses)
                    .compose(answer -> work(claimer, answer.toString()))
                    .onFailure(cause -> complain("claim", cause))
                    .onComplete(done -> claimLoop(claimer, ended));
        }

        Future<Void> work(int claimer, String answer) {
            StringBuilder starts = new StringBuilder("{\"items\":[");
            StringBuilder settlements = new StringBuilder("{\"items\":[");
            int count = 0;
            int at = 0;
            while ((at = answer.indexOf("\"id\":\"", at)) >= 0) {
                String id = answer.substring(at + 6, answer.indexOf('"', at + 6));
                int tokenAt = answer.indexOf("\"lease_token\":", at) + 14;
                String token = answer.substring(tokenAt, answer.indexOf(',', tokenAt));
                int batchAt = answer.indexOf("\"batch_id\":\"", at) + 12;
                seen(id, answer.substring(batchAt, answer.indexOf('"', batchAt)));
                String item = (count++ > 0 ? "," : "") + "{\"id\":\"" + id + "\",\"lease_token\":" + token;
                starts.append(item).append('}');
                settlements.append(item).append(",\"outcome\":\"delivered\",\"message_ids\":[\"1\"]}");
                at = batchAt;
            }
            if (count == 0) {
                emptyClaims++;
                return Future.succeededFuture();
            }
            int done = count;
            return post(claimer, "/v1/outbox/starts", starts.append("]}").toString(), statuses)
                    .compose(started -> post(claimer, "/v1/outbox/settlements", settlements.append("]}").toString(), statuses))
                    .onSuccess(ended -> {
                        settled += done;
                        seconds = (System.nanoTime() - started) / 1e9;
                    })
                    .mapEmpty();
        }

        /** A key's parts must come in the order of their ids, which an item's opaque id ends with. */
        private void seen(String id, String batchId) {
            String[] names = batchId.split(":");
            if (!names[0].equals(run)) {
                return;
            }
            if (!ids.add(id)) {
                doubled++;
            }
            int orderingKey = Integer.parseInt(names[1]);
            long number = ByteBuffer.wrap(Base64.getUrlDecoder().decode(id)).getLong(8);
            if (number <= lastOfKey[orderingKey]) {
                outOfOrder++;
            }
            lastOfKey[orderingKey] = number;
        }
    }

    private Future<Void> cycle() {
        Cycle cycle = new Cycle();
        List<Future<Void>> loops = new ArrayList<>();
        int connections = option("connections", 64);
        for (int c = 0; c < connections; c++) {
            Promise<Void> ended = Promise.promise();
            cycle.enqueueLoop(ended);
            loops.add(ended.future());
        }
        for (int c = 0; c < option("claimers", 8); c++) {
            Promise<Void> ended = Promise.promise();
            cycle.claimLoop(c, ended);
            loops.add(ended.future());
        }
        return Future.all(loops).onSuccess(all -> {
            System.out.printf(
                    Locale.ROOT,
                    "cycle parts=%d keys=%d limit=%d claimers=%d rate=%.0f parts/s enqueued_in=%.1fs settled_by_then=%d claims=%d empty=%d out_of_order=%d doubled=%d"
                            + " 2xx=%d 4xx=%d 5xx=%d%n",
                    cycle.parts,
                    cycle.keys,
                    cycle.limit,
                    option("claimers", 8),
                    cycle.parts / cycle.seconds,
                    cycle.enqueueSeconds,
                    cycle.settledWhileEnqueueing,
                    cycle.claims,
                    cycle.emptyClaims,
                    cycle.outOfOrder,
                    cycle.doubled,
                    cycle.statuses[2],
                    cycle.statuses[4],
                    cycle.statuses[5]);
        }).mapEmpty();
    }
}
