package io.tailrace.bus;

/**
 * Where on the event bus the outbox listens (BUS-1). The body is a {@code JsonObject} or a {@code Buffer} of JSON, and the
 * reply is of the same kind: ask with a Buffer where no number may be rounded.
 */
public final class OutboxAddresses {
    private static final String PREFIX = "tailrace.outbox.";

    /** As {@code POST /v1/outbox/batches}. */
    public static final String ENQUEUE = PREFIX + "enqueue";
    /** As {@code POST /v1/outbox/claims}. The send timeout has to be longer than {@code wait_seconds}. */
    public static final String CLAIM = PREFIX + "claim";
    /** As {@code POST /v1/outbox/starts}. */
    public static final String START = PREFIX + "start";
    /** As {@code POST /v1/outbox/renewals}. */
    public static final String RENEW = PREFIX + "renew";
    /** As {@code POST /v1/outbox/settlements}. */
    public static final String SETTLE = PREFIX + "settle";
    /** As {@code GET /v1/outbox/items/{id}}: {@code {"id": …, "include": ["payload", "receipt", "blob"]}}. */
    public static final String ITEM = PREFIX + "item";
    /** As {@code GET /v1/outbox/items/{id}/attempts}: {@code {"id": …}}. */
    public static final String ATTEMPTS = PREFIX + "attempts";
    /** As {@code GET /v1/outbox/batches/{batch_id}}: {@code {"batch_id": …}}. */
    public static final String BATCH = PREFIX + "batch";
    /** As {@code GET /v1/outbox/items}: {@code {"state": …, "limit": …, "cursor": …, "include": […]}}, all optional. */
    public static final String LIST = PREFIX + "list";
    /** As {@code GET /v1/outbox/stats}: {@code {}}. */
    public static final String STATS = PREFIX + "stats";

    /** As {@code POST /v1/outbox/items/{id}/retry}: {@code {"id": …, "accept_duplicate_risk": …}}. */
    public static final String RETRY = PREFIX + "retry";
    /** As {@code POST /v1/outbox/items/{id}/cancel}: {@code {"id": …}}. */
    public static final String CANCEL = PREFIX + "cancel";
    /** As {@code POST /v1/outbox/redrives}. */
    public static final String REDRIVE = PREFIX + "redrive";
    /** As {@code GET /v1/outbox/redrives/{id}}: {@code {"redrive_id": …}}. */
    public static final String REDRIVE_PROGRESS = PREFIX + "redrive_progress";
    /** As {@code GET /v1/outbox/blocked}: {@code {"limit": …, "cursor": …}}, both optional. */
    public static final String BLOCKED = PREFIX + "blocked";
    /** As {@code POST /v1/outbox/bots/{bot_id}/pause}: {@code {"bot_id": …, "until": …}}. */
    public static final String PAUSE = PREFIX + "pause";
    /** As {@code POST /v1/outbox/bots/{bot_id}/resume}: {@code {"bot_id": …}}. */
    public static final String RESUME = PREFIX + "resume";
    /**
     * As {@code PUT /v1/outbox/blobs/{sha256}}: a Buffer of the blob's own bytes, with {@link #SHA256_HEADER} and, where it
     * is known, {@link #CONTENT_TYPE_HEADER}. Answered with a Buffer of JSON.
     */
    public static final String PUT_BLOB = PREFIX + "put_blob";
    /**
     * As {@code GET /v1/outbox/blobs/{sha256}}: {@code {"sha256": …}}. Answered with a Buffer of the blob's own bytes and
     * {@link #CONTENT_TYPE_HEADER}.
     */
    public static final String GET_BLOB = PREFIX + "get_blob";

    /** The header of a request that names its tenant, as a UUID. Without it: the default tenant. */
    public static final String TENANT_HEADER = "tenant";
    /** The header of a reply with HTTP's status: 200, 201, 202 or 207. */
    public static final String STATUS_HEADER = "status";
    /** The header of {@link #PUT_BLOB}: the digest of its bytes, 64 lower-case hexadecimal digits. */
    public static final String SHA256_HEADER = "sha256";
    /** The header with the media type of a blob's bytes. */
    public static final String CONTENT_TYPE_HEADER = "content-type";
    /** The header that is stored with an enqueued batch, as W3C has it. */
    public static final String TRACEPARENT_HEADER = "traceparent";

    private OutboxAddresses() {}
}
