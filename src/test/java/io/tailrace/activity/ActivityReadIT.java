package io.tailrace.activity;

import static io.tailrace.activity.ActivityFixture.TENANT;
import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Reading the log: pages, look-ups by id, and which months either touches. */
class ActivityReadIT {
    /** In the transaction at hand: what the statistics views do not have yet. */
    private static final String KEY_SCANS = """
            SELECT coalesce(sum(pg_stat_get_xact_numscans(indexrelid)), 0)::bigint FROM pg_stat_user_indexes
             WHERE indexrelname LIKE 'activities%\\_key'""";

    private static final Duration MONTH = Duration.ofDays(31);

    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    private ActivityFixture fixture;
    private UUID conversation;

    @BeforeEach
    void open() {
        ActivityFixture.empty(db);
        fixture = new ActivityFixture(db);
        conversation = fixture.conversation();
    }

    @AfterEach
    void close() {
        db.clock().reset();
        fixture.close();
    }

    private ActivityPage page(long after, @Nullable Instant since, int limit) {
        return await(fixture.activities.page(TENANT, conversation, after, since, limit))
                .orElseThrow();
    }

    private List<Activity> store(int count) {
        List<Activity> stored = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            stored.add(fixture.store(conversation, null));
        }
        return stored;
    }

    @Test
    @DisplayName("ACT-7 a page has at most the limit after a seq, says whether there is more and where the log begins")
    void pages() {
        assertThat(page(0, null, 10)).isEqualTo(new ActivityPage(List.of(), null, false));
        List<Activity> stored = store(5);
        assertThat(page(0, null, 2)).isEqualTo(new ActivityPage(stored.subList(0, 2), 1L, true));
        assertThat(page(2, stored.get(1).insertedAt(), 2)).isEqualTo(new ActivityPage(stored.subList(2, 4), 1L, true));
        assertThat(page(4, stored.get(3).insertedAt(), 2)).isEqualTo(new ActivityPage(stored.subList(4, 5), 1L, false));
        assertThat(page(3, null, 2)).isEqualTo(new ActivityPage(stored.subList(3, 5), 1L, false));
        assertThat(page(5, null, 2)).isEqualTo(new ActivityPage(List.of(), 1L, false));
    }

    @Test
    @DisplayName("ACT-7 a conversation is read in order over months, from wherever the reader is")
    void overMonths() {
        List<Activity> stored = new ArrayList<>(store(2));
        db.clock().advance(MONTH);
        stored.addAll(store(2));
        db.clock().advance(MONTH);
        stored.addAll(store(2));
        assertThat(page(0, null, 10).items()).isEqualTo(stored);
        assertThat(page(1, null, 4).items()).isEqualTo(stored.subList(1, 5));
        assertThat(page(4, stored.get(3).insertedAt(), 4).items()).isEqualTo(stored.subList(4, 6));
        assertThat(page(0, null, 3).more()).isTrue();
    }

    @Test
    @DisplayName("ACT-1 what was deleted leaves a hole, or a later start that reads say")
    void firstAvailable() {
        List<Activity> stored = store(4);
        await(fixture.activities.delete(TENANT, stored.get(2).id()));
        assertThat(page(0, null, 10).firstAvailableSeq()).isEqualTo(1);
        await(fixture.activities.delete(TENANT, stored.get(0).id()));
        assertThat(page(0, null, 10)).isEqualTo(new ActivityPage(List.of(stored.get(1), stored.get(3)), 2L, false));
    }

    @Test
    @DisplayName("ACT-17 another tenant reads nothing of it: no page, no activity")
    void anotherTenant() {
        Activity stored = store(1).get(0);
        UUID tenant = fixture.tenant();
        assertThat(await(fixture.activities.page(tenant, conversation, 0, null, 10)))
                .isEmpty();
        assertThat(await(fixture.activities.find(tenant, stored.id()))).isEmpty();
        assertThat(await(fixture.activities.delete(tenant, stored.id()))).isEqualTo(DeleteResult.NOT_FOUND);
    }

    @Test
    @DisplayName("ACT-16 an activity is found by its id, also one whose id carries another time or none")
    void find() {
        Activity stored = store(1).get(0);
        assertThat(await(fixture.activities.find(TENANT, stored.id()))).contains(stored);
        assertThat(await(fixture.activities.find(TENANT, UUID.randomUUID()))).isEmpty();
        UUID converted = UUID.randomUUID();
        db.execute("UPDATE activities SET id = ?", converted);
        assertThat(await(fixture.activities.find(TENANT, converted)).map(Activity::seq))
                .contains(1L);
        UUID elsewhere = db.value(UUID.class, "SELECT tailrace.uuid_v7(tailrace_now() + interval '60 days')");
        db.execute("UPDATE activities SET id = ?", elsewhere);
        assertThat(await(fixture.activities.find(TENANT, elsewhere)).map(Activity::seq))
                .contains(1L);
    }

    @Test
    @DisplayName("ACT-16 an id carries the millisecond it was made in, over the whole calendar")
    void idsCarryTheirTime() {
        assertThat(db.number("""
                        SELECT count(*) FROM generate_series(0, 20000) n,
                               LATERAL (SELECT timestamptz '1970-01-01 00:00:00.000001+00' + n * interval '3 days 7 hours 11.123457 seconds' AS at) t
                         WHERE tailrace.uuid_v7_time(tailrace.uuid_v7(t.at)) IS DISTINCT FROM date_trunc('milliseconds', t.at)""")).isZero();
        assertThat(
                        db.number(
                                "SELECT count(*) FROM (SELECT gen_random_uuid() AS id) x WHERE tailrace.uuid_v7_time(x.id) IS NOT NULL"))
                .isZero();
    }

    @Test
    @DisplayName("ACT-16 a look-up by id reads the one month that the id carries, by its key")
    void oneMonth() {
        Activity stored = store(1).get(0);
        List<String> plan = plan(ActivityReadStore.FIND_AT, "uuid, uuid", quoted(stored.id(), TENANT));
        assertThat(scans(plan)).singleElement().asString().contains("Index Scan");
        assertThat(plan).anyMatch(line -> line.contains("Subplans Removed"));
    }

    @Test
    @DisplayName(
            "ACT-7 a page reads the months from where it is told on, each by its index of seq and not further than needed")
    void prunedPage() {
        Activity stored = store(1).get(0);
        db.clock().advance(MONTH.multipliedBy(3));
        Activity later = store(1).get(0);
        String from = quoted(conversation, "0", later.insertedAt().atOffset(ZoneOffset.UTC), 101);
        assertThat(scans(plan(ActivityReadStore.PAGE, "uuid, bigint, timestamptz, integer", from)))
                .singleElement()
                .asString()
                .contains("_seq");
        String all = quoted(conversation, "0", stored.insertedAt().atOffset(ZoneOffset.UTC), 101);
        List<String> whole = plan(ActivityReadStore.PAGE, "uuid, bigint, timestamptz, integer", all);
        assertThat(scans(whole)).hasSize(4).allMatch(line -> line.contains("_seq"));
        assertThat(whole).noneMatch(line -> line.contains("Sort Key: a.seq") && line.contains("Sort Method"));
    }

    @Test
    @DisplayName(
            "ACT-2 the look-up of a key reads the months from a conversation's beginning to its last activity, and no others")
    void prunedKey() {
        db.clock().advance(MONTH.multipliedBy(2));
        UUID young = fixture.conversation();
        UUID empty = fixture.conversation();
        fixture.store(conversation, "old");
        fixture.store(young, "k");
        assertThat(monthsProbed(conversation)).isEqualTo(3);
        assertThat(monthsProbed(young)).isEqualTo(1);
        assertThat(monthsProbed(empty)).isZero();
    }

    /** How many months' key indexes an append of a new key to this conversation looks into. */
    private int monthsProbed(UUID id) {
        try (Connection connection = db.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            long before = number(statement, KEY_SCANS);
            statement.execute("""
                    SELECT a.code FROM tailrace.append_activities(NULL, ARRAY ['%s'::uuid], ARRAY [1], ARRAY [tailrace.default_tenant()],
                        ARRAY ['message'], ARRAY ['u'], ARRAY ['Hello'], ARRAY ['[]'], ARRAY ['{}'], ARRAY ['new'],
                        ARRAY [NULL::text]) a""".formatted(id));
            long after = number(statement, KEY_SCANS);
            connection.rollback();
            return (int) (after - before);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long number(Statement statement, String sql) throws SQLException {
        try (ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    private static List<String> scans(List<String> plan) {
        return plan.stream()
                .filter(line ->
                        line.contains("Scan") && line.contains("activities_p") && !line.contains("never executed"))
                .toList();
    }

    private static String quoted(Object... values) {
        List<String> all = new ArrayList<>();
        for (Object value : values) {
            all.add("'" + value + "'");
        }
        return String.join(", ", all);
    }

    /** As the service's sessions plan and run it. */
    private static List<String> plan(String sql, String types, String values) {
        List<String> lines = new ArrayList<>();
        try (Connection connection = db.connect();
                Statement statement = connection.createStatement()) {
            for (String setting : List.of(
                    "plan_cache_mode = force_generic_plan",
                    "enable_seqscan = off",
                    "enable_hashjoin = off",
                    "enable_mergejoin = off",
                    "jit = off")) {
                statement.execute("SET " + setting);
            }
            statement.execute("PREPARE asked (" + types + ") AS " + sql);
            try (ResultSet rows = statement.executeQuery("EXPLAIN (ANALYZE) EXECUTE asked (" + values + ")")) {
                while (rows.next()) {
                    lines.add(rows.getString(1));
                }
            }
            return lines;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
