package io.tailrace.activity;

import io.tailrace.db.Database;
import io.tailrace.db.DatabaseFailure;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Conversations on one PostgreSQL. Any number of instances may work on the same database. */
public final class Conversations implements ConversationService {
    private final Database database;

    public Conversations(Database database) {
        this.database = database;
    }

    @Override
    public Future<ConversationResult> create(
            UUID tenant, @Nullable UUID id, @Nullable UUID channel, String metadataJson) {
        return database.transaction(connection -> ConversationStore.standing(connection, tenant, id, channel)
                .compose(standing -> {
                    if (!standing.tenant()) {
                        return Future.succeededFuture(new ConversationResult.NoTenant());
                    }
                    if (standing.deleted()) {
                        return Future.succeededFuture(new ConversationResult.Deleted());
                    }
                    if (!standing.channel()) {
                        return Future.succeededFuture(new ConversationResult.NoChannel());
                    }
                    return ConversationStore.insert(connection, tenant, id, channel, metadataJson)
                            .compose(made -> made.isPresent()
                                    ? Future.succeededFuture(new ConversationResult.Created(made.get()))
                                    : existing(connection, tenant, id));
                }));
    }

    private static Future<ConversationResult> existing(SqlConnection connection, UUID tenant, @Nullable UUID id) {
        if (id == null) {
            return Future.failedFuture(new IllegalStateException("an id that was made for it is taken"));
        }
        return ConversationStore.byId(connection, id).map(found -> {
            if (found.isEmpty()) {
                // Purged between the two statements.
                return new ConversationResult.Deleted();
            }
            if (!found.get().conversation().tenantId().equals(tenant)) {
                return new ConversationResult.Taken();
            }
            return found.get().active()
                    ? new ConversationResult.Existing(found.get().conversation())
                    : new ConversationResult.Deleted();
        });
    }

    @Override
    public Future<Optional<Conversation>> find(UUID tenant, UUID id) {
        return ConversationStore.find(database.service(), tenant, id)
                .recover(cause -> Future.failedFuture(DatabaseFailure.of(cause)));
    }

    @Override
    public Future<DeleteResult> delete(UUID tenant, UUID id) {
        return database.transaction(connection -> ConversationStore.held(connection, tenant)
                .compose(held -> held
                        ? ConversationStore.find(connection, tenant, id)
                                .map(found -> found.isPresent() ? DeleteResult.ON_HOLD : DeleteResult.NOT_FOUND)
                        : ConversationStore.lock(connection, tenant, id)
                                .compose(locked -> locked
                                        ? ConversationStore.mark(connection, tenant, id)
                                                .map(DeleteResult.DELETED)
                                        : Future.succeededFuture(DeleteResult.NOT_FOUND))));
    }
}
