package io.tailrace.peers;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** What the handlers of a run saw: per key the numbers must ascend, and one at a time. */
final class Seen {
    private final int keys;
    private final AtomicIntegerArray inFlight;
    private final AtomicIntegerArray last;
    private final AtomicIntegerArray times;
    private final AtomicInteger order = new AtomicInteger();
    private final AtomicInteger together = new AtomicInteger();
    private final AtomicInteger doubled = new AtomicInteger();
    private final AtomicInteger done = new AtomicInteger();

    private final boolean pausing;

    /** @param pausing whether handlers take their time, 0 to 4 ms: only then does it show whether a key is kept in order */
    Seen(int jobs, int keys, boolean pausing) {
        this.pausing = pausing;
        this.keys = keys;
        this.inFlight = new AtomicIntegerArray(Math.max(1, keys));
        this.last = new AtomicIntegerArray(Math.max(1, keys));
        this.times = new AtomicIntegerArray(jobs + 1);
    }

    /** A handler that does nothing but look. */
    void handle(int key, int number) {
        if (times.getAndIncrement(number) > 0) {
            doubled.incrementAndGet();
        }
        if (keys > 0) {
            if (inFlight.getAndIncrement(key) > 0) {
                together.incrementAndGet();
            }
            if (number <= last.getAndSet(key, number)) {
                order.incrementAndGet();
            }
            if (pausing) {
                pause();
            }
            inFlight.getAndDecrement(key);
        }
        done.incrementAndGet();
    }

    private static void pause() {
        try {
            Thread.sleep(ThreadLocalRandom.current().nextInt(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void add(Seen other) {
        order.addAndGet(other.order.get());
        together.addAndGet(other.together.get());
        doubled.addAndGet(other.doubled.get());
    }

    int done() {
        return done.get();
    }

    String line(String peer, int jobs, double enqueueSeconds, int drained, double drainSeconds) {
        double drain = drained / drainSeconds;
        return String.format(
                Locale.ROOT,
                "{\"peer\":\"%s\",\"enqueue\":%.0f,\"drain\":%.0f,\"cycle\":%.0f,\"order\":%d,\"together\":%d,\"doubled\":%d,\"left\":%d}",
                peer,
                jobs / enqueueSeconds,
                drain,
                // A run that was cut off is taken to go on at the rate it had.
                jobs / (enqueueSeconds + jobs / drain),
                order.get(),
                together.get(),
                doubled.get(),
                jobs - drained);
    }

    /** Which key a job has: as if by chance, but the same for everybody (murmur3's last step). */
    static int keyOf(int i, int keys) {
        int h = i + 1;
        h = (h ^ (h >>> 16)) * 0x85ebca6b;
        h = (h ^ (h >>> 13)) * 0xc2b2ae35;
        return keys > 0 ? ((h ^ (h >>> 16)) >>> 1) % keys : i;
    }

    static Map<String, String> options(String[] args) {
        Map<String, String> options = new HashMap<>();
        for (String arg : args) {
            String[] both = arg.substring(2).split("=", 2);
            options.put(both[0], both[1]);
        }
        return options;
    }

    static int option(Map<String, String> options, String name, int otherwise) {
        return Integer.parseInt(options.getOrDefault(name, Integer.toString(otherwise)));
    }

    static String jdbcUrl() {
        return "jdbc:postgresql://" + System.getenv("PGHOST") + ":" + System.getenv("PGPORT") + "/"
                + System.getenv("PGDATABASE") + "?reWriteBatchedInserts=true";
    }
}
