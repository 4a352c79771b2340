package io.tailrace.outbox;

import io.tailrace.db.Database;
import io.tailrace.db.DatabaseFailure;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/** The table {@code telegram_outbox_blobs}. */
public final class BlobStore implements Blobs {
    /** The column is stored uncompressed, so that PostgreSQL reads only the asked-for slice. */
    private static final int PIECE_BYTES = 256 * 1024;

    private static final String DESCRIBE = """
            SELECT media_type, octet_length(bytes)::bigint AS size
              FROM telegram_outbox_blobs
             WHERE tenant_id = $1::uuid AND sha256 = $2::text
            """;

    private static final String PUT = """
            INSERT INTO telegram_outbox_blobs (tenant_id, sha256, media_type, bytes)
            VALUES ($1::uuid, $2::text, $3::text, $4::bytea)
            ON CONFLICT DO NOTHING
            """;

    /** A blob that is sent again is about to be referred to: the collection of orphans lets it be for another day. */
    private static final String TOUCH = """
            UPDATE telegram_outbox_blobs SET created_at = tailrace_now()
             WHERE tenant_id = $1::uuid AND sha256 = $2::text
               AND created_at < (SELECT tailrace_now()) - interval '1 hour'
            """;

    private static final String PIECE = """
            SELECT substring(bytes FROM $3::integer FOR $4::integer) AS piece
              FROM telegram_outbox_blobs
             WHERE tenant_id = $1::uuid AND sha256 = $2::text
            """;

    private final Database database;

    public BlobStore(Database database) {
        this.database = database;
    }

    @Override
    public Future<Boolean> put(UUID tenant, String sha256, String mediaType, Buffer bytes) {
        // Asked first, so that a blob sent again does not travel to PostgreSQL to be thrown away there.
        return execute(TOUCH, Tuple.of(tenant, sha256))
                .compose(touched -> describe(tenant, sha256))
                .compose(known -> known.isPresent()
                        ? Future.succeededFuture(false)
                        : execute(PUT, Tuple.of(tenant, sha256, mediaType, bytes))
                                .map(rows -> rows.rowCount() > 0));
    }

    @Override
    public Future<Optional<Description>> describe(UUID tenant, String sha256) {
        return execute(DESCRIBE, Tuple.of(tenant, sha256)).map(rows -> {
            if (rows.size() == 0) {
                return Optional.empty();
            }
            Row row = rows.iterator().next();
            return Optional.of(new Description(sha256, row.getString("media_type"), row.getLong("size")));
        });
    }

    @Override
    public Future<Void> read(UUID tenant, Description blob, Function<Buffer, Future<Void>> sink) {
        return readFrom(tenant, blob, sink, 0);
    }

    private Future<Void> readFrom(UUID tenant, Description blob, Function<Buffer, Future<Void>> sink, long offset) {
        if (offset >= blob.bytes()) {
            return Future.succeededFuture();
        }
        return execute(PIECE, Tuple.of(tenant, blob.sha256(), (int) offset + 1, PIECE_BYTES))
                .compose(rows -> {
                    if (rows.size() == 0) {
                        return Future.failedFuture(new DatabaseFailure(
                                DatabaseFailure.Kind.OTHER, "the blob was collected while it was read", null));
                    }
                    Buffer piece = rows.iterator().next().getBuffer("piece");
                    return sink.apply(piece).compose(sent -> readFrom(tenant, blob, sink, offset + piece.length()));
                });
    }

    private Future<RowSet<Row>> execute(String sql, Tuple values) {
        return database.service()
                .preparedQuery(sql)
                .execute(values)
                .recover(cause -> Future.failedFuture(DatabaseFailure.of(cause)));
    }
}
