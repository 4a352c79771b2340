package io.tailrace.activity;

/** What a delete came to. */
public enum DeleteResult {
    /** Gone, or marked and on its way: not found from this commit on. */
    DELETED,
    /** The tenant has no such thing. */
    NOT_FOUND,
    /** A hold keeps the tenant's rows; nothing was changed. */
    ON_HOLD
}
