package io.tailrace.activity;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Some of a conversation's activities.
 *
 * @param firstAvailableSeq the lowest seq that is still stored; null when none is
 * @param more whether there was one after the last of these
 */
public record ActivityPage(List<Activity> items, @Nullable Long firstAvailableSeq, boolean more) {
    public ActivityPage {
        items = List.copyOf(items);
    }
}
