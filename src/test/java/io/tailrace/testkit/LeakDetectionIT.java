package io.tailrace.testkit;

import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.vertx.pgclient.PgConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.testkit.engine.EngineTestKit;

/** The kit's own promise: a class that keeps a connection is red. */
class LeakDetectionIT {
    static class KeepsOneOfThePool {
        @RegisterExtension
        static final TestDatabase db = TestDatabase.create();

        @Test
        void takes() {
            await(db.database().service().getConnection());
        }
    }

    static class KeepsOneOfItsOwn {
        @RegisterExtension
        static final TestDatabase db = TestDatabase.create();

        @Test
        void takes() {
            await(PgConnection.connect(db.vertx(), db.database().ownConnection("kept")));
        }
    }

    static class GivesBack {
        @RegisterExtension
        static final TestDatabase db = TestDatabase.create();

        @Test
        void takes() {
            await(db.database().service().getConnection().compose(connection -> connection.close()));
        }
    }

    @Test
    void aKeptConnectionFailsItsClass() {
        assertThat(failedClasses(KeepsOneOfThePool.class)).isOne();
        assertThat(failedClasses(KeepsOneOfItsOwn.class)).isOne();
        assertThat(failedClasses(GivesBack.class)).isZero();
    }

    private static long failedClasses(Class<?> testClass) {
        return EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(testClass))
                .execute()
                .containerEvents()
                .failed()
                .count();
    }
}
