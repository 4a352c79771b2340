package io.tailrace.cli;

import io.tailrace.app.Tailrace;
import io.tailrace.outbox.PartId;
import io.tailrace.outbox.PartView;
import io.tailrace.wire.PartViewWriter;
import io.tailrace.wire.ReaderReplies;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** All that is known of some parts. */
@Command(
        name = "show",
        mixinStandardHelpOptions = true,
        description = "Shows all that is known of parts, and with --attempts what became of each lease.",
        footer = {
            "",
            "Examples:",
            "  tailrace outbox show <id>",
            "  tailrace outbox show <id> <id> --attempts",
            "  tailrace outbox show <id> --with-content --json"
        })
final class OutboxShowCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    private final OutboxOptions options = new OutboxOptions();

    @Parameters(arity = "1..*", paramLabel = "ID", description = "As `tailrace outbox list` shows them.")
    private final List<String> ids = new ArrayList<>();

    @Option(names = "--attempts", description = "Shows attempts; in JSON {\"part\": …, \"attempts\": […]}.")
    private boolean attempts;

    @Option(names = "--with-content", description = "Shows payload, receipt and blob too.")
    private boolean withContent;

    OutboxShowCommand(Console console) {
        this.console = console;
    }

    private record Found(PartId id, Optional<PartView> part, List<PartView.Attempt> attempts) {}

    @Override
    public Integer call() {
        Set<PartId> wanted = OutboxOptions.ids(ids);
        List<Found> found = options.ask(
                options.load(console), "looking at parts", parts -> OutboxActs.inTurn(wanted, id -> look(parts, id)));
        boolean all = true;
        for (Found one : found) {
            if (one.part().isEmpty()) {
                all = false;
                OutboxActs.missing(console, options.json(), one.id());
            } else if (options.json()) {
                json(one.part().get(), one.attempts());
            } else {
                text(one.part().get(), one.attempts());
            }
        }
        return all ? 0 : TailraceCommand.FAILED;
    }

    private Future<Found> look(Tailrace parts, PartId id) {
        return parts.outbox()
                .item(options.tenant(), id, withContent)
                .compose(part -> part.isEmpty() || !attempts
                        ? Future.succeededFuture(new Found(id, part, List.of()))
                        : parts.outbox()
                                .attempts(options.tenant(), id)
                                .map(tried -> new Found(id, part, tried.orElse(List.of()))));
    }

    private void json(PartView part, List<PartView.Attempt> tried) {
        Set<String> include = withContent ? Set.copyOf(PartViewWriter.INCLUDABLE) : Set.of();
        if (!attempts) {
            OutboxOptions.print(console, ReaderReplies.part(part, include));
            return;
        }
        OutboxOptions.print(console, out -> {
            out.writeStartObject();
            out.writeFieldName("part");
            PartViewWriter.part(out, part, include);
            out.writeArrayFieldStart("attempts");
            for (PartView.Attempt attempt : tried) {
                PartViewWriter.attempt(out, attempt);
            }
            out.writeEndArray();
            out.writeEndObject();
        });
    }

    private void text(PartView part, List<PartView.Attempt> tried) {
        fields(part).forEach((name, value) -> {
            if (!value.equals("-")) {
                console.out().println(name + " ".repeat(Math.max(1, 18 - name.length())) + value);
            }
        });
        if (attempts) {
            Table table = new Table("ATTEMPT", "WORKER", "CLAIMED", "STARTED", "FINISHED", "OUTCOME", "HTTP", "ERROR");
            tried.forEach(one -> table.row(
                    String.valueOf(one.attempt()),
                    OutboxOptions.text(one.workerId()),
                    OutboxOptions.time(one.claimedAt()),
                    OutboxOptions.time(one.requestStartedAt()),
                    OutboxOptions.time(one.finishedAt()),
                    OutboxOptions.text(one.outcome()),
                    one.httpStatus() == null ? "-" : one.httpStatus().toString(),
                    OutboxOptions.text(one.errorClass())));
            table.lines().forEach(console.out()::println);
        }
        console.out().println();
    }

    private static Map<String, String> fields(PartView part) {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("id", part.id().opaque());
        fields.put("state", part.state().wire());
        fields.put("bot", part.botId());
        fields.put("chat", OutboxOptions.text(part.chatId()));
        fields.put("ordering key", OutboxOptions.text(part.orderingKey()));
        fields.put("batch", OutboxOptions.text(part.batchId()) + ", part " + part.partIndex());
        fields.put("operation", part.operationId());
        fields.put("method", part.methodKind());
        fields.put("policy", part.deliveryPolicy().wire());
        fields.put("priority", String.valueOf(part.priority()));
        fields.put("enqueued", OutboxOptions.time(part.id().createdAt()));
        fields.put("available", OutboxOptions.time(part.availableAt()));
        fields.put("expires", OutboxOptions.time(part.expiresAt()));
        fields.put("attempts", String.valueOf(part.attemptCount()));
        fields.put("leased by", OutboxOptions.text(part.leaseOwner()));
        fields.put("leased until", OutboxOptions.time(part.leasedUntil()));
        fields.put("error class", OutboxOptions.text(part.lastErrorClass()));
        fields.put("error", OutboxOptions.text(part.lastError()));
        fields.put("message ids", OutboxOptions.text(String.join(", ", part.messageIds())));
        fields.put("confirmed", OutboxOptions.time(part.confirmedAt()));
        fields.put("updated", OutboxOptions.time(part.updatedAt()));
        fields.put("payload", OutboxOptions.text(part.payloadJson()));
        fields.put("receipt", OutboxOptions.text(part.receiptJson()));
        return fields;
    }
}
