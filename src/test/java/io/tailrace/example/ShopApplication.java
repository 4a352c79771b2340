package io.tailrace.example;

import io.tailrace.app.EmbeddedTailrace;
import io.tailrace.app.EmbeddingOptions;
import io.tailrace.bus.BusProblem;
import io.tailrace.bus.OutboxAddresses;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Set;
import java.util.function.Function;

/** A shop that tells its customers by chat what becomes of their orders. */
public final class ShopApplication extends VerticleBase {
    private static final String BOT = "7";
    private static final int WAIT_SECONDS = 20;
    private static final Set<String> ASK_AGAIN = Set.of("overloaded", "database_unavailable", "outcome_unknown");

    private final JsonObject settings;
    private final Function<JsonObject, Future<JsonObject>> telegram;
    private boolean stopping;

    /**
     * @param settings of Tailrace: {@code {"database": {"host": …, "name": …, "user": …, "password": …}}}
     * @param telegram sends a payload and answers with Telegram's message
     */
    public ShopApplication(JsonObject settings, Function<JsonObject, Future<JsonObject>> telegram) {
        this.settings = settings;
        this.telegram = telegram;
    }

    @Override
    public Future<?> start() {
        // Deployed from a verticle, Tailrace is its child: it ends with it, in order, before stop() is called here.
        return EmbeddedTailrace.deploy(vertx, EmbeddingOptions.of(settings))
                .compose(EmbeddedTailrace::ready)
                .onSuccess(ready -> sendNext());
    }

    @Override
    public Future<?> stop() {
        stopping = true;
        return Future.succeededFuture();
    }

    /** Completes when the message is stored. From then on it goes out, whatever becomes of this process. */
    public Future<Void> tell(String order, long chat, String text, int tries) {
        JsonObject part = new JsonObject()
                .put("bot_id", BOT)
                .put("chat_id", chat)
                .put("ordering_key", "chat:" + chat)
                .put("method_kind", "sendMessage")
                .put("payload", new JsonObject().put("chat_id", chat).put("text", text));
        JsonObject batch = new JsonObject().put("batch_id", "order:" + order).put("parts", new JsonArray().add(part));
        return ask(OutboxAddresses.ENQUEUE, batch).<Void>mapEmpty().recover(cause -> {
            // No problem means no answer: nobody knows whether it was stored, and the batch's name makes it safe to ask
            // again.
            boolean again = BusProblem.of(cause)
                    .map(problem -> ASK_AGAIN.contains(problem.code()))
                    .orElse(true);
            return again && tries > 1
                    ? vertx.timer(500).compose(waited -> tell(order, chat, text, tries - 1))
                    : Future.failedFuture(cause);
        });
    }

    private void sendNext() {
        JsonObject claim = new JsonObject()
                .put("worker_id", "shop")
                .put("bot_ids", new JsonArray().add(BOT))
                .put("limit", 10)
                .put("wait_seconds", WAIT_SECONDS);
        ask(OutboxAddresses.CLAIM, claim)
                .compose(claimed -> Future.join(claimed.body().getJsonArray("items").stream()
                        .map(item -> send((JsonObject) item))
                        .toList()))
                .onSuccess(sent -> again(1))
                .onFailure(cause -> again(1_000));
    }

    private void again(long millis) {
        if (!stopping) {
            vertx.setTimer(millis, fired -> sendNext());
        }
    }

    private Future<?> send(JsonObject item) {
        JsonObject lease =
                new JsonObject().put("id", item.getString("id")).put("lease_token", item.getLong("lease_token"));
        return ask(OutboxAddresses.START, items(lease)).compose(started -> {
            if (!"200".equals(started.headers().get(OutboxAddresses.STATUS_HEADER))) {
                // The lease is lost: whoever has it now sends the part.
                return Future.succeededFuture();
            }
            return telegram.apply(item.getJsonObject("payload"))
                    .map(message -> lease.copy()
                            .put("outcome", "delivered")
                            .put("message_ids", new JsonArray().add(message.getLong("message_id"))))
                    // It may have gone out. What then happens is the part's delivery policy's affair.
                    .otherwise(cause -> lease.copy().put("outcome", "ambiguous").put("error", cause.getMessage()))
                    .compose(outcome -> ask(OutboxAddresses.SETTLE, items(outcome)));
        });
    }

    private static JsonObject items(JsonObject item) {
        return new JsonObject().put("items", new JsonArray().add(item));
    }

    private Future<Message<JsonObject>> ask(String address, JsonObject body) {
        // Longer than the longest wait for work, or the answer finds nobody.
        return vertx.eventBus()
                .request(address, body, new DeliveryOptions().setSendTimeout((WAIT_SECONDS + 10) * 1_000L));
    }
}
