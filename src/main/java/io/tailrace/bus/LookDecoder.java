package io.tailrace.bus;

import io.tailrace.outbox.PartId;
import io.tailrace.outbox.PartState;
import io.tailrace.wire.BlockedPage;
import io.tailrace.wire.JsonReader;
import io.tailrace.wire.PartPage;
import io.tailrace.wire.PartViewWriter;
import io.tailrace.wire.ReaderReplies;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What HTTP takes from a path and a query, out of an object with members of the same names. */
final class LookDecoder {
    private static final List<String> ITEM = List.of("id", "include");
    private static final List<String> PART = List.of("id");
    private static final List<String> BATCH = List.of("batch_id");
    private static final List<String> BLOB = List.of("sha256");
    private static final List<String> BLOCKED = List.of("limit", "cursor");
    private static final List<String> LIST = List.of("state", "limit", "cursor", "include");

    /** One part, and what of it to show. */
    record Item(PartId id, Set<String> include) {}

    private LookDecoder() {}

    static PartId part(JsonReader in) throws IOException {
        return PartId.parse(only(in, PART)).orElseThrow(ReaderReplies::noPart);
    }

    static String batch(JsonReader in) throws IOException {
        return only(in, BATCH);
    }

    static String blob(JsonReader in) throws IOException {
        return only(in, BLOB);
    }

    /** The text of the one member that there has to be. */
    static String only(JsonReader in, List<String> member) throws IOException {
        in.beginObject();
        String text = null;
        String name;
        while ((name = in.nextName()) != null) {
            if (!member.contains(name)) {
                throw in.unknown(member);
            }
            text = in.text();
        }
        if (text == null) {
            throw in.missing(member.get(0));
        }
        return text;
    }

    static BlockedPage blocked(JsonReader in, UUID tenant) throws IOException {
        in.beginObject();
        int limit = BlockedPage.DEFAULT_LIMIT;
        String cursor = null;
        String name;
        while ((name = in.nextName()) != null) {
            switch (name) {
                case "limit" -> limit = (int) in.number(1, BlockedPage.MAX_LIMIT);
                case "cursor" -> cursor = in.textOrNull();
                default -> throw in.unknown(BLOCKED);
            }
        }
        return BlockedPage.of(tenant, null, cursor, limit);
    }

    static Item item(JsonReader in) throws IOException {
        in.beginObject();
        String id = null;
        Set<String> include = Set.of();
        String name;
        while ((name = in.nextName()) != null) {
            switch (name) {
                case "id" -> id = in.text();
                case "include" -> include = include(in);
                default -> throw in.unknown(ITEM);
            }
        }
        if (id == null) {
            throw in.missing("id");
        }
        return new Item(PartId.parse(id).orElseThrow(ReaderReplies::noPart), include);
    }

    static PartPage list(JsonReader in, UUID tenant) throws IOException {
        in.beginObject();
        PartState state = null;
        int limit = PartPage.DEFAULT_LIMIT;
        String cursor = null;
        Set<String> include = Set.of();
        String name;
        while ((name = in.nextName()) != null) {
            switch (name) {
                case "state" -> state = state(in);
                case "limit" -> limit = (int) in.number(1, PartPage.MAX_LIMIT);
                case "cursor" -> cursor = in.textOrNull();
                case "include" -> include = include(in);
                default -> throw in.unknown(LIST);
            }
        }
        return PartPage.of(tenant, state, null, cursor, limit, include);
    }

    /** An object without members. */
    static Boolean nothing(JsonReader in) throws IOException {
        in.beginObject();
        if (in.nextName() != null) {
            throw in.unknown(List.of());
        }
        return true;
    }

    private static @Nullable PartState state(JsonReader in) throws IOException {
        String text = in.textOrNull();
        if (text == null) {
            return null;
        }
        if (!PartPage.STATES.contains(text)) {
            throw in.invalid("must be one of " + String.join(", ", PartPage.STATES));
        }
        return PartState.of(text);
    }

    private static Set<String> include(JsonReader in) throws IOException {
        in.beginArray();
        Set<String> include = new TreeSet<>();
        while (in.nextElement()) {
            String one = in.text();
            if (!PartViewWriter.INCLUDABLE.contains(one)) {
                throw in.invalid("must be one of " + String.join(", ", PartViewWriter.INCLUDABLE));
            }
            include.add(one);
        }
        return include;
    }
}
