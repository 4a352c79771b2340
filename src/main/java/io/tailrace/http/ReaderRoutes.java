package io.tailrace.http;

import io.tailrace.outbox.OutboxOperator;
import io.tailrace.outbox.OutboxService;
import io.tailrace.outbox.PartId;
import io.tailrace.outbox.PartQueries;
import io.tailrace.outbox.PartState;
import io.tailrace.outbox.PartView;
import io.tailrace.tenant.Scope;
import io.tailrace.wire.OperatorWriter;
import io.tailrace.wire.PartCursor;
import io.tailrace.wire.PartViewWriter;
import io.tailrace.wire.Problem;
import io.tailrace.wire.ProblemCode;
import io.tailrace.wire.Rejection;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Looking at parts. Payloads, blobs and receipts are shown only when they are asked for by {@code include}. */
final class ReaderRoutes {
    private static final int DEFAULT_LIMIT = 100;
    private static final int MAX_LIMIT = 500;
    private static final List<String> STATES =
            Arrays.stream(PartState.values()).map(PartState::wire).toList();
    private static final Set<Scope> LOOK = Set.of(Scope.OUTBOX, Scope.OPERATE);

    private final OutboxService outbox;
    private final PartQueries parts;

    ReaderRoutes(OutboxService outbox, PartQueries parts) {
        this.outbox = outbox;
        this.parts = parts;
    }

    List<Route> routes() {
        return List.of(
                new Route(HttpMethod.GET, "/v1/outbox/batches/{batch_id}", LOOK, this::batch),
                new Route(HttpMethod.GET, "/v1/outbox/items", Set.of(Scope.OPERATE), this::list),
                new Route(HttpMethod.GET, "/v1/outbox/items/{id}", LOOK, this::item),
                new Route(HttpMethod.GET, "/v1/outbox/items/{id}/attempts", LOOK, this::attempts),
                new Route(HttpMethod.GET, "/v1/outbox/stats", LOOK, this::stats));
    }

    private void batch(Exchange exchange) {
        exchange.query(List.of());
        String batchId = exchange.path("batch_id");
        exchange.answer(outbox.batch(exchange.tenant(), batchId), found -> {
            List<PartView> visible = found.stream()
                    .filter(part -> exchange.caller().mayUse(part.botId()))
                    .toList();
            if (visible.isEmpty()) {
                throw notFound("there is no such batch within the horizon of idempotency");
            }
            exchange.json(200, out -> {
                out.writeStartObject();
                out.writeStringField("batch_id", batchId);
                PartViewWriter.parts(out, "parts", visible, Set.of());
                out.writeEndObject();
            });
        });
    }

    private void item(Exchange exchange) {
        Set<String> include = exchange.query(List.of("include")).names("include", PartViewWriter.INCLUDABLE);
        PartId id = partId(exchange);
        exchange.answer(outbox.item(exchange.tenant(), id, !include.isEmpty()), found -> {
            PartView part = visible(exchange, found);
            exchange.json(200, out -> PartViewWriter.part(out, part, include));
        });
    }

    private void attempts(Exchange exchange) {
        exchange.query(List.of());
        PartId id = partId(exchange);
        UUID tenant = exchange.tenant();
        // A key bound to bots must not learn what other bots' parts went through.
        Future<Optional<List<PartView.Attempt>>> found = exchange.caller().botIds() == null
                ? outbox.attempts(tenant, id)
                : outbox.item(tenant, id, false).compose(part -> {
                    visible(exchange, part);
                    return outbox.attempts(tenant, id);
                });
        exchange.answer(found, it -> {
            List<PartView.Attempt> attempts = it.orElseThrow(ReaderRoutes::noPart);
            exchange.json(200, out -> {
                out.writeStartObject();
                out.writeArrayFieldStart("items");
                for (PartView.Attempt attempt : attempts) {
                    PartViewWriter.attempt(out, attempt);
                }
                out.writeEndArray();
                out.writeEndObject();
            });
        });
    }

    private void list(Exchange exchange) {
        Query query = exchange.query(List.of("state", "limit", "cursor", "include"));
        PartState state = state(query.text("state"));
        int limit = query.number("limit", DEFAULT_LIMIT, 1, MAX_LIMIT);
        Set<String> include = query.names("include", PartViewWriter.INCLUDABLE);
        Set<String> botIds = exchange.caller().botIds();
        String list = exchange.tenant() + "\n" + state + "\n" + (botIds == null ? "" : new TreeSet<>(botIds));
        String cursor = query.text("cursor");
        PartId before = cursor == null ? null : before(cursor, list);
        // One more than is shown tells whether there is more.
        Future<List<PartView>> found = parts.list(
                exchange.tenant(), new PartQueries.Selection(state, botIds, before, limit + 1), !include.isEmpty());
        exchange.answer(found, all -> {
            List<PartView> shown = all.subList(0, Math.min(limit, all.size()));
            String next =
                    all.size() > limit ? PartCursor.of(shown.get(limit - 1).id(), list) : null;
            exchange.json(200, out -> {
                out.writeStartObject();
                PartViewWriter.parts(out, "items", shown, include);
                out.writeStringField("next", next);
                out.writeEndObject();
            });
        });
    }

    private void stats(Exchange exchange) {
        exchange.query(List.of());
        UUID tenant = exchange.tenant();
        Future<Map<PartState, Long>> depth = outbox.depth(tenant);
        Future<Optional<Duration>> oldest = parts.oldestClaimable(tenant);
        Future<List<OutboxOperator.Pause>> pauses =
                outbox.operator().pauses(tenant, exchange.caller().botIds());
        exchange.answer(
                Future.all(depth, oldest, pauses),
                both -> exchange.json(200, out -> {
                    out.writeStartObject();
                    out.writeObjectFieldStart("depth");
                    for (PartState state : PartState.IN_FLIGHT) {
                        out.writeNumberField(state.wire(), depth.result().getOrDefault(state, 0L));
                    }
                    out.writeEndObject();
                    Optional<Duration> age = oldest.result();
                    if (age.isPresent()) {
                        out.writeNumberField(
                                "oldest_claimable_age_ms", age.get().toMillis());
                    } else {
                        out.writeNullField("oldest_claimable_age_ms");
                    }
                    OperatorWriter.pauses(out, "paused_bots", pauses.result());
                    out.writeEndObject();
                }));
    }

    private static @Nullable PartState state(@Nullable String text) {
        if (text == null) {
            return null;
        }
        if (!STATES.contains(text)) {
            throw Query.invalid("state", "must be one of " + String.join(", ", STATES));
        }
        return PartState.of(text);
    }

    private static PartId before(String cursor, String list) {
        return PartCursor.parse(cursor, list).orElseThrow(() -> Problem.outside(
                        ProblemCode.MALFORMED, "query cursor", "is not one that this list gave out")
                .rejection());
    }

    private static PartId partId(Exchange exchange) {
        return PartId.parse(exchange.path("id")).orElseThrow(ReaderRoutes::noPart);
    }

    private static PartView visible(Exchange exchange, Optional<PartView> found) {
        return found.filter(part -> exchange.caller().mayUse(part.botId())).orElseThrow(ReaderRoutes::noPart);
    }

    private static Rejection noPart() {
        return notFound("there is no such part");
    }

    private static Rejection notFound(String detail) {
        return Problem.of(ProblemCode.NOT_FOUND, detail).rejection();
    }
}
