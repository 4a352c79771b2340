package io.tailrace.outbox;

/** A lease as its holder names it; the token is the fence. */
public record Lease(PartId id, long token) {}
