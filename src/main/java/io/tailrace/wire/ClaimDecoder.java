package io.tailrace.wire;

import io.tailrace.outbox.BatchRules;
import io.tailrace.outbox.Claim;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** {@code POST /v1/outbox/claims}. */
public final class ClaimDecoder {
    static final int DEFAULT_LIMIT = 10;
    static final int MAX_WORKER_ID = 128;
    static final int MAX_BOTS = 1_000;
    private static final List<String> CLAIM =
            List.of("worker_id", "claim_id", "limit", "bot_ids", "lease_seconds", "wait_seconds", "start");

    private ClaimDecoder() {}

    /** @param otherwise the lease of a claim that names none */
    public static Claim decode(JsonReader in, Duration otherwise) throws IOException {
        in.beginObject();
        String workerId = null;
        UUID claimId = null;
        int limit = DEFAULT_LIMIT;
        List<String> botIds = null;
        Duration lease = otherwise;
        Duration wait = Duration.ZERO;
        boolean start = false;
        String name;
        while ((name = in.nextName()) != null) {
            switch (name) {
                case "worker_id" -> workerId = workerId(in);
                case "claim_id" -> claimId = in.uuidOrNull();
                case "limit" -> limit = (int) in.number(1, Claim.MAX_LIMIT);
                case "bot_ids" -> botIds = in.isNull() ? null : botIds(in);
                case "lease_seconds" -> lease = leaseSeconds(in);
                case "wait_seconds" -> wait = Duration.ofSeconds(in.number(0, Claim.MAX_WAIT.toSeconds()));
                case "start" -> start = in.bool();
                default -> throw in.unknown(CLAIM);
            }
        }
        if (workerId == null) {
            throw in.missing("worker_id");
        }
        return new Claim(workerId, claimId, limit, botIds, lease, wait, start);
    }

    static Duration leaseSeconds(JsonReader in) throws IOException {
        return Duration.ofSeconds(in.number(Claim.MIN_LEASE.toSeconds(), Claim.MAX_LEASE.toSeconds()));
    }

    private static String workerId(JsonReader in) throws IOException {
        String text = in.text();
        if (text.isEmpty() || text.length() > MAX_WORKER_ID) {
            throw in.invalid("must have 1 to " + MAX_WORKER_ID + " characters");
        }
        return text;
    }

    private static List<String> botIds(JsonReader in) throws IOException {
        in.beginArray();
        List<String> botIds = new ArrayList<>();
        while (in.nextElement()) {
            if (botIds.size() == MAX_BOTS) {
                throw Problem.at(ProblemCode.INVALID_FIELD, "/bot_ids", "has more than " + MAX_BOTS + " bots")
                        .rejection();
            }
            String botId = in.id(false);
            if (botId.isEmpty() || botId.length() > BatchRules.MAX_BOT_ID) {
                throw in.invalid("must have 1 to " + BatchRules.MAX_BOT_ID + " characters");
            }
            botIds.add(botId);
        }
        if (botIds.isEmpty()) {
            throw Problem.at(ProblemCode.INVALID_FIELD, "/bot_ids", "must be null or name at least one bot")
                    .rejection();
        }
        return botIds;
    }
}
