package io.tailrace.wire;

import java.util.Locale;

/** The stable names of what can go wrong, each with its one HTTP status. Codes are never renamed. */
public enum ProblemCode {
    MALFORMED(400, "The request cannot be read"),
    UNAUTHORIZED(401, "A valid key is needed"),
    FORBIDDEN_SCOPE(403, "The key may not do this"),
    NOT_FOUND(404, "There is no such thing"),
    METHOD_NOT_ALLOWED(405, "The method is not supported here"),
    REQUEST_TIMEOUT(408, "The request took too long to arrive"),
    IDEMPOTENCY_CONFLICT(409, "The same name was used for something else"),
    BATCH_GAP(409, "Parts would be missing below a stored one"),
    LEASE_LOST(409, "The lease is no longer held"),
    NOT_STARTED(409, "The part was never started"),
    LEASED(409, "The part is leased"),
    WRONG_STATE(409, "The part's state does not allow this"),
    DUPLICATE_RISK(409, "This may send a second time"),
    ON_HOLD(409, "The rows are on hold"),
    NOT_DUE(409, "Nothing is due"),
    STEP_IN_PROGRESS(409, "A step is in progress"),
    DAY_CLOSED(409, "The day is closed"),
    DELETED(410, "It was deleted"),
    ACTIVITY_ARCHIVED(410, "It was archived"),
    TOO_LARGE(413, "Too large"),
    URI_TOO_LONG(414, "The address is too long"),
    UNSUPPORTED_MEDIA_TYPE(415, "The body's type is not supported"),
    INVALID_FIELD(422, "A value is not acceptable"),
    NUMBER_OUT_OF_RANGE(422, "A number is out of range"),
    RATE_LIMITED(429, "Too many requests"),
    HEADERS_TOO_LARGE(431, "The headers are too large"),
    INTERNAL(500, "Something went wrong here"),
    OVERLOADED(503, "Too busy at the moment"),
    PARTITION_MISSING(503, "No partition takes the row"),
    DATABASE_UNAVAILABLE(503, "The database cannot be reached"),
    OUTCOME_UNKNOWN(503, "It may or may not have been stored");

    private final int status;
    private final String title;
    private final String wire = name().toLowerCase(Locale.ROOT);
    private final String type = "urn:tailrace:problem:" + wire;

    ProblemCode(int status, String title) {
        this.status = status;
        this.title = title;
    }

    public int status() {
        return status;
    }

    /** For people; the same for every problem of this code. */
    public String title() {
        return title;
    }

    /** As in JSON. */
    public String wire() {
        return wire;
    }

    /** The stable URN of RFC 9457's {@code type}. */
    public String type() {
        return type;
    }

    /** The code that the capability named, or INTERNAL when this edge does not know it. */
    public static ProblemCode of(String wire) {
        for (ProblemCode code : values()) {
            if (code.wire.equals(wire)) {
                return code;
            }
        }
        return INTERNAL;
    }
}
