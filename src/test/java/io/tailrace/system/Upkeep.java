package io.tailrace.system;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.outbox.Outbox;
import io.tailrace.outbox.OutboxSettings;
import io.tailrace.testkit.TestDatabase;
import io.tailrace.worker.PeriodicWorker;

/**
 * One more instance on the test's database that takes back lapsed leases whenever it is asked to, so that no test waits for
 * the half minute between two rescues.
 */
final class Upkeep implements AutoCloseable {
    private final Outbox outbox;

    Upkeep(TestDatabase db) {
        this.outbox = new Outbox(db.vertx(), db.database(), OutboxSettings.DEFAULT, new SimpleMeterRegistry());
    }

    void rescue() {
        TestDatabase.await(outbox.workers().stream()
                .filter(worker -> worker.name().equals("outbox-rescue"))
                .findFirst()
                .map(PeriodicWorker::runOnce)
                .orElseThrow());
    }

    @Override
    public void close() {
        TestDatabase.await(outbox.stop());
    }
}
