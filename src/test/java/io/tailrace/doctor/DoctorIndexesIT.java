package io.tailrace.doctor;

import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tailrace.activity.ActivityTables;
import io.tailrace.outbox.OutboxTables;
import io.tailrace.testkit.TestDatabase;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class DoctorIndexesIT {
    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    private static List<Diagnosis> examine() {
        return await(new Doctor(db.database(), List.of(), OutboxTables.DAILY, 10, InstantSource.system()).examine());
    }

    private static List<Diagnosis> about(String name) {
        return examine().stream().filter(one -> one.about().equals(name)).toList();
    }

    @Test
    @DisplayName("CLI-1 OUT-28 what doctor says to do about dropped and broken indexes of a day mends them")
    void mends() {
        String day = db.value(
                String.class,
                "SELECT max(inhrelid::regclass::text) FROM pg_inherits WHERE inhparent = 'telegram_outbox'::regclass");
        assertThat(about(day)).isEmpty();
        db.execute("ALTER TABLE " + day + " DROP CONSTRAINT " + day + "_pkey");
        db.execute("DROP INDEX " + day + "_batch_part");
        List<Diagnosis> missing = about(day);
        assertThat(missing)
                .extracting(Diagnosis::detail)
                .satisfiesExactly(
                        first -> assertThat(first).contains("no primary key (id)"),
                        second -> assertThat(second).contains("no unique index (tenant_id, batch_id, part_index)"));

        // An attempt to mend it fails at twins, and leaves an index that keeps nothing out.
        for (int i = 1; i <= 2; i++) {
            db.query("SELECT tailrace.enqueue(tailrace.default_tenant(), ?::jsonb)", """
                    {"batch_id": "b%d", "parts": [{"bot_id": "7", "ordering_key": "k", "method_kind": "m", "payload": {}}]}""".formatted(i));
        }
        String today = db.value(String.class, "SELECT tableoid::regclass::text FROM telegram_outbox LIMIT 1");
        db.execute("DROP INDEX " + today + "_batch_part");
        assertThatThrownBy(() -> db.execute(
                        "CREATE UNIQUE INDEX CONCURRENTLY " + today + "_batch_part ON " + today + " (tenant_id)"))
                .hasMessageContaining("could not create unique index");
        assertThat(about(today + "_batch_part"))
                .singleElement()
                .extracting(Diagnosis::whatToDo)
                .isEqualTo("REINDEX INDEX CONCURRENTLY " + today + "_batch_part");
        db.execute("DROP INDEX " + today + "_batch_part");

        examine().stream()
                .filter(one -> one.about().startsWith("telegram_outbox"))
                .forEach(one -> List.of(one.whatToDo().split("; ")).forEach(db::execute));
        assertThat(examine()).noneMatch(one -> one.about().startsWith("telegram_outbox"));
    }

    @Test
    @DisplayName("CLI-1 ACT-4 what doctor says to do about a month of activities without its unique indexes mends it")
    void mendsMonths() {
        Doctor doctor = new Doctor(db.database(), List.of(), ActivityTables.MONTHLY, 10, InstantSource.system());
        String month = db.value(
                String.class,
                "SELECT max(inhrelid::regclass::text) FROM pg_inherits WHERE inhparent = 'activities'::regclass");
        assertThat(await(doctor.examine())).noneMatch(one -> one.about().equals(month));
        db.execute("DROP INDEX " + month + "_key; DROP INDEX " + month + "_seq");
        List<Diagnosis> found = await(doctor.examine()).stream()
                .filter(one -> one.about().equals(month))
                .toList();
        assertThat(found).hasSize(2);
        found.forEach(one -> db.execute(one.whatToDo()));
        assertThat(await(doctor.examine())).noneMatch(one -> one.about().equals(month));
    }
}
