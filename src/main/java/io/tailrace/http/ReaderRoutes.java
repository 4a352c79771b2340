package io.tailrace.http;

import io.tailrace.outbox.OutboxOperator;
import io.tailrace.outbox.OutboxService;
import io.tailrace.outbox.PartId;
import io.tailrace.outbox.PartQueries;
import io.tailrace.outbox.PartState;
import io.tailrace.outbox.PartView;
import io.tailrace.tenant.Scope;
import io.tailrace.wire.PartPage;
import io.tailrace.wire.PartViewWriter;
import io.tailrace.wire.ReaderReplies;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Looking at parts. Payloads, blobs and receipts are shown only when they are asked for by {@code include}. */
final class ReaderRoutes {
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
        exchange.answer(
                outbox.batch(exchange.tenant(), batchId),
                found -> exchange.reply(ReaderReplies.batch(
                        batchId,
                        found.stream()
                                .filter(part -> exchange.caller().mayUse(part.botId()))
                                .toList())));
    }

    private void item(Exchange exchange) {
        Set<String> include = exchange.query(List.of("include")).names("include", PartViewWriter.INCLUDABLE);
        PartId id = partId(exchange);
        exchange.answer(
                outbox.item(exchange.tenant(), id, !include.isEmpty()),
                found -> exchange.reply(ReaderReplies.part(visible(exchange, found), include)));
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
        exchange.answer(found, it -> exchange.reply(ReaderReplies.attempts(it.orElseThrow(ReaderReplies::noPart))));
    }

    private void list(Exchange exchange) {
        Query query = exchange.query(List.of("state", "limit", "cursor", "include"));
        PartPage page = PartPage.of(
                exchange.tenant(),
                state(query.text("state")),
                exchange.caller().botIds(),
                query.text("cursor"),
                query.number("limit", PartPage.DEFAULT_LIMIT, 1, PartPage.MAX_LIMIT),
                query.names("include", PartViewWriter.INCLUDABLE));
        exchange.answer(
                parts.list(exchange.tenant(), page.selection(), page.withContent()),
                found -> exchange.reply(page.reply(found)));
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
                both -> exchange.reply(ReaderReplies.stats(depth.result(), oldest.result(), pauses.result())));
    }

    private static @Nullable PartState state(@Nullable String text) {
        if (text == null) {
            return null;
        }
        if (!PartPage.STATES.contains(text)) {
            throw Query.invalid("state", "must be one of " + String.join(", ", PartPage.STATES));
        }
        return PartState.of(text);
    }

    private static PartId partId(Exchange exchange) {
        return PartId.parse(exchange.path("id")).orElseThrow(ReaderReplies::noPart);
    }

    private static PartView visible(Exchange exchange, Optional<PartView> found) {
        return found.filter(part -> exchange.caller().mayUse(part.botId())).orElseThrow(ReaderReplies::noPart);
    }
}
