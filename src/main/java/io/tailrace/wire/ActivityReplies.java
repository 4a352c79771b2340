package io.tailrace.wire;

import io.tailrace.activity.Activity;
import io.tailrace.activity.ActivityPage;
import io.tailrace.activity.AppendResult;
import io.tailrace.activity.Conversation;
import io.tailrace.activity.ConversationResult;
import io.tailrace.activity.DeleteResult;
import java.util.Optional;

/** What those who write and read conversations are answered. */
public final class ActivityReplies {
    private ActivityReplies() {}

    /** @throws Rejection when nothing was stored */
    public static Reply appended(AppendResult result) {
        if (result instanceof AppendResult.Stored stored) {
            return new Reply(Reply.CREATED, out -> ActivityWriter.activity(out, stored.activity()));
        }
        if (result instanceof AppendResult.Replayed replayed) {
            return Reply.done(out -> ActivityWriter.activity(out, replayed.activity()));
        }
        throw problem(result).rejection();
    }

    /** Of a result that stored nothing. */
    public static Problem problem(AppendResult result) {
        if (result instanceof AppendResult.Conflict conflict) {
            return Problem.at(
                    ProblemCode.IDEMPOTENCY_CONFLICT,
                    conflict.pointer(),
                    "differs from the activity that is stored under this idempotency key");
        }
        return Problem.of(ProblemCode.NOT_FOUND, "there is no such conversation");
    }

    /** @throws Rejection when there is none */
    public static Reply activity(Optional<Activity> found) {
        Activity activity = found.orElseThrow(ActivityReplies::noActivity);
        return Reply.done(out -> ActivityWriter.activity(out, activity));
    }

    /** @throws Rejection when there is no such conversation */
    public static Reply page(ActivityCursor.List list, Optional<ActivityPage> found) {
        ActivityPage page = found.orElseThrow(ActivityReplies::noConversation);
        return Reply.done(out -> {
            out.writeStartObject();
            out.writeArrayFieldStart("items");
            for (Activity activity : page.items()) {
                ActivityWriter.activity(out, activity);
            }
            out.writeEndArray();
            out.writeStringField(
                    "next",
                    page.more() ? list.after(page.items().get(page.items().size() - 1)) : null);
            if (page.firstAvailableSeq() == null) {
                out.writeNullField("first_available_seq");
            } else {
                out.writeNumberField("first_available_seq", page.firstAvailableSeq());
            }
            out.writeEndObject();
        });
    }

    /** @throws Rejection when there is none */
    public static Reply conversation(Optional<Conversation> found) {
        Conversation conversation = found.orElseThrow(ActivityReplies::noConversation);
        return Reply.done(out -> ActivityWriter.conversation(out, conversation));
    }

    /** @throws Rejection when there is none to show */
    public static Reply conversation(ConversationResult result) {
        if (result instanceof ConversationResult.Created created) {
            return new Reply(Reply.CREATED, out -> ActivityWriter.conversation(out, created.conversation()));
        }
        if (result instanceof ConversationResult.Existing existing) {
            return Reply.done(out -> ActivityWriter.conversation(out, existing.conversation()));
        }
        if (result instanceof ConversationResult.Deleted) {
            throw Problem.at(ProblemCode.DELETED, "/id", "this conversation was deleted; its id is never taken again")
                    .rejection();
        }
        if (result instanceof ConversationResult.NoChannel) {
            throw Problem.at(ProblemCode.INVALID_FIELD, "/channel_id", "there is no such channel")
                    .rejection();
        }
        if (result instanceof ConversationResult.Taken) {
            throw Problem.at(
                            ProblemCode.IDEMPOTENCY_CONFLICT,
                            "/id",
                            "is taken; leave it out to have one made, or send another")
                    .rejection();
        }
        throw Problem.of(ProblemCode.NOT_FOUND, "the tenant is being deleted").rejection();
    }

    /** Nothing is left to say of what was deleted. @throws Rejection when it was not */
    public static Reply deleted(DeleteResult result, Rejection notFound) {
        return switch (result) {
            case DELETED ->
                Reply.done(out -> {
                    out.writeStartObject();
                    out.writeBooleanField("deleted", true);
                    out.writeEndObject();
                });
            case NOT_FOUND -> throw notFound;
            case ON_HOLD ->
                throw Problem.of(
                                ProblemCode.ON_HOLD,
                                "the tenant's rows are on hold until its retention_hold_until; nothing was deleted")
                        .rejection();
        };
    }

    public static Rejection noActivity() {
        return Problem.of(ProblemCode.NOT_FOUND, "there is no such activity").rejection();
    }

    public static Rejection noConversation() {
        return Problem.of(ProblemCode.NOT_FOUND, "there is no such conversation")
                .rejection();
    }
}
