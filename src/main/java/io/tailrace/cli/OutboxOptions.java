package io.tailrace.cli;

import io.tailrace.app.Tailrace;
import io.tailrace.config.TailraceConfig;
import io.tailrace.outbox.PartId;
import io.tailrace.outbox.PartState;
import io.tailrace.tenant.Tenant;
import io.tailrace.wire.JsonBody;
import io.tailrace.wire.PartPage;
import io.tailrace.wire.Rejection;
import io.tailrace.wire.Reply;
import io.vertx.core.Future;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What every command of the outbox is told: the settings, whose outbox, and how to answer. */
final class OutboxOptions {
    @Mixin
    private final SettingsOptions settings = new SettingsOptions();

    @Option(names = "--tenant", paramLabel = "ID", description = "Whose. Default: the default tenant.")
    private UUID tenant = Tenant.DEFAULT;

    @Option(names = "--json", description = "Prints JSON as the API's twin answers, a document a line.")
    private boolean json;

    UUID tenant() {
        return tenant;
    }

    boolean json() {
        return json;
    }

    TailraceConfig load(Console console) {
        return settings.load(console);
    }

    /** Asks for a tenant that is there: of any other everything would look empty. */
    <T> T ask(TailraceConfig config, String what, Function<Tailrace, Future<T>> ask) {
        return Service.ask(config, what, parts -> parts.tenants()
                .find(tenant)
                .compose(found -> found.isPresent()
                        ? ask.apply(parts)
                        : Future.failedFuture(new CommandFailed("there is no tenant " + tenant))));
    }

    static void print(Console console, Reply reply) {
        print(console, reply.content());
    }

    static void print(Console console, JsonBody.Content content) {
        console.out().println(JsonBody.of(content));
    }

    /**
     * The ids, each once.
     *
     * @throws IllegalArgumentException when a text cannot be one; nothing should be done then, the others neither
     */
    static Set<PartId> ids(List<String> texts) {
        Set<PartId> ids = new LinkedHashSet<>();
        for (String text : texts) {
            ids.add(PartId.parse(text)
                    .orElseThrow(() -> new IllegalArgumentException(
                            "\"" + text + "\" is no part's id; `tailrace outbox list` shows them")));
        }
        return ids;
    }

    /** @throws IllegalArgumentException when there is no such state */
    static @Nullable PartState state(@Nullable String text) {
        if (text != null && !PartPage.STATES.contains(text)) {
            throw new IllegalArgumentException("--state must be one of " + String.join(", ", PartPage.STATES));
        }
        return text == null ? null : PartState.of(text);
    }

    /** @throws IllegalArgumentException when it is more than a page may have, or none */
    static int limit(int wanted, int most) {
        if (wanted < 1 || wanted > most) {
            throw new IllegalArgumentException("--limit must be between 1 and " + most);
        }
        return wanted;
    }

    /**
     * A page of a list.
     *
     * @throws IllegalArgumentException when its cursor is not of this list
     */
    static <T> T page(Supplier<T> page) {
        try {
            return page.get();
        } catch (Rejection e) {
            throw new IllegalArgumentException(
                    "--cursor is not one that this list gave out; repeat its filters, or leave it away", e);
        }
    }

    static @Nullable Set<String> orAny(Set<String> bots) {
        return bots.isEmpty() ? null : bots;
    }

    /** Where a list goes on: beside the answer, which is nothing but the answer. */
    static void more(Console console, @Nullable String cursor) {
        if (cursor != null) {
            console.err().println("There are more: add --cursor " + cursor);
        }
    }

    static String time(@Nullable Instant instant) {
        return instant == null ? "-" : instant.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    static String text(@Nullable String text) {
        return text == null || text.isEmpty() ? "-" : text.replaceAll("\\s+", " ");
    }
}
