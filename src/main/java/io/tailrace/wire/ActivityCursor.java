package io.tailrace.wire;

import io.tailrace.activity.Activity;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Where a conversation's list goes on: after a seq, and not before the time of that activity, which spares older months. */
public final class ActivityCursor {
    /** A conversation of a tenant. */
    public record List(UUID tenant, UUID conversation) {
        String after(Activity last) {
            return new KeysetCursor(ChronoUnit.MICROS.between(Instant.EPOCH, last.insertedAt()), last.seq())
                    .text(name());
        }

        private String name() {
            return "activities\n" + tenant + "\n" + conversation;
        }
    }

    /**
     * Where to begin.
     *
     * @param since no wanted activity is older; null when that is not known
     */
    public record Start(long after, @Nullable Instant since) {}

    private ActivityCursor() {}

    /**
     * @param after the seq before the first that is wanted, when there is no cursor
     * @throws Rejection for a cursor of another list
     */
    public static Start start(List list, @Nullable String cursor, long after) {
        if (cursor == null) {
            return new Start(after, null);
        }
        KeysetCursor parsed = KeysetCursor.parse(cursor, list.name()).orElseThrow(KeysetCursor::notOfThisList);
        return new Start(parsed.second(), Instant.EPOCH.plus(parsed.first(), ChronoUnit.MICROS));
    }
}
