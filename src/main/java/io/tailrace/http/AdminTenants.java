package io.tailrace.http;

import com.fasterxml.jackson.core.JsonGenerator;
import io.tailrace.http.Answers.Answer;
import io.tailrace.http.ListQuery.Page;
import io.tailrace.tenant.ApiKey;
import io.tailrace.tenant.ApiKeys;
import io.tailrace.tenant.KeyResult;
import io.tailrace.tenant.Names;
import io.tailrace.tenant.NewKey;
import io.tailrace.tenant.Scope;
import io.tailrace.tenant.Tenant;
import io.tailrace.tenant.TenantResult;
import io.tailrace.tenant.Tenants;
import io.tailrace.wire.Problem;
import io.tailrace.wire.ProblemCode;
import io.tailrace.wire.Rejection;
import io.tailrace.wire.Rfc3339;
import io.tailrace.wire.Uuids;
import io.vertx.core.Future;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** {@code /admin/tenants} and {@code /admin/keys}. */
final class AdminTenants {
    private final Tenants tenants;
    private final ApiKeys keys;

    AdminTenants(Tenants tenants, ApiKeys keys) {
        this.tenants = tenants;
        this.keys = keys;
    }

    void mount(Router router) {
        router.post("/admin/tenants").handler(AdminRequests.json(this::createTenant));
        router.get("/admin/tenants").handler(AdminRequests.plain(this::listTenants));
        router.post("/admin/tenants/:id/keys").handler(AdminRequests.json(this::createKey));
        router.get("/admin/tenants/:id/keys").handler(AdminRequests.plain(this::listKeys));
        router.delete("/admin/keys/:key_id").handler(AdminRequests.plain(this::revokeKey));
    }

    private Future<Answer> createTenant(RoutingContext context, byte[] body) {
        AdminBodies.NewTenant asked = AdminBodies.tenant(body);
        return tenants.create(asked.name(), asked.retentionDays()).map(result -> {
            if (result instanceof TenantResult.Created created) {
                return Answer.created(out -> write(out, created.tenant()));
            }
            throw Problem.at(ProblemCode.IDEMPOTENCY_CONFLICT, "/name", "another tenant has this name")
                    .rejection();
        });
    }

    private Future<Answer> listTenants(RoutingContext context) {
        ListQuery query = ListQuery.of(context.request(), "tenants");
        return tenants.list(query.after(), query.fetch())
                .map(found -> query.page(found, Tenant::name))
                .map(page -> Answer.ok(out -> write(out, page, AdminTenants::write)));
    }

    private Future<Answer> createKey(RoutingContext context, byte[] body) {
        UUID tenantId = tenantId(context);
        NewKey asked = AdminBodies.key(body);
        return keys.create(tenantId, asked).map(result -> {
            if (result instanceof KeyResult.Created created) {
                return Answer.created(out -> {
                    out.writeStartObject();
                    out.writeStringField("key", created.key().reveal());
                    writeFields(out, created.stored());
                    out.writeEndObject();
                });
            }
            if (result instanceof KeyResult.AlreadyExpired) {
                throw Problem.at(ProblemCode.INVALID_FIELD, "/expires_at", "must be in the future")
                        .rejection();
            }
            throw noSuchTenant();
        });
    }

    private Future<Answer> listKeys(RoutingContext context) {
        UUID tenantId = tenantId(context);
        ListQuery query = ListQuery.of(context.request(), "keys of " + tenantId);
        return tenants.find(tenantId)
                .map(tenant -> tenant.orElseThrow(AdminTenants::noSuchTenant))
                .compose(tenant -> keys.list(tenantId, query.after(), query.fetch()))
                .map(found -> query.page(found, ApiKey::keyId))
                .map(page -> Answer.ok(out -> write(out, page, (to, key) -> {
                    to.writeStartObject();
                    writeFields(to, key);
                    to.writeEndObject();
                })));
    }

    private Future<Answer> revokeKey(RoutingContext context) {
        String keyId = AdminRequests.path(context, "key_id");
        // A text that cannot be stored would be PostgreSQL's to refuse, and that is an error, not an absence.
        Future<Boolean> known = Names.problem(keyId) == null ? keys.revoke(keyId) : Future.succeededFuture(false);
        return known.map(revoked -> {
            if (!revoked) {
                throw Problem.of(ProblemCode.NOT_FOUND, "there is no such key").rejection();
            }
            return Answer.noContent();
        });
    }

    private static UUID tenantId(RoutingContext context) {
        return Uuids.parse(AdminRequests.path(context, "id")).orElseThrow(AdminTenants::noSuchTenant);
    }

    private static Rejection noSuchTenant() {
        return Problem.of(ProblemCode.NOT_FOUND, "there is no such tenant").rejection();
    }

    private interface Writer<T> {
        void write(JsonGenerator out, T value) throws IOException;
    }

    private static <T> void write(JsonGenerator out, Page<T> page, Writer<T> writer) throws IOException {
        out.writeStartObject();
        out.writeArrayFieldStart("items");
        for (T item : page.items()) {
            writer.write(out, item);
        }
        out.writeEndArray();
        out.writeStringField("next", page.next().isEmpty() ? null : page.next());
        out.writeEndObject();
    }

    private static void write(JsonGenerator out, Tenant tenant) throws IOException {
        out.writeStartObject();
        out.writeStringField("id", tenant.id().toString());
        out.writeStringField("name", tenant.name());
        out.writeNumberField("retention_days", tenant.retentionDays());
        out.writeStringField("created_at", Rfc3339.format(tenant.createdAt()));
        out.writeEndObject();
    }

    private static void writeFields(JsonGenerator out, ApiKey key) throws IOException {
        out.writeStringField("key_id", key.keyId());
        out.writeStringField("tenant_id", key.tenantId().toString());
        out.writeStringField("name", key.name());
        String[] scopes = key.scopes().stream().map(Scope::code).sorted().toArray(String[]::new);
        out.writeFieldName("scopes");
        out.writeArray(scopes, 0, scopes.length);
        out.writeFieldName("bot_ids");
        if (key.botIds() == null) {
            out.writeNull();
        } else {
            String[] botIds = key.botIds().stream().sorted().toArray(String[]::new);
            out.writeArray(botIds, 0, botIds.length);
        }
        out.writeStringField("created_at", Rfc3339.format(key.createdAt()));
        out.writeStringField("expires_at", format(key.expiresAt()));
        out.writeStringField("revoked_at", format(key.revokedAt()));
    }

    private static @Nullable String format(@Nullable Instant instant) {
        return Optional.ofNullable(instant).map(Rfc3339::format).orElse(null);
    }
}
