package io.tailrace.wire;

import io.tailrace.outbox.BatchRules;
import io.tailrace.outbox.PartState;
import io.tailrace.outbox.Redrive;
import java.io.IOException;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What operators send: {@code …/retry}, {@code …/pause} and {@code /v1/outbox/redrives}. */
public final class OperatorDecoder {
    private static final List<String> RETRY = List.of("accept_duplicate_risk");
    private static final List<String> REDRIVE =
            List.of("action", "filter", "rate_per_second", "dry_run", "accept_duplicate_risk");
    private static final List<String> FILTER = List.of("state", "bot_id", "error_class", "since");
    private static final int DEFAULT_RATE = 20;
    private static final int MAX_ERROR_CLASS = 128;
    private static final List<String> PAUSE = List.of("until");

    /** @param until null: until it is resumed */
    public record Pause(@Nullable Instant until) {
        public static final Pause FOR_EVER = new Pause(null);
    }

    /** An order, and whether it is only to be tried. */
    public record AskedRedrive(Redrive order, boolean dryRun) {}

    private record Filter(
            PartState state,
            @Nullable String botId,
            @Nullable String errorClass,
            @Nullable Instant since) {}

    private OperatorDecoder() {}

    public static AskedRedrive redrive(JsonReader in) throws IOException {
        in.beginObject();
        Redrive.Action action = Redrive.Action.RETRY;
        Filter filter = null;
        int rate = DEFAULT_RATE;
        boolean dryRun = false;
        boolean accepted = false;
        String name;
        while ((name = in.nextName()) != null) {
            switch (name) {
                case "action" -> action = action(in);
                case "filter" -> filter = filter(in);
                case "rate_per_second" -> rate = (int) in.number(1, Redrive.MAX_RATE);
                case "dry_run" -> dryRun = in.bool();
                case "accept_duplicate_risk" -> accepted = in.bool();
                default -> throw in.unknown(REDRIVE);
            }
        }
        if (filter == null) {
            throw in.missing("filter");
        }
        if (!action.states().contains(filter.state())) {
            throw Problem.at(
                            ProblemCode.INVALID_FIELD,
                            "/filter/state",
                            "must be one of " + names(action.states()) + " for " + action.wire())
                    .rejection();
        }
        return new AskedRedrive(
                new Redrive(
                        action, filter.state(), filter.botId(), filter.errorClass(), filter.since(), accepted, rate),
                dryRun);
    }

    private static Redrive.Action action(JsonReader in) throws IOException {
        return switch (in.text()) {
            case "retry" -> Redrive.Action.RETRY;
            case "cancel" -> Redrive.Action.CANCEL;
            default -> throw in.invalid("must be retry or cancel");
        };
    }

    private static Filter filter(JsonReader in) throws IOException {
        in.beginObject();
        PartState state = null;
        String botId = null;
        String errorClass = null;
        Instant since = null;
        String name;
        while ((name = in.nextName()) != null) {
            switch (name) {
                case "state" -> state = state(in);
                case "bot_id" -> botId = in.idOrNull(false);
                case "error_class" -> errorClass = errorClass(in);
                case "since" -> since = in.instantOrNull();
                default -> throw in.unknown(FILTER);
            }
        }
        if (state == null) {
            throw in.missing("state");
        }
        return new Filter(state, botId, errorClass, since);
    }

    private static PartState state(JsonReader in) throws IOException {
        String text = in.text();
        for (PartState state : PartState.values()) {
            if (state.wire().equals(text)) {
                return state;
            }
        }
        throw in.invalid("must be one of " + names(EnumSet.allOf(PartState.class)));
    }

    private static @Nullable String errorClass(JsonReader in) throws IOException {
        String text = in.textOrNull();
        if (text != null && text.length() > MAX_ERROR_CLASS) {
            throw in.invalid("must have at most " + MAX_ERROR_CLASS + " characters");
        }
        return text;
    }

    private static String names(Set<PartState> states) {
        return states.stream().map(PartState::wire).collect(Collectors.joining(", "));
    }

    /** @throws Rejection when no redrive can have this id */
    public static UUID redriveId(String text) {
        return Uuids.parse(text).orElseThrow(OperatorReplies::noRedrive);
    }

    /** What is wrong with a bot's id, or null. */
    public static @Nullable String botProblem(String botId) {
        return botId.isEmpty() || botId.length() > BatchRules.MAX_BOT_ID || botId.indexOf('\0') >= 0
                ? "must have 1 to " + BatchRules.MAX_BOT_ID + " characters"
                : null;
    }

    /** Whether the risk of sending twice is accepted. */
    public static Boolean retry(JsonReader in) throws IOException {
        in.beginObject();
        boolean accepted = false;
        String name;
        while ((name = in.nextName()) != null) {
            if (!name.equals("accept_duplicate_risk")) {
                throw in.unknown(RETRY);
            }
            accepted = in.bool();
        }
        return accepted;
    }

    public static Pause pause(JsonReader in) throws IOException {
        in.beginObject();
        Instant until = null;
        String name;
        while ((name = in.nextName()) != null) {
            if (!name.equals("until")) {
                throw in.unknown(PAUSE);
            }
            until = in.instantOrNull();
        }
        return new Pause(until);
    }
}
