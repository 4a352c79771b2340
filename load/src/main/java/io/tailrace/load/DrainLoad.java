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
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The outbox over HTTP in two phases, as job queues are measured: everything is enqueued, then everything is drained (claim,
 * start, settle). From one event loop, like {@link OutboxLoad}.
 *
 * <pre>
 * --url … --key … [--parts 20000 --keys 1000 --batch 1 --lines 1000 --producers 4 --claimers 4 --limit 256 --payload 200 --warmup 5000]
 * [--enqueue-only yes] [--start-with-claim yes]
 * </pre>
 *
 * {@code --keys} 0 gives each part a key of its own. With {@code --lines} a request is NDJSON of as many batches; 0 sends one
 * batch a request. A producer has keys of its own, so that the order of a key is the order in which one producer sent it.
 */
public final class DrainLoad {
    private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    private final HttpClient client;
    private final Map<String, String> options;
    private final URI url;

    private DrainLoad(Map<String, String> options) {
        this.options = options;
        this.url = URI.create(options.getOrDefault("url", "http://127.0.0.1:8080"));
        this.client = vertx.httpClientBuilder()
                .with(new HttpClientOptions().setKeepAlive(true))
                .with(new PoolOptions().setHttp1MaxSize(256))
                .build();
    }

    public static void main(String[] args) throws Exception {
        Map<String, String> options = new HashMap<>();
        for (int i = 0; i + 1 < args.length; i += 2) {
            options.put(args[i].substring(2), args[i + 1]);
        }
        DrainLoad load = new DrainLoad(options);
        if (load.option("warmup", 5_000) > 0) {
            // Over many keys: with few, a warm-up takes as long as a measurement.
            load.run(load.option("warmup", 5_000), Math.max(1_000, load.option("keys", 1_000)));
        }
        for (int round = 0; round < load.option("rounds", 1); round++) {
            System.out.println(load.run(load.option("parts", 20_000), load.option("keys", 1_000)).line());
        }
        load.vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    private int option(String name, int otherwise) {
        return Integer.parseInt(options.getOrDefault(name, Integer.toString(otherwise)));
    }

    /** @param keys 0: a key a part */
    private Run run(int parts, int keys) throws Exception {
        Run run = new Run(parts, keys == 0 ? parts : keys);
        Promise<Void> ended = Promise.promise();
        vertx.runOnContext(begin -> run.start().onComplete(ended));
        ended.future().toCompletionStage().toCompletableFuture().get(10, TimeUnit.MINUTES);
        return run;
    }

    private Future<Buffer> post(String path, String type, String body) {
        RequestOptions request = new RequestOptions()
                .setHost(url.getHost())
                .setPort(url.getPort())
                .setMethod(HttpMethod.POST)
                .setURI(path)
                .putHeader("authorization", "Bearer " + options.get("key"))
                .putHeader("content-type", type);
        return client.request(request)
                .compose(opened -> opened.send(body))
                .compose(answer -> answer.body().compose(text -> {
                    if (answer.statusCode() == 200 || answer.statusCode() == 201) {
                        return Future.succeededFuture(text);
                    }
                    String said = text.toString();
                    return Future.failedFuture(
                            path + " " + answer.statusCode() + " " + said.substring(0, Math.min(300, said.length())));
                }));
    }

    /** One enqueue of everything and one drain of it, all on the one event loop. */
    private final class Run {
        final int parts;
        final int keys;
        final int batch = option("batch", 1);
        final int lines = option("lines", 1_000);
        final String name = Long.toString(System.nanoTime(), 36);
        final String filler = "x".repeat(Math.max(0, option("payload", 200) - 60));
        final int[] last;
        final boolean[] inFlight;
        final Set<Integer> seen = new HashSet<>();
        double enqueueSeconds;
        long drainBegan;
        double drainSeconds;
        int settled;
        int outOfOrder;
        int together;
        int doubled;

        Run(int parts, int keys) {
            this.parts = parts;
            this.keys = keys;
            this.last = new int[keys];
            this.inFlight = new boolean[keys];
        }

        Future<Void> start() {
            long began = System.nanoTime();
            int producers = Math.min(option("producers", 4), keys);
            List<Future<Void>> loops = new ArrayList<>();
            for (int p = 0; p < producers; p++) {
                List<Integer> numbers = new ArrayList<>();
                for (int i = 0; i < parts; i++) {
                    if (keyOf(i) % producers == p) {
                        numbers.add(i);
                    }
                }
                loops.add(produce(numbers, 0));
            }
            return Future.all(loops)
                    .compose(enqueued -> {
                        enqueueSeconds = (System.nanoTime() - began) / 1e9;
                        return options.containsKey("enqueue-only") ? Future.<Void>succeededFuture() : drain();
                    });
        }

        /** As if by chance, but the same as load/peers gives everybody (murmur3's last step). */
        int keyOf(int i) {
            int h = i + 1;
            h = (h ^ (h >>> 16)) * 0x85ebca6b;
            h = (h ^ (h >>> 13)) * 0xc2b2ae35;
            return keys == parts ? i : ((h ^ (h >>> 16)) >>> 1) % keys;
        }

        Future<Void> produce(List<Integer> numbers, int from) {
            if (from >= numbers.size()) {
                return Future.succeededFuture();
            }
            int to = Math.min(numbers.size(), from + batch * Math.max(1, lines));
            StringBuilder body = new StringBuilder((to - from) * 450);
            for (int at = from; at < to; at += batch) {
                writeBatch(body, numbers.subList(at, Math.min(to, at + batch)));
            }
            return post("/v1/outbox/batches", lines == 0 ? "application/json" : "application/x-ndjson", body.toString())
                    .compose(answer -> produce(numbers, to));
        }

        void writeBatch(StringBuilder body, List<Integer> numbers) {
            body.append("{\"batch_id\":\"").append(name).append(':').append(numbers.get(0)).append("\",\"parts\":[");
            char before = ' ';
            for (int number : numbers) {
                int key = keyOf(number);
                body.append(before)
                        .append("{\"bot_id\":\"7\",\"chat_id\":\"")
                        .append(key)
                        .append("\",\"ordering_key\":\"")
                        .append(name)
                        .append(':')
                        .append(key)
                        .append("\",\"method_kind\":\"sendMessage\",\"payload_version\":1,\"payload\":{\"chat_id\":")
                        .append(key)
                        .append(",\"n\":")
                        .append(number + 1)
                        .append(",\"text\":\"")
                        .append(filler)
                        .append("\"},\"delivery_policy\":\"target_idempotent\"}");
                before = ',';
            }
            body.append("]}\n");
        }

        Future<Void> drain() {
            drainBegan = System.nanoTime();
            List<Future<Void>> loops = new ArrayList<>();
            for (int c = 0; c < option("claimers", 4); c++) {
                Promise<Void> ended = Promise.promise();
                claim(c, ended);
                loops.add(ended.future());
            }
            return Future.all(loops).mapEmpty();
        }

        void claim(int claimer, Promise<Void> ended) {
            if (settled >= parts) {
                ended.complete();
                return;
            }
            String body = "{\"worker_id\":\"drain-" + claimer + "\",\"limit\":" + option("limit", 256) + ",\"wait_seconds\":1"
                    + (options.containsKey("start-with-claim") ? ",\"start\":true}" : "}");
            post("/v1/outbox/claims", "application/json", body)
                    .compose(answer -> work(answer.toString()))
                    .onFailure(ended::tryFail)
                    .onSuccess(done -> claim(claimer, ended));
        }

        Future<Void> work(String answer) {
            StringBuilder starts = new StringBuilder("{\"items\":[");
            StringBuilder settlements = new StringBuilder("{\"items\":[");
            List<Integer> claimed = new ArrayList<>();
            int at = 0;
            while ((at = answer.indexOf("{\"id\":\"", at)) >= 0) {
                int keyAt = answer.indexOf("\"ordering_key\":\"", at) + 16;
                String[] key = answer.substring(keyAt, answer.indexOf('"', keyAt)).split(":");
                if (key[0].equals(name)) {
                    claimed.add(taken(Integer.parseInt(key[1]), (int) number(answer, "\"n\":", keyAt)));
                }
                String item = (starts.length() > 10 ? "," : "") + "{\"id\":\"" + answer.substring(at + 7, answer.indexOf('"', at + 7))
                        + "\",\"lease_token\":" + number(answer, "\"lease_token\":", at);
                starts.append(item).append('}');
                settlements.append(item).append(",\"outcome\":\"delivered\",\"message_ids\":[\"1\"]}");
                at = keyAt;
            }
            if (starts.length() == 10) {
                return Future.succeededFuture();
            }
            return (options.containsKey("start-with-claim")
                            ? Future.succeededFuture()
                            : post("/v1/outbox/starts", "application/json", starts.append("]}").toString()))
                    .compose(started -> {
                        claimed.forEach(key -> inFlight[key] = false);
                        return post("/v1/outbox/settlements", "application/json", settlements.append("]}").toString());
                    })
                    .onSuccess(ended -> {
                        settled += claimed.size();
                        // Not when the last long poll ends.
                        drainSeconds = (System.nanoTime() - drainBegan) / 1e9;
                    })
                    .mapEmpty();
        }

        /** The key is free again once its settlement is on its way: the next claim may be answered before this one's answer is read. */
        int taken(int key, int number) {
            together += inFlight[key] ? 1 : 0;
            inFlight[key] = true;
            outOfOrder += number <= last[key] ? 1 : 0;
            last[key] = number;
            doubled += seen.add(number) ? 0 : 1;
            return key;
        }

        String line() {
            return String.format(
                    Locale.ROOT,
                    "{\"peer\":\"tailrace\",\"enqueue\":%.0f,\"drain\":%.0f,\"cycle\":%.0f,\"order\":%d,\"together\":%d,\"doubled\":%d,\"left\":%d}",
                    parts / enqueueSeconds,
                    settled == 0 ? 0 : settled / drainSeconds,
                    parts / (enqueueSeconds + drainSeconds),
                    outOfOrder,
                    together,
                    doubled,
                    parts - settled);
        }
    }

    private static long number(String text, String name, int from) {
        int at = text.indexOf(name, from) + name.length();
        while (text.charAt(at) == ' ') {
            at++;
        }
        int end = at;
        while (Character.isDigit(text.charAt(end))) {
            end++;
        }
        return Long.parseLong(text.substring(at, end));
    }
}
