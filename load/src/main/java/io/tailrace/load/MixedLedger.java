package io.tailrace.load;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

/** What a mixed run was told, to be held against what the database has at the end. */
final class MixedLedger {
    private record Acked(String batchId, int partIndex, long id) {}

    private final ConcurrentLinkedQueue<Acked> acked = new ConcurrentLinkedQueue<>();
    private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();
    /** Batches of which an operator, or a worker after its lease, made something else than its turn. */
    private final Set<String> outOfTurn = ConcurrentHashMap.newKeySet();

    private final List<String> broken = new ArrayList<>();

    void count(String what) {
        counts.computeIfAbsent(what, name -> new LongAdder()).increment();
    }

    void count(String what, long times) {
        counts.computeIfAbsent(what, name -> new LongAdder()).add(times);
    }

    long counted(String what) {
        LongAdder count = counts.get(what);
        return count == null ? 0 : count.sum();
    }

    void stored(JsonObject batch) {
        JsonArray parts = batch.getJsonArray("parts");
        for (int i = 0; i < parts.size(); i++) {
            JsonObject part = parts.getJsonObject(i);
            // An opaque id ends with the id in the database.
            long id = ByteBuffer.wrap(Base64.getUrlDecoder().decode(part.getString("id"))).getLong(8);
            acked.add(new Acked(batch.getString("batch_id"), part.getInteger("part_index"), id));
        }
    }

    void outOfTurn(String batchId) {
        outOfTurn.add(batchId);
    }

    /** Something that must not be. */
    synchronized void broken(String what) {
        broken.add(what);
    }

    private synchronized void expectNone(Connection db, String what, String sql) throws SQLException {
        try (Statement statement = db.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            long count = rows.getLong(1);
            System.out.println("  " + what + ": " + count);
            if (count > 0) {
                broken.add(what + ": " + count + ", e.g. " + rows.getString(2));
            }
        }
    }

    void print() {
        new TreeMap<>(counts).forEach((what, count) -> System.out.println("  " + what + ": " + count.sum()));
    }

    synchronized List<String> verdict() {
        counts.forEach((what, count) -> {
            if (what.startsWith("http 500") || what.contains("deadlock")) {
                broken.add(what + ": " + count.sum());
            }
        });
        return broken;
    }

    /** The database against what was acknowledged. */
    void check(Connection db) throws SQLException {
        load(db);
        System.out.println("ledger of " + acked.size() + " acknowledgements, " + outOfTurn.size() + " batches out of turn");
        expectNone(db, "acknowledged, but not stored under that id", """
                SELECT count(*), min(a.batch_id || '#' || a.part_index) FROM mixed_acked a
                 WHERE NOT EXISTS (SELECT FROM telegram_outbox o WHERE o.batch_id = a.batch_id AND o.part_index = a.part_index AND o.id = a.id)""");
        expectNone(db, "parts stored twice", """
                SELECT count(*), min(d.batch_id) FROM (SELECT batch_id, part_index FROM telegram_outbox
                 GROUP BY tenant_id, batch_id, part_index HAVING count(*) > 1) d""");
        expectNone(db, "parts of one batch acknowledged under two ids", """
                SELECT count(*), min(d.batch_id) FROM (SELECT batch_id, part_index FROM mixed_acked
                 GROUP BY batch_id, part_index HAVING count(DISTINCT id) > 1) d""");
        expectNone(db, "parts both ended and in flight, or neither", """
                SELECT count(*), min(o.batch_id) FROM telegram_outbox o LEFT JOIN telegram_outbox_inflight h USING (id)
                 WHERE (o.state = 'pending' AND h.id IS NULL)
                    OR (o.state = 'delivered' AND h.id IS NOT NULL)""");
        expectNone(db, "delivered although an earlier part of the key was delivered later", """
                SELECT count(*), min(p.batch_id) FROM (
                    SELECT o.*, min(o.confirmed_at) OVER (PARTITION BY o.tenant_id, o.bot_id, o.ordering_key ORDER BY o.id
                               ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS later_ids_first
                      FROM telegram_outbox o WHERE o.state = 'delivered' AND o.confirmed_at IS NOT NULL) p
                 WHERE p.later_ids_first < p.confirmed_at AND p.available_at <= p.created_at
                   -- A redrive of bot 9 also brings back what came behind it in its batch.
                   AND NOT EXISTS (SELECT FROM telegram_outbox n WHERE n.batch_id = p.batch_id AND n.bot_id = '9')
                   AND NOT EXISTS (SELECT FROM mixed_out_of_turn t WHERE t.batch_id = p.batch_id)""");
        expectNone(db, "two attempts of a key at once", """
                SELECT count(*), min(p.batch_id) FROM (
                    SELECT o.batch_id, a.claimed_at, a.finished_at, lead(a.claimed_at) OVER (
                               PARTITION BY o.tenant_id, o.bot_id, o.ordering_key ORDER BY a.claimed_at) AS next_claimed
                      FROM telegram_outbox_attempts a JOIN telegram_outbox o ON o.id = a.outbox_id) p
                 WHERE p.next_claimed < p.finished_at
                   AND NOT EXISTS (SELECT FROM mixed_out_of_turn t WHERE t.batch_id = p.batch_id)""");
        expectNone(db, "due, but not claimed when everything had stopped", """
                SELECT count(*), min(o.batch_id || ' ' || h.turn::text || ' ' || h.state) FROM telegram_outbox_inflight h JOIN telegram_outbox o USING (id)
                 WHERE h.available_at <= now() - interval '10 s'""");
    }

    private void load(Connection db) throws SQLException {
        try (Statement statement = db.createStatement()) {
            statement.execute("CREATE TEMP TABLE mixed_acked (batch_id text, part_index integer, id bigint)");
            statement.execute("CREATE TEMP TABLE mixed_out_of_turn (batch_id text PRIMARY KEY)");
        }
        db.setAutoCommit(false);
        try (PreparedStatement insert = db.prepareStatement("INSERT INTO mixed_acked VALUES (?, ?, ?)")) {
            int pending = 0;
            for (Acked one : acked) {
                insert.setString(1, one.batchId());
                insert.setInt(2, one.partIndex());
                insert.setLong(3, one.id());
                insert.addBatch();
                if (++pending % 5_000 == 0) {
                    insert.executeBatch();
                }
            }
            insert.executeBatch();
        }
        try (PreparedStatement insert = db.prepareStatement("INSERT INTO mixed_out_of_turn VALUES (?)")) {
            for (String batchId : outOfTurn) {
                insert.setString(1, batchId);
                insert.addBatch();
            }
            insert.executeBatch();
        }
        db.commit();
        db.setAutoCommit(true);
        try (Statement statement = db.createStatement()) {
            statement.execute("ANALYZE");
        }
    }
}
