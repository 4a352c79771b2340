package io.tailrace.wire;

import io.tailrace.outbox.Claim;
import io.tailrace.outbox.EnqueueResult;
import io.tailrace.outbox.LeaseResult;
import io.vertx.core.Future;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/** What those who enqueue and send are answered. */
public final class SenderReplies {
    private SenderReplies() {}

    /** @throws Rejection when the batch was refused */
    public static Reply enqueued(EnqueueResult result) {
        if (result instanceof EnqueueResult.Refused refused) {
            throw problem(refused).rejection();
        }
        EnqueueResult.Stored stored = (EnqueueResult.Stored) result;
        return new Reply(stored.anyInserted() ? Reply.CREATED : Reply.DONE, out -> {
            out.writeStartObject();
            PartWriter.stored(out, stored);
            out.writeEndObject();
        });
    }

    public static Problem problem(EnqueueResult.Refused refused) {
        return Problem.at(ProblemCode.of(refused.code()), refused.pointer(), refused.detail());
    }

    public static Reply claimed(List<Claim.Item> items) {
        return Reply.done(out -> PartWriter.claimed(out, items));
    }

    /** Asks for those whose id can be one, and answers all in the order of the request. */
    public static <T> Future<Reply> leases(
            List<LeaseDecoder.Item<T>> items, Function<List<T>, Future<List<LeaseResult>>> ask) {
        List<T> known = items.stream()
                .filter(it -> it.value() != null)
                .map(it -> Objects.requireNonNull(it.value()))
                .toList();
        Future<List<LeaseResult>> results = known.isEmpty() ? Future.succeededFuture(List.of()) : ask.apply(known);
        return results.map(found -> leases(items, found));
    }

    private static <T> Reply leases(List<LeaseDecoder.Item<T>> items, List<LeaseResult> found) {
        boolean allDone = found.size() == items.size() && found.stream().allMatch(LeaseResult.Done.class::isInstance);
        return new Reply(allDone ? Reply.DONE : Reply.NOT_ALL, out -> {
            out.writeStartObject();
            out.writeArrayFieldStart("results");
            int next = 0;
            for (LeaseDecoder.Item<T> item : items) {
                PartWriter.leaseResult(out, item.id(), item.value() == null ? null : found.get(next++));
            }
            out.writeEndArray();
            out.writeEndObject();
        });
    }
}
