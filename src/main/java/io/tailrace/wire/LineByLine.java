package io.tailrace.wire;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A request of many things, each asked for and answered for itself: in the order of the request, a bounded number of them in
 * flight, so that one request cannot fill a queue that others need. Nothing is asked for before the whole body is there.
 *
 * @param <T> what a line says
 * @param <A> what it comes to
 */
public final class LineByLine<T, A> {
    /** Lines on their way to the database at the same time. */
    public static final int IN_FLIGHT = 128;

    public static final int MOST_LINES = 10_000;

    /**
     * A line that is not blank.
     *
     * @param number from 1, blank lines counted
     * @param value null when it was refused before it was asked for
     */
    public record Line<T>(
            int number, @Nullable T value, @Nullable Problem problem) {}

    /** What became of a line. */
    public record Answer<A>(@Nullable A done, @Nullable Problem problem) {}

    /** Asks the capability; throws {@link Rejection} for what it may not be asked. */
    public interface Asking<T, A> {
        Future<Answer<A>> ask(T value);
    }

    private final int inFlightAtMost;
    private final List<Line<T>> lines;
    private final Asking<T, A> asking;
    private final List<Answer<A>> answers = new ArrayList<>();
    private final Promise<List<Answer<A>>> promise = Promise.promise();
    private int next;
    private int inFlight;
    private boolean feeding;

    private LineByLine(List<Line<T>> lines, int inFlightAtMost, Asking<T, A> asking) {
        this.lines = lines;
        this.inFlightAtMost = inFlightAtMost;
        this.asking = asking;
        lines.forEach(line -> answers.add(new Answer<>(null, line.problem())));
    }

    /** The answers, line by line. */
    public static <T, A> Future<List<Answer<A>>> ask(List<Line<T>> lines, int inFlightAtMost, Asking<T, A> asking) {
        LineByLine<T, A> run = new LineByLine<>(lines, inFlightAtMost, asking);
        run.feed();
        return run.promise.future();
    }

    /**
     * Reads NDJSON.
     *
     * @param decoder of one line
     * @param what a line is, for who sends none: {@code batch}
     */
    public static <T> List<Line<T>> ofNdjson(byte[] body, String what, Function<byte[], T> decoder) {
        List<Line<T>> lines = new ArrayList<>();
        int number = 0;
        for (int from = 0; from < body.length; ) {
            int to = from;
            while (to < body.length && body[to] != '\n') {
                to++;
            }
            number++;
            byte[] line = Arrays.copyOfRange(body, from, to);
            from = to + 1;
            if (!blank(line)) {
                requireRoom(lines);
                lines.add(line(number, line, decoder));
            }
        }
        if (lines.isEmpty()) {
            throw Problem.of(ProblemCode.MALFORMED, "the body is empty; one " + what + " a line is expected")
                    .rejection();
        }
        return lines;
    }

    static void requireRoom(List<?> lines) {
        if (lines.size() == MOST_LINES) {
            throw Problem.of(ProblemCode.TOO_LARGE, "the body has more than " + MOST_LINES + " lines")
                    .rejection();
        }
    }

    static <T> Line<T> line(int number, byte[] text, Function<byte[], T> decoder) {
        try {
            return new Line<>(number, decoder.apply(text), null);
        } catch (Rejection e) {
            return new Line<>(number, null, e.problem());
        }
    }

    private static boolean blank(byte[] line) {
        for (byte b : line) {
            if (b != ' ' && b != '\t' && b != '\r') {
                return false;
            }
        }
        return true;
    }

    private void feed() {
        if (feeding) {
            // A line that was answered at once: the loop below goes on, instead of one frame deeper.
            return;
        }
        feeding = true;
        while (next < lines.size() && inFlight < inFlightAtMost) {
            int index = next++;
            T value = lines.get(index).value();
            if (value == null) {
                continue;
            }
            inFlight++;
            started(value).onComplete(done -> {
                inFlight--;
                answers.set(index, done.succeeded() ? done.result() : new Answer<>(null, Failures.of(done.cause())));
                feed();
            });
        }
        feeding = false;
        if (next == lines.size() && inFlight == 0) {
            promise.tryComplete(List.copyOf(answers));
        }
    }

    private Future<Answer<A>> started(T value) {
        try {
            return asking.ask(value);
        } catch (Rejection e) {
            return Future.succeededFuture(new Answer<>(null, e.problem()));
        }
    }
}
