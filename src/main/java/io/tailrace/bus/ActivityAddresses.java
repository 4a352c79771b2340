package io.tailrace.bus;

/**
 * Where on the event bus conversations and activities listen (BUS-1). Bodies, replies and headers are those of
 * {@link OutboxAddresses}: ask with a Buffer where no number may be rounded.
 */
public final class ActivityAddresses {
    private static final String CONVERSATIONS = "tailrace.conversations.";
    private static final String ACTIVITIES = "tailrace.activities.";

    /**
     * As {@code POST /v1/conversations/{id}/activities}: its body with {@code "conversation_id": …}. Answered with status 201, or
     * 200 when it was there already; header {@link OutboxAddresses#TRACEPARENT_HEADER}.
     */
    public static final String APPEND = ACTIVITIES + "append";
    /** As {@code POST /v1/activities}: {@code {"items": […]}}, or a Buffer of the array. */
    public static final String BULK = ACTIVITIES + "bulk";
    /** As {@code GET /v1/conversations/{id}/activities}: {@code {"conversation_id": …, "after": …, "limit": …, "cursor": …}}. */
    public static final String LIST = ACTIVITIES + "list";
    /** As {@code GET /v1/activities/{id}}: {@code {"id": …}}. */
    public static final String GET = ACTIVITIES + "get";
    /** As {@code DELETE /v1/activities/{id}}: {@code {"id": …}}. */
    public static final String DELETE = ACTIVITIES + "delete";

    /** As {@code POST /v1/conversations}. */
    public static final String CREATE_CONVERSATION = CONVERSATIONS + "create";
    /** As {@code GET /v1/conversations/{id}}: {@code {"id": …}}. */
    public static final String GET_CONVERSATION = CONVERSATIONS + "get";
    /** As {@code DELETE /v1/conversations/{id}}: {@code {"id": …}}. */
    public static final String DELETE_CONVERSATION = CONVERSATIONS + "delete";

    /**
     * Published for every activity that this process has committed (BUS-3): {@code {"tenant_id": …, "conversation_id": …,
     * "id": …, "seq": …, "type": …}}. Best effort: it may be lost, and what other processes append is not published here. Whoever
     * must see all reads the conversation after the last seq it knows.
     */
    public static final String APPENDED_EVENT = ACTIVITIES + "appended";

    private ActivityAddresses() {}
}
