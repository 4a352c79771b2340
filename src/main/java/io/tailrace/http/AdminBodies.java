package io.tailrace.http;

import io.tailrace.tenant.Names;
import io.tailrace.tenant.NewKey;
import io.tailrace.tenant.Scope;
import io.tailrace.tenant.Tenant;
import io.tailrace.wire.JsonReader;
import io.tailrace.wire.Rejection;
import io.tailrace.wire.StrictJson;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads the bodies of admin requests; what is not as it should be is a {@link Rejection} with its place. */
final class AdminBodies {
    private static final List<String> TENANT_FIELDS = List.of("name", "retention_days");
    private static final List<String> KEY_FIELDS = List.of("name", "scopes", "bot_ids", "expires_at");
    private static final String SCOPES =
            Arrays.stream(Scope.values()).map(Scope::code).collect(Collectors.joining(", "));

    /** A body here nests two deep; more is somebody trying. */
    private static final StrictJson JSON = new StrictJson(8);

    private AdminBodies() {}

    record NewTenant(String name, int retentionDays) {}

    static NewTenant tenant(byte[] body) {
        return JSON.read(body, in -> {
            in.beginObject();
            String name = null;
            int retentionDays = Tenant.DEFAULT_RETENTION_DAYS;
            for (String field = in.nextName(); field != null; field = in.nextName()) {
                switch (field) {
                    case "name" -> name = name(in);
                    case "retention_days" ->
                        retentionDays = (int) in.number(Tenant.SHORTEST_RETENTION_DAYS, Tenant.LONGEST_RETENTION_DAYS);
                    default -> throw in.unknown(TENANT_FIELDS);
                }
            }
            if (name == null) {
                throw in.missing("name");
            }
            return new NewTenant(name, retentionDays);
        });
    }

    static NewKey key(byte[] body) {
        return JSON.read(body, in -> {
            in.beginObject();
            String name = null;
            Set<Scope> scopes = null;
            Set<String> botIds = null;
            Instant expiresAt = null;
            for (String field = in.nextName(); field != null; field = in.nextName()) {
                switch (field) {
                    case "name" -> name = name(in);
                    case "scopes" -> scopes = scopes(in);
                    case "bot_ids" -> botIds = botIds(in);
                    case "expires_at" -> expiresAt = in.instantOrNull();
                    default -> throw in.unknown(KEY_FIELDS);
                }
            }
            if (name == null) {
                throw in.missing("name");
            }
            if (scopes == null) {
                throw in.missing("scopes");
            }
            return new NewKey(name, scopes, botIds, expiresAt);
        });
    }

    /** Nothing to say: an empty object, or no body at all. */
    static void nothing(byte[] body) {
        if (body.length == 0) {
            return;
        }
        JSON.read(body, in -> {
            in.beginObject();
            if (in.nextName() != null) {
                throw in.unknown(List.of());
            }
            return body;
        });
    }

    private static String name(JsonReader in) throws IOException {
        String name = in.text();
        String problem = Names.problem(name);
        if (problem != null) {
            throw in.invalid(problem);
        }
        return name;
    }

    private static Set<Scope> scopes(JsonReader in) throws IOException {
        Set<Scope> scopes = EnumSet.noneOf(Scope.class);
        in.beginArray();
        while (in.nextElement()) {
            scopes.add(Scope.of(in.text()).orElseThrow(() -> in.invalid("must be one of " + SCOPES)));
        }
        if (scopes.isEmpty()) {
            throw in.invalid("must have at least one of " + SCOPES);
        }
        return scopes;
    }

    private static @Nullable Set<String> botIds(JsonReader in) throws IOException {
        if (in.isNull()) {
            return null;
        }
        Set<String> botIds = new LinkedHashSet<>();
        in.beginArray();
        while (in.nextElement()) {
            String botId = in.id(false);
            String problem = Names.problem(botId);
            if (problem != null) {
                throw in.invalid(problem);
            }
            botIds.add(botId);
            if (botIds.size() > NewKey.MOST_BOTS) {
                throw in.invalid("must have at most " + NewKey.MOST_BOTS + " bots");
            }
        }
        if (botIds.isEmpty()) {
            throw in.invalid("must name a bot, or be null for a key that is bound to none");
        }
        return botIds;
    }
}
