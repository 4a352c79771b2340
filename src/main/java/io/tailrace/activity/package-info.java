/**
 * The activity log: conversations, their gap-free sequence of activities, and the deliveries of those.
 *
 * <pre>
 *   append ──► lane (one conversation, one lane) ──► flush: tailrace.append_activities
 *                hold tenants ─ lock conversations in id order ─ clock ─ look keys up ─ insert and count on
 *   delivery: pending ──► sent ──► delivered ──► read      (skips allowed; failed from all but read)
 * </pre>
 *
 * <p>May import: {@code partition} (its ports), {@code worker}, {@code db}, {@code config}, Vert.x core and the SQL client. Never
 * HTTP, Kafka or the bus.
 *
 * <p>Invariants: a seq is allocated in {@code R__activity_append.sql} and nowhere else, from last_seq under the conversation's row
 * lock; inserted_at goes up with seq; a key is stored once a conversation, whatever the month; a row never moves to another
 * month; nothing here holds a lock while it waits for anything but PostgreSQL.
 */
@NullMarked
package io.tailrace.activity;

import org.jspecify.annotations.NullMarked;
