package io.tailrace.testkit;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Decides how each call ends. Asked on one thread, in order of arrival. */
@FunctionalInterface
public interface TelegramScript {
    TelegramAnswer answer(FakeTelegram.Call call);

    /** Every call succeeds. */
    static TelegramScript ok() {
        return call -> TelegramAnswer.ok();
    }

    /** These answers in turn, then success. */
    static TelegramScript of(TelegramAnswer... answers) {
        ArrayDeque<TelegramAnswer> left = new ArrayDeque<>(List.of(answers));
        return call -> {
            TelegramAnswer next = left.poll();
            return next == null ? TelegramAnswer.ok() : next;
        };
    }

    /** These answers in turn in each chat, then success. */
    static TelegramScript perChat(TelegramAnswer... answers) {
        Map<String, TelegramScript> chats = new HashMap<>();
        return call -> chats.computeIfAbsent(call.chat(), chat -> of(answers)).answer(call);
    }

    /**
     * In {@code percent} of the calls one of {@code troubles}, else success. What a chat's n-th call meets depends on the
     * seed, the chat and n alone, not on how the chats interleave.
     */
    static TelegramScript seeded(long seed, int percent, TelegramAnswer... troubles) {
        Map<String, Random> chats = new HashMap<>();
        return call -> {
            Random random = chats.computeIfAbsent(call.chat(), chat -> new Random(seed * 31 + chat.hashCode()));
            // Both are drawn each time, so that the sequence does not depend on the outcome.
            boolean trouble = random.nextInt(100) < percent;
            TelegramAnswer which = troubles[random.nextInt(troubles.length)];
            return trouble ? which : TelegramAnswer.ok();
        };
    }
}
