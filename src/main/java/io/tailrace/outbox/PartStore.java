package io.tailrace.outbox;

import io.tailrace.db.Rows;
import io.vertx.sqlclient.Row;
import java.util.List;

/** SQL that reads parts through the view {@code tailrace.outbox_parts}, and its row mappers. */
final class PartStore {
    static final String COLUMNS = """
            p.id, p.created_at, p.operation_id, p.batch_id, p.part_index, p.bot_id, p.chat_id, p.thread_id, p.ordering_key,
            p.causation_update_id, p.dialog_job_id, p.trigger_message_id, p.method_kind, p.payload_version,
            CASE WHEN wanted.content THEN p.payload::text END AS payload, p.blob_sha256, p.blob_media_type,
            p.blob_file_name, p.delivery_policy, p.protected, p.priority::integer AS priority, p.state, p.available_at,
            p.expires_at, p.attempt_count, p.throttle_count, p.rescue_count, p.lease_owner, p.lease_token, p.leased_until,
            p.claimed_at, p.last_error_class, p.last_error, p.response_kind,
            CASE WHEN wanted.content THEN p.receipt::text END AS receipt, p.telegram_message_ids, p.confirmed_at,
            p.updated_at, p.traceparent""";

    static final String ITEM = """
            SELECT %s FROM tailrace.outbox_parts p CROSS JOIN (SELECT $4::boolean AS content) wanted
             WHERE p.id = $1::bigint AND p.created_at = $2::timestamptz AND p.tenant_id = $3::uuid AND %%s""".formatted(COLUMNS);

    static final String BATCH = """
            SELECT %s FROM tailrace.outbox_parts p CROSS JOIN (SELECT $3::boolean AS content) wanted
             WHERE p.tenant_id = $1::uuid AND p.batch_id = $2::text AND %%s
             ORDER BY p.part_index, p.id""".formatted(COLUMNS);

    static final String ATTEMPTS = """
            SELECT a.attempt, a.lease_token, a.worker_id, a.claimed_at,
                   CASE WHEN h.lease_token = a.lease_token THEN h.started_at ELSE a.request_started_at END AS request_started_at,
                   a.response_received_at, a.finished_at, a.outcome, a.http_status, a.latency_ms, a.error_class, a.error
              FROM telegram_outbox_attempts a
              LEFT JOIN telegram_outbox_inflight h ON h.id = a.outbox_id
             WHERE a.outbox_id = $1::bigint AND %s
             ORDER BY a.lease_token""";

    static final String DEPTH = """
            SELECT h.state, count(*) AS parts FROM telegram_outbox_inflight h
             WHERE h.tenant_id = $1::uuid GROUP BY h.state""";

    private PartStore() {}

    static PartView view(Row row) {
        String sha256 = row.getString("blob_sha256");
        String[] messageIds = row.getArrayOfStrings("telegram_message_ids");
        return new PartView(
                new PartId(row.getLong("id"), Rows.instant(row, "created_at")),
                row.getString("operation_id"),
                row.getString("batch_id"),
                row.getInteger("part_index"),
                row.getString("bot_id"),
                row.getString("chat_id"),
                row.getString("thread_id"),
                row.getString("ordering_key"),
                row.getString("causation_update_id"),
                row.getString("dialog_job_id"),
                row.getString("trigger_message_id"),
                row.getString("method_kind"),
                row.getInteger("payload_version"),
                row.getString("payload"),
                sha256 == null
                        ? null
                        : new Batch.Blob(sha256, row.getString("blob_media_type"), row.getString("blob_file_name")),
                DeliveryPolicy.of(row.getString("delivery_policy")),
                row.getBoolean("protected"),
                row.getInteger("priority"),
                PartState.of(row.getString("state")),
                Rows.instant(row, "available_at"),
                Rows.instantOrNull(row, "expires_at"),
                row.getInteger("attempt_count"),
                row.getInteger("throttle_count"),
                row.getInteger("rescue_count"),
                row.getString("lease_owner"),
                row.getLong("lease_token"),
                Rows.instantOrNull(row, "leased_until"),
                Rows.instantOrNull(row, "claimed_at"),
                row.getString("last_error_class"),
                row.getString("last_error"),
                row.getString("response_kind"),
                row.getString("receipt"),
                messageIds == null ? List.of() : List.of(messageIds),
                Rows.instantOrNull(row, "confirmed_at"),
                Rows.instant(row, "updated_at"),
                row.getString("traceparent"));
    }

    static PartView.Attempt attempt(Row row) {
        return new PartView.Attempt(
                row.getInteger("attempt"),
                row.getLong("lease_token"),
                row.getString("worker_id"),
                Rows.instant(row, "claimed_at"),
                Rows.instantOrNull(row, "request_started_at"),
                Rows.instantOrNull(row, "response_received_at"),
                Rows.instantOrNull(row, "finished_at"),
                row.getString("outcome"),
                row.getInteger("http_status"),
                row.getLong("latency_ms"),
                row.getString("error_class"),
                row.getString("error"));
    }
}
