package io.tailrace.cli;

import io.tailrace.outbox.OperatorResult;
import io.tailrace.outbox.PartId;
import io.tailrace.wire.OperatorWriter;
import io.tailrace.wire.Problem;
import io.tailrace.wire.ProblemCode;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;

/** What retry and cancel have in common: several parts in turn, each in a transaction of its own, each answered for itself. */
final class OutboxActs {
    private OutboxActs() {}

    /** What a word about one part came to. */
    record Act(PartId id, OperatorResult result) {}

    static <A, B> Future<List<B>> inTurn(Collection<A> items, Function<A, Future<B>> work) {
        Future<List<B>> done = Future.succeededFuture(new ArrayList<>());
        for (A item : items) {
            done = done.compose(results -> work.apply(item).map(result -> {
                results.add(result);
                return results;
            }));
        }
        return done;
    }

    /** Says what each came to; true when none was refused. */
    static boolean show(Console console, boolean json, List<Act> acts) {
        Table table = new Table("ID", "STATE", "CHANGED");
        boolean done = false;
        boolean refusedNone = true;
        for (Act act : acts) {
            if (act.result() instanceof OperatorResult.Refused refused) {
                refusedNone = false;
                refused(console, json, act.id(), refused.code(), whatToDo(refused));
            } else if (json) {
                OutboxOptions.print(
                        console, out -> OperatorWriter.done(out, act.id(), (OperatorResult.Done) act.result()));
            } else {
                OperatorResult.Done it = (OperatorResult.Done) act.result();
                table.row(act.id().opaque(), it.state().wire(), it.changed() ? "yes" : "no, it was so before");
                done = true;
            }
        }
        if (done) {
            table.lines().forEach(console.out()::println);
        }
        return refusedNone;
    }

    static void missing(Console console, boolean json, PartId id) {
        refused(console, json, id, ProblemCode.NOT_FOUND.wire(), NOT_THERE);
    }

    private static final String NOT_THERE =
            "this tenant has no such part, or its day has left; see `tailrace outbox list`";

    /** The same in a command's words. */
    private static String whatToDo(OperatorResult.Refused refused) {
        return switch (refused.code()) {
            case "duplicate_risk" ->
                "it may have gone out already; with --accept-duplicate-risk it is sent, perhaps a second time";
            case "not_found" -> NOT_THERE;
            default -> refused.detail();
        };
    }

    private static void refused(Console console, boolean json, PartId id, String code, String detail) {
        if (json) {
            OutboxOptions.print(console, out -> {
                out.writeStartObject();
                out.writeStringField("id", id.opaque());
                Problem.of(ProblemCode.of(code), detail).writeBody(out);
                out.writeEndObject();
            });
        } else {
            console.err().println("tailrace: " + id.opaque() + ": " + code + ": " + detail);
        }
    }
}
