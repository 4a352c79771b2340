package io.tailrace.wire;

import com.fasterxml.jackson.core.JsonGenerator;
import io.tailrace.activity.Delivery;
import io.tailrace.activity.DeliveryResult;
import io.tailrace.activity.ReceiptResult;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** What those who deliver activities are answered. */
public final class DeliveryReplies {
    /** Of a batch: parts are no members of a request for deliveries. */
    private static final String PART = "^/parts/\\d+";

    private DeliveryReplies() {}

    /** @throws Rejection when nothing was made */
    public static Reply made(DeliveryResult result) {
        if (result instanceof DeliveryResult.Done done) {
            return new Reply(done.inserted() ? Reply.CREATED : Reply.DONE, out -> items(out, done.deliveries()));
        }
        if (result instanceof DeliveryResult.Archived) {
            throw Problem.of(
                            ProblemCode.ACTIVITY_ARCHIVED,
                            "the month of this activity has left the database; it is delivered no more")
                    .rejection();
        }
        if (result instanceof DeliveryResult.NoChannel none) {
            throw Problem.at(ProblemCode.INVALID_FIELD, "/channel_ids", "there is no channel " + none.channelId())
                    .rejection();
        }
        if (result instanceof DeliveryResult.Refused refused) {
            throw Problem.at(
                            ProblemCode.of(refused.code()),
                            "/outbox" + refused.pointer().replaceFirst(PART, ""),
                            refused.detail())
                    .rejection();
        }
        throw ActivityReplies.noActivity();
    }

    /** @throws Rejection when there is no such activity */
    public static Reply list(Optional<List<Delivery>> found) {
        List<Delivery> deliveries = found.orElseThrow(ActivityReplies::noActivity);
        return Reply.done(out -> items(out, deliveries));
    }

    private static void items(JsonGenerator out, List<Delivery> deliveries) throws IOException {
        out.writeStartObject();
        out.writeArrayFieldStart("items");
        for (Delivery delivery : deliveries) {
            ActivityWriter.delivery(out, delivery);
        }
        out.writeEndArray();
        out.writeEndObject();
    }

    /** 200 when all were known, 207 when some were not. */
    public static Reply received(List<ReceiptResult> results) {
        boolean all = results.stream().allMatch(ReceiptResult.Known.class::isInstance);
        return new Reply(all ? Reply.DONE : Reply.NOT_ALL, out -> {
            out.writeStartObject();
            out.writeArrayFieldStart("results");
            for (ReceiptResult result : results) {
                received(out, result);
            }
            out.writeEndArray();
            out.writeEndObject();
        });
    }

    private static void received(JsonGenerator out, ReceiptResult result) throws IOException {
        out.writeStartObject();
        if (result instanceof ReceiptResult.Known known) {
            out.writeBooleanField("ok", true);
            out.writeStringField("delivery_id", known.deliveryId().toString());
            out.writeStringField("status", known.status().wire());
            out.writeBooleanField("changed", known.changed());
        } else {
            out.writeBooleanField("ok", false);
            out.writeStringField("code", ProblemCode.NOT_FOUND.wire());
            out.writeStringField("detail", "there is no delivery that this is about");
        }
        out.writeEndObject();
    }
}
