package io.tailrace.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A client of Server-Sent Events, read by a thread of its own. */
public final class EventStreamClient implements AutoCloseable {
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /**
     * One event.
     *
     * @param event {@code message} when none was named; {@code closed} when the stream came to its end
     */
    public record Event(@Nullable String id, String event, String data) {}

    private final HttpResponse<InputStream> response;
    private final LinkedBlockingQueue<Event> events = new LinkedBlockingQueue<>();

    private EventStreamClient(HttpResponse<InputStream> response) {
        this.response = response;
        Thread reader = new Thread(this::read, "event-stream-client");
        reader.setDaemon(true);
        reader.start();
    }

    /** @param lastEventId null: none is sent */
    public static EventStreamClient open(String url, String key, @Nullable String lastEventId) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url)).header("authorization", "Bearer " + key);
        if (lastEventId != null) {
            request.header("last-event-id", lastEventId);
        }
        try {
            return new EventStreamClient(HTTP.send(request.build(), HttpResponse.BodyHandlers.ofInputStream()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    public int status() {
        return response.statusCode();
    }

    public String header(String name) {
        return response.headers().firstValue(name).orElse("");
    }

    /** The next one; fails when none comes in {@code atMost}. */
    public Event next(Duration atMost) {
        try {
            Event event = events.poll(atMost.toMillis(), TimeUnit.MILLISECONDS);
            if (event == null) {
                throw new AssertionError("no event within " + atMost);
            }
            return event;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    public Event next() {
        return next(TestDatabase.PATIENCE);
    }

    private void read() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
            String id = null;
            String event = "message";
            StringBuilder data = new StringBuilder();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.isEmpty()) {
                    if (!data.isEmpty()) {
                        events.add(new Event(id, event, data.toString()));
                    }
                    data.setLength(0);
                    event = "message";
                } else if (line.startsWith("id: ")) {
                    id = line.substring(4);
                } else if (line.startsWith("event: ")) {
                    event = line.substring(7);
                } else if (line.startsWith("data: ")) {
                    data.append(data.isEmpty() ? "" : "\n").append(line, 6, line.length());
                }
            }
            events.add(new Event(null, "closed", ""));
        } catch (IOException e) {
            events.add(new Event(null, "closed", String.valueOf(e.getMessage())));
        }
    }

    @Override
    public void close() {
        try {
            response.body().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
