/**
 * Tenants and their API keys: who is calling, and what that caller may do.
 *
 * <pre>
 *   tr_live_4fK…_9zQ… ──parse──► key id, SHA-256 of the secret
 *                                   │ LiveKeys: remembered for 800 ms at most, read again by many at once
 *                                   ▼
 *                          the key as PostgreSQL has it now ──constant-time compare──► Caller, or nobody
 * </pre>
 *
 * <p>May import: {@code db}, {@code config} ({@link io.tailrace.config.Secret}), Vert.x core and the SQL client. Never
 * HTTP.
 *
 * <p>Invariants: a secret is seen twice only, in the answer that creates it and in the request that presents it, and is
 * never stored, listed or printed; a revoked or expired key is refused everywhere within a second, because nothing that
 * was read longer ago than {@link io.tailrace.tenant.LiveKeys#OLDEST} decides; a database that is down is a failure, never
 * a refusal; memory and queries are bounded whatever is presented.
 */
@NullMarked
package io.tailrace.tenant;

import org.jspecify.annotations.NullMarked;
