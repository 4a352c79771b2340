package io.tailrace.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.TestDatabase;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class OutboxSchemaIT {
    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    private static Set<String> checked(String constraint) {
        String definition = db.value(
                String.class,
                "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = ? AND conparentid = 0 AND coninhcount = 0",
                constraint);
        Set<String> values = new TreeSet<>();
        Matcher literal = Pattern.compile("'([a-z_]+)'").matcher(definition);
        while (literal.find()) {
            values.add(literal.group(1));
        }
        return values;
    }

    private static Set<String> names(Enum<?>[] values) {
        Set<String> names = new TreeSet<>();
        Arrays.stream(values).forEach(value -> names.add(value.name().toLowerCase(Locale.ROOT)));
        return names;
    }

    @Test
    @DisplayName("OUT-16 the states and policies of the code are those of the CHECK constraints")
    void enums() {
        assertThat(checked("telegram_outbox_state_check")).isEqualTo(names(PartState.values()));
        assertThat(checked("telegram_outbox_inflight_state_check"))
                .isEqualTo(names(PartState.IN_FLIGHT.toArray(PartState[]::new)));
        assertThat(checked("telegram_outbox_delivery_policy_check")).isEqualTo(names(DeliveryPolicy.values()));
    }

    @Test
    @DisplayName("OUT-28 uniqueness of a batch's parts is each day's own: none on the parent, none on operation_id")
    void uniqueIndexes() {
        assertThat(unique("telegram_outbox")).isEmpty();
        List<Object> partitions = db.query("""
                        SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'telegram_outbox'::regclass""").stream()
                .map(row -> (Object) String.valueOf(row.get("name")))
                .toList();
        assertThat(partitions).hasSizeGreaterThan(7);
        for (Object partition : partitions) {
            assertThat(unique(String.valueOf(partition)))
                    .hasSize(2)
                    .anyMatch(index -> String.valueOf(index).contains("(tenant_id, batch_id, part_index)"))
                    .noneMatch(index -> String.valueOf(index).contains("operation_id"));
        }
    }

    /** With one, a plan made while a day was empty reads that whole index at each call, for as long as it is cached. */
    @Test
    @DisplayName("OUT-14 no index of a day contains the time, so plans go by key whatever the statistics")
    void noIndexOnTime() {
        assertThat(db.query("""
                        SELECT x.indexrelid::regclass::text AS name FROM pg_inherits i
                          JOIN pg_index x ON x.indrelid = i.inhrelid
                          JOIN pg_attribute a ON a.attrelid = x.indexrelid
                         WHERE i.inhparent IN ('telegram_outbox'::regclass, 'telegram_outbox_attempts'::regclass)
                           AND a.atttypid = 'timestamptz'::regtype""")).isEmpty();
        assertThat(unique("telegram_outbox_attempts_p"
                        + db.value(String.class, "SELECT to_char(tailrace_now() AT TIME ZONE 'UTC', 'YYYY_MM_DD')")))
                .singleElement()
                .asString()
                .contains("(outbox_id, lease_token)");
    }

    private static List<Object> unique(String table) {
        return db.query("""
                        SELECT pg_get_indexdef(indexrelid) AS definition FROM pg_index
                         WHERE indrelid = ?::regclass AND indisunique""", table).stream()
                .map(row -> (Object) String.valueOf(row.get("definition")))
                .toList();
    }

    @Test
    @DisplayName("OUT-28 no foreign key leads from or to a table of the outbox")
    void noForeignKeys() {
        assertThat(db.number("""
                SELECT count(*) FROM pg_constraint
                 WHERE contype = 'f' AND (conrelid::regclass::text LIKE 'telegram_outbox%'
                                          OR confrelid::regclass::text LIKE 'telegram_outbox%')""")).isZero();
    }

    @Test
    @DisplayName("OUT-33 the id that SQL answers is the one that the service reads")
    void partIds() {
        for (String at :
                new String[] {"2026-11-30 20:41:26.123456+00", "2000-01-01 00:00:00+00", "2199-12-31 23:59:59.999999+00"
                }) {
            String opaque = db.value(String.class, "SELECT tailrace.part_id(9007199254740993, ?::timestamptz)", at);
            PartId id = PartId.parse(opaque).orElseThrow();
            assertThat(id.id()).isEqualTo(9_007_199_254_740_993L);
            assertThat(id.createdAt())
                    .isEqualTo(db.value(OffsetDateTime.class, "SELECT ?::timestamptz", at)
                            .toInstant());
        }
    }
}
