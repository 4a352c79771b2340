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

    /** The header of a request that names its tenant, as a UUID. Without it: the default tenant. */
    public static final String TENANT_HEADER = "tenant";
    /** The header of a reply with HTTP's status: 200, 201 or 207. */
    public static final String STATUS_HEADER = "status";

    private OutboxAddresses() {}
}
