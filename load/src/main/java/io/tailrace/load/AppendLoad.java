package io.tailrace.load;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Single appends over HTTP (PERF-2), from one event loop. Makes its conversations first; then, round by round, a line each.
 *
 * <pre>
 * --url … --key … [--connections 64 --conversations 1000 --seconds 8 --warmup 6 --rounds 1 --keyed yes --text 100]
 * [--rate 4000]       as many a second, whatever the answers take; else each connection as fast as it is answered
 * [--bulk 500]        lines a request, NDJSON; else one activity a request
 * [--path /v1/conversations/none]   GET this instead, whatever it answers: a route that does nothing but let its caller in
 * </pre>
 *
 * With {@code --rate} a latency counts from when the request was due, so that a stall is not hidden by the requests that it kept
 * from being sent.
 */
public final class AppendLoad {
    private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    private final Map<String, String> options;
    private final HttpClient client;
    private final URI url;
    private final String filler;
    private final String run = Long.toString(System.nanoTime(), 36);
    private final List<String> conversations = new ArrayList<>();
    private int number;

    private AppendLoad(Map<String, String> options) {
        this.options = options;
        this.url = URI.create(options.getOrDefault("url", "http://127.0.0.1:8080"));
        this.filler = "x".repeat(option("text", 100));
        this.client = vertx.httpClientBuilder()
                .with(new HttpClientOptions().setKeepAlive(true))
                .with(new PoolOptions().setHttp1MaxSize(option("connections", 64)).setMaxWaitQueueSize(200_000))
                .build();
    }

    public static void main(String[] args) throws Exception {
        Map<String, String> options = new HashMap<>();
        for (int i = 0; i + 1 < args.length; i += 2) {
            options.put(args[i].substring(2), args[i + 1]);
        }
        AppendLoad load = new AppendLoad(options);
        load.await(load.makeConversations(), 60);
        for (int round = 0; round < load.option("rounds", 1); round++) {
            Run measured = new Run();
            load.await(load.options.containsKey("rate") ? load.open(measured) : load.closed(measured), 600);
            load.print(measured);
        }
        load.await(load.vertx.close(), 10);
    }

    private <T> T await(Future<T> future, int seconds) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(seconds, TimeUnit.SECONDS);
    }

    private int option(String name, int otherwise) {
        return Integer.parseInt(options.getOrDefault(name, Integer.toString(otherwise)));
    }

    /** What a round came to; all on the one event loop. */
    private static final class Run {
        final List<Long> latencies = new ArrayList<>();
        final Map<Integer, Integer> statuses = new HashMap<>();
        long stored;
        long failed;
    }

    private Future<Integer> send(HttpMethod method, String path, String type, String body) {
        RequestOptions request = new RequestOptions()
                .setHost(url.getHost())
                .setPort(url.getPort())
                .setMethod(method)
                .setURI(path)
                .putHeader("authorization", "Bearer " + options.get("key"))
                .putHeader("content-type", type);
        return client.request(request)
                .compose(opened -> method == HttpMethod.GET ? opened.send() : opened.send(body))
                .compose(answer -> answer.body().map(text -> answer.statusCode()));
    }

    private Future<Void> makeConversations() {
        Promise<Void> made = Promise.promise();
        vertx.runOnContext(begin -> makeNext(made));
        return made.future();
    }

    private void makeNext(Promise<Void> made) {
        if (conversations.size() == option("conversations", 1_000)) {
            made.complete();
            return;
        }
        String id = java.util.UUID.randomUUID().toString();
        send(HttpMethod.POST, "/v1/conversations", "application/json", "{\"id\":\"" + id + "\",\"metadata\":{\"run\":\"" + run + "\"}}")
                .onFailure(made::tryFail)
                .onSuccess(status -> {
                    if (status != 201) {
                        made.tryFail("a conversation was answered with " + status);
                        return;
                    }
                    conversations.add(id);
                    makeNext(made);
                });
    }

    private String activity(boolean withConversation) {
        int n = number++;
        return "{" + (withConversation ? "\"conversation_id\":\"" + conversations.get(n % conversations.size()) + "\"," : "")
                + "\"type\":\"message\",\"sender\":\"user-" + n % 50 + "\",\"text\":\"" + filler
                + "\",\"attachments\":[],\"metadata\":{\"lang\":\"en\",\"n\":" + n + "}"
                + (options.getOrDefault("keyed", "yes").equals("yes") ? ",\"idempotency_key\":\"" + run + ":" + n + "\"}" : "}");
    }

    private Future<Integer> one() {
        if (options.containsKey("path")) {
            return send(HttpMethod.GET, options.get("path"), "application/json", "");
        }
        int lines = option("bulk", 0);
        if (lines > 0) {
            StringBuilder body = new StringBuilder(lines * 300);
            for (int i = 0; i < lines; i++) {
                body.append(activity(true)).append('\n');
            }
            return send(HttpMethod.POST, "/v1/activities", "application/x-ndjson", body.toString());
        }
        String conversation = conversations.get(number % conversations.size());
        return send(HttpMethod.POST, "/v1/conversations/" + conversation + "/activities", "application/json", activity(false));
    }

    private Future<Void> closed(Run measured) {
        long warmUntil = System.nanoTime() + TimeUnit.SECONDS.toNanos(option("warmup", 6));
        long until = warmUntil + TimeUnit.SECONDS.toNanos(option("seconds", 8));
        List<Future<Void>> loops = new ArrayList<>();
        for (int c = 0; c < option("connections", 64); c++) {
            Promise<Void> ended = Promise.promise();
            vertx.runOnContext(begin -> loop(measured, warmUntil, until, ended));
            loops.add(ended.future());
        }
        return Future.all(loops).mapEmpty();
    }

    private void loop(Run measured, long warmUntil, long until, Promise<Void> ended) {
        long sent = System.nanoTime();
        if (sent >= until) {
            ended.complete();
            return;
        }
        one().onComplete(answer -> {
            count(measured, answer, sent, warmUntil, until);
            loop(measured, warmUntil, until, ended);
        });
    }

    /** At a rate of its own: a millisecond's worth at a time. */
    private Future<Void> open(Run measured) {
        long began = System.nanoTime();
        long warmUntil = began + TimeUnit.SECONDS.toNanos(option("warmup", 6));
        long until = warmUntil + TimeUnit.SECONDS.toNanos(option("seconds", 8));
        double everyNanos = 1e9 / option("rate", 1_000);
        Promise<Void> ended = Promise.promise();
        long[] sent = {0};
        int[] open = {0};
        vertx.runOnContext(begin -> vertx.setPeriodic(1, timer -> {
            long now = System.nanoTime();
            while (now < until && began + (long) (sent[0] * everyNanos) <= now) {
                long due = began + (long) (sent[0]++ * everyNanos);
                open[0]++;
                one().onComplete(answer -> {
                    open[0]--;
                    count(measured, answer, due, warmUntil, until);
                });
            }
            if (now >= until && open[0] == 0) {
                vertx.cancelTimer(timer);
                ended.complete();
            }
        }));
        return ended.future();
    }

    private void count(Run measured, io.vertx.core.AsyncResult<Integer> answer, long since, long warmUntil, long until) {
        long now = System.nanoTime();
        if (now < warmUntil || since >= until) {
            return;
        }
        if (answer.failed()) {
            measured.failed++;
            return;
        }
        measured.statuses.merge(answer.result(), 1, Integer::sum);
        if ((answer.result() < 300 || options.containsKey("path")) && now < until) {
            measured.latencies.add(now - since);
            measured.stored += Math.max(1, option("bulk", 0));
        }
    }

    private void print(Run measured) {
        measured.latencies.sort(Long::compare);
        System.out.printf(
                Locale.ROOT,
                "%s rate=%.0f/s p50=%.1f ms p99=%.1f ms max=%.1f ms answers=%s unanswered=%d%n",
                options.containsKey("path") ? "nothing" : option("bulk", 0) > 0 ? "bulk of " + option("bulk", 0) : "append",
                measured.stored / (double) option("seconds", 8),
                at(measured, 0.5),
                at(measured, 0.99),
                at(measured, 1),
                measured.statuses,
                measured.failed);
    }

    private static double at(Run measured, double share) {
        int last = measured.latencies.size() - 1;
        return last < 0 ? Double.NaN : measured.latencies.get((int) (last * share)) / 1e6;
    }
}
