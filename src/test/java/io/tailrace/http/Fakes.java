package io.tailrace.http;

import io.tailrace.activity.ActivityLog;
import io.tailrace.activity.ActivityService;
import io.tailrace.activity.ConversationService;
import io.tailrace.activity.LiveConversations;
import io.tailrace.outbox.Batch;
import io.tailrace.outbox.Blobs;
import io.tailrace.outbox.Claim;
import io.tailrace.outbox.DeliveryPolicy;
import io.tailrace.outbox.PartId;
import io.tailrace.outbox.PartQueries;
import io.tailrace.outbox.PartState;
import io.tailrace.outbox.PartView;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What the edge stands on when no database is wanted, and examples of what comes from there. */
final class Fakes {
    /** For tests that ask nothing of it. */
    static final ActivityLog LOG = new ActivityLog(
            unasked(ActivityService.class), unasked(ConversationService.class), unasked(LiveConversations.class));

    private Fakes() {}

    private static <T> T unasked(Class<T> service) {
        return service.cast(Proxy.newProxyInstance(
                service.getClassLoader(),
                new Class<?>[] {service},
                (proxy, method, arguments) -> Future.failedFuture("not to be asked: " + method)));
    }

    /** Lists what it was given, as a store would. */
    static final class Parts implements PartQueries {
        final List<PartView> all = new CopyOnWriteArrayList<>();
        volatile @Nullable Selection asked;

        @Override
        public Future<List<PartView>> list(UUID tenant, Selection selection, boolean withContent) {
            asked = selection;
            PartId before = selection.before();
            return Future.succeededFuture(all.stream()
                    .filter(part -> selection.state() == null || part.state() == selection.state())
                    .filter(part -> before == null || part.id().id() < before.id())
                    .limit(selection.limit())
                    .toList());
        }

        @Override
        public Future<Optional<Duration>> oldestClaimable(UUID tenant) {
            return Future.succeededFuture(Optional.of(Duration.ofMillis(1_500)));
        }
    }

    /** Keeps blobs in memory. */
    static final class Memory implements Blobs {
        final Map<String, Buffer> kept = new ConcurrentHashMap<>();

        @Override
        public Future<Boolean> put(UUID tenant, String sha256, String mediaType, Buffer bytes) {
            return Future.succeededFuture(kept.putIfAbsent(sha256, bytes) == null);
        }

        @Override
        public Future<Optional<Description>> describe(UUID tenant, String sha256) {
            return Future.succeededFuture(Optional.ofNullable(kept.get(sha256))
                    .map(bytes -> new Description(sha256, "image/jpeg", bytes.length())));
        }

        @Override
        public Future<Void> read(UUID tenant, Description blob, Function<Buffer, Future<Void>> sink) {
            Buffer bytes = kept.get(blob.sha256());
            return bytes == null ? Future.failedFuture("collected") : sink.apply(bytes);
        }
    }

    static Claim.Item claimed(long id, String payload) {
        return new Claim.Item(
                new PartId(id, FakeOutbox.CREATED),
                1,
                1,
                FakeOutbox.CREATED.plusSeconds(90),
                "b",
                0,
                "tgop:v1:0",
                "7",
                "-1001",
                null,
                "k",
                "sendMessage",
                1,
                payload,
                new Batch.Blob("0".repeat(64), "image/jpeg", null),
                DeliveryPolicy.CREATE,
                0,
                null,
                null);
    }

    static PartView part(long id, String botId, PartState state) {
        return new PartView(
                new PartId(id, FakeOutbox.CREATED),
                "tgop:v1:0",
                "b",
                0,
                botId,
                "1001",
                null,
                "k",
                null,
                null,
                null,
                "sendMessage",
                1,
                "{\"text\":\"secret\"}",
                null,
                DeliveryPolicy.CREATE,
                false,
                0,
                state,
                FakeOutbox.CREATED,
                null,
                1,
                0,
                0,
                null,
                1,
                null,
                null,
                "transient",
                "no answer",
                null,
                "{\"message_id\":5}",
                List.of("5"),
                null,
                FakeOutbox.CREATED,
                null);
    }
}
