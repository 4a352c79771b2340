package io.tailrace.cli;

import io.tailrace.config.TailraceConfig;
import io.tailrace.outbox.PartState;
import io.tailrace.outbox.Redrive;
import io.tailrace.wire.OperatorReplies;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Orders a retry or a cancellation of many parts, at a rate; or says how far an order is. */
@Command(
        name = "redrive",
        mixinStandardHelpOptions = true,
        description = {
            "Orders that every matching part is retried or cancelled, in id order, at a rate.",
            "The order is stored; whichever instance runs works it off. Without --yes it only counts, and says so."
        },
        footer = {
            "",
            "Examples:",
            "  tailrace outbox redrive --state dead_letter --bot 7 --dry-run",
            "  tailrace outbox redrive --state dead_letter --error-class http_500 --rate 50 --yes",
            "  tailrace outbox redrive --action cancel --state pending --bot 7 --yes",
            "  tailrace outbox redrive --progress <redrive id>"
        })
final class OutboxRedriveCommand implements Callable<Integer> {
    private static final int RATE = 20;

    private final Console console;

    @Mixin
    private final OutboxOptions options = new OutboxOptions();

    @Option(names = "--action", paramLabel = "ACTION", description = "retry or cancel. Default: retry.")
    private String action = "retry";

    @Option(names = "--state", paramLabel = "STATE", description = "In which parts are; needed.")
    private @Nullable String state;

    @Option(names = "--bot", paramLabel = "ID", description = "Only of this bot.")
    private @Nullable String bot;

    @Option(names = "--error-class", paramLabel = "CLASS", description = "Only with this last error class.")
    private @Nullable String errorClass;

    @Option(names = "--since", paramLabel = "TIME", description = "Only enqueued then or later; RFC 3339.")
    private @Nullable String since;

    @Option(names = "--rate", paramLabel = "N", description = "Parts a second, 1 to 100. Default: 20.")
    private int rate = RATE;

    @Option(
            names = "--accept-duplicate-risk",
            description = "Sends also what may have gone out: the chat may get it twice, a payment may be made twice.")
    private boolean acceptDuplicateRisk;

    @Option(names = "--dry-run", description = "Only counts.")
    private boolean dryRun;

    @Option(names = "--yes", description = "Places the order.")
    private boolean yes;

    @Option(names = "--progress", paramLabel = "ID", description = "Says how far that order is.")
    private @Nullable UUID progress;

    OutboxRedriveCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        if (progress != null) {
            return progress(progress);
        }
        Redrive order = order();
        boolean place = yes && !dryRun;
        TailraceConfig config = options.load(console);
        Redrive.Ordered ordered = options.ask(config, "ordering the redrive", parts -> parts.outbox()
                .operator()
                .redrive(options.tenant(), null, order, !place));
        if (options.json()) {
            OutboxOptions.print(console, OperatorReplies.ordered(ordered));
        } else {
            Table table =
                    new Table("WOULD " + order.action().wire().toUpperCase(Locale.ROOT), "SKIPPED FOR RISK", "ORDER");
            UUID id = ordered.id();
            table.row(
                    String.valueOf(ordered.matched()),
                    String.valueOf(ordered.risky()),
                    id != null ? id.toString() : place ? "none: nothing matches" : "not placed");
            table.lines().forEach(console.out()::println);
        }
        if (!place && !dryRun) {
            console.err().println("tailrace: nothing was ordered; say --yes to order it, or --dry-run to count only");
            return TailraceCommand.ASKED_WRONGLY;
        }
        return 0;
    }

    private Redrive order() {
        Redrive.Action wanted =
                switch (action) {
                    case "retry" -> Redrive.Action.RETRY;
                    case "cancel" -> Redrive.Action.CANCEL;
                    default -> throw new IllegalArgumentException("--action must be retry or cancel");
                };
        PartState in = OutboxOptions.state(state);
        if (in == null || !wanted.states().contains(in)) {
            throw new IllegalArgumentException("--state must be one of " + names(wanted.states()) + " to " + action);
        }
        if (rate < 1 || rate > Redrive.MAX_RATE) {
            throw new IllegalArgumentException("--rate must be between 1 and " + Redrive.MAX_RATE);
        }
        if (bot != null) {
            OutboxPauseCommand.requireBot(bot);
        }
        return new Redrive(
                wanted, in, bot, errorClass, OutboxPauseCommand.time("--since", since), acceptDuplicateRisk, rate);
    }

    private static String names(Set<PartState> states) {
        return states.stream().map(PartState::wire).collect(Collectors.joining(", "));
    }

    private Integer progress(UUID id) {
        TailraceConfig config = options.load(console);
        Optional<Redrive.Progress> found = options.ask(config, "looking at the redrive", parts -> parts.outbox()
                .operator()
                .redrive(options.tenant(), null, id));
        if (found.isEmpty()) {
            throw new CommandFailed("this tenant has no redrive " + id + "; one that is finished is kept for a month");
        }
        if (options.json()) {
            OutboxOptions.print(console, OperatorReplies.progress(found));
            return 0;
        }
        Redrive.Progress it = found.get();
        Table table = new Table("ACTION", "STATE", "MATCHED", "DONE", "SKIPPED", "FOR RISK", "ORDERED", "FINISHED");
        table.row(
                it.order().action().wire(),
                it.order().state().wire(),
                String.valueOf(it.matched()),
                String.valueOf(it.done()),
                String.valueOf(it.skipped()),
                String.valueOf(it.skippedRisk()),
                OutboxOptions.time(it.createdAt()),
                OutboxOptions.time(it.finishedAt()));
        table.lines().forEach(console.out()::println);
        return 0;
    }
}
