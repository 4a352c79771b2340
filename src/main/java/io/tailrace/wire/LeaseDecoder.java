package io.tailrace.wire;

import io.tailrace.outbox.Claim;
import io.tailrace.outbox.Lease;
import io.tailrace.outbox.PartId;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** {@code POST /v1/outbox/starts} and {@code /renewals}: leases by id and token. */
public final class LeaseDecoder {
    /** Leases in one call: four claims of the largest size. */
    static final int MAX_ITEMS = 1_000;

    private static final List<String> STARTS = List.of("items");
    private static final List<String> RENEWALS = List.of("items", "lease_seconds");
    private static final List<String> ITEM = List.of("id", "lease_token");

    /**
     * One item of a call.
     *
     * @param id as it came
     * @param value null when {@code id} is not one that can have been given out
     */
    public record Item<T>(String id, @Nullable T value) {}

    /** Leases, and what they are to be extended to. */
    public record Leases(List<Item<Lease>> items, Duration lease) {}

    private LeaseDecoder() {}

    public static Leases starts(JsonReader in) throws IOException {
        return leases(in, STARTS, Claim.DEFAULT_LEASE);
    }

    /** @param otherwise the lease of a renewal that names none */
    public static Leases renewals(JsonReader in, Duration otherwise) throws IOException {
        return leases(in, RENEWALS, otherwise);
    }

    private static Leases leases(JsonReader in, List<String> known, Duration otherwise) throws IOException {
        in.beginObject();
        List<Item<Lease>> items = null;
        Duration lease = otherwise;
        String name;
        while ((name = in.nextName()) != null) {
            if (!known.contains(name)) {
                throw in.unknown(known);
            }
            switch (name) {
                case "items" -> items = items(in, LeaseDecoder::item);
                default -> lease = ClaimDecoder.leaseSeconds(in);
            }
        }
        if (items == null) {
            throw in.missing("items");
        }
        return new Leases(items, lease);
    }

    /** An array of 1 to {@link #MAX_ITEMS}. One call says one thing about a part; two would depend on their order. */
    static <T> List<Item<T>> items(JsonReader in, StrictJson.Decoder<Item<T>> decoder) throws IOException {
        in.beginArray();
        List<Item<T>> items = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        while (in.nextElement()) {
            if (items.size() == MAX_ITEMS) {
                throw Problem.at(ProblemCode.TOO_LARGE, "/items", "has more than " + MAX_ITEMS + " items")
                        .rejection();
            }
            Item<T> item = decoder.decode(in);
            if (!seen.add(item.id())) {
                throw Problem.at(ProblemCode.INVALID_FIELD, "/items/" + items.size() + "/id", "is in this call twice")
                        .rejection();
            }
            items.add(item);
        }
        if (items.isEmpty()) {
            throw Problem.at(ProblemCode.INVALID_FIELD, "/items", "must have at least one item")
                    .rejection();
        }
        return items;
    }

    private static Item<Lease> item(JsonReader in) throws IOException {
        in.beginObject();
        String id = null;
        Long token = null;
        String name;
        while ((name = in.nextName()) != null) {
            switch (name) {
                case "id" -> id = in.text();
                case "lease_token" -> token = leaseToken(in);
                default -> throw in.unknown(ITEM);
            }
        }
        return lease(in, id, token);
    }

    static long leaseToken(JsonReader in) throws IOException {
        return in.number(0, Long.MAX_VALUE);
    }

    static Item<Lease> lease(JsonReader in, @Nullable String id, @Nullable Long token) {
        if (id == null) {
            throw in.missing("id");
        }
        if (token == null) {
            throw in.missing("lease_token");
        }
        long held = token;
        return new Item<>(id, PartId.parse(id).map(it -> new Lease(it, held)).orElse(null));
    }
}
