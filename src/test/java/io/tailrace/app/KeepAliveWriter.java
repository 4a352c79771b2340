package io.tailrace.app;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.IntFunction;

/**
 * Posts one body after another over a keep-alive connection until the port is closed, and notes what became of each.
 *
 * <p>On a bare socket, because ready-made clients quietly send a request again when its connection goes: a request that
 * was cut would not show.
 */
final class KeepAliveWriter implements Callable<Void> {
    private static final int LONGEST_ANSWER_MS = 40_000;

    /** What all writers saw. */
    static final class Ledger {
        final Queue<Integer> acknowledged = new ConcurrentLinkedQueue<>();
        final Queue<String> otherAnswers = new ConcurrentLinkedQueue<>();
        final Queue<String> cut = new ConcurrentLinkedQueue<>();
    }

    private record Answer(String status, boolean closes) {}

    private final URI target;
    private final String key;
    private final IntFunction<String> body;
    private final int first;
    private final int step;
    private final Ledger ledger;

    /** Posts body {@code first}, then {@code first + step}, and so on. */
    KeepAliveWriter(URI target, String key, IntFunction<String> body, int first, int step, Ledger ledger) {
        this.target = target;
        this.key = key;
        this.body = body;
        this.first = first;
        this.step = step;
        this.ledger = ledger;
    }

    @Override
    public Void call() throws IOException {
        int number = first;
        while (true) {
            try (Socket socket = new Socket(target.getHost(), target.getPort())) {
                socket.setSoTimeout(LONGEST_ANSWER_MS);
                InputStream in = new BufferedInputStream(socket.getInputStream());
                boolean open = true;
                while (open) {
                    open = !post(socket, in, number);
                    number += step;
                }
            } catch (ConnectException e) {
                return null;
            } catch (IOException e) {
                ledger.cut.add(number + " " + e);
                number += step;
            }
        }
    }

    /** True when the answer announced the connection's end. */
    private boolean post(Socket socket, InputStream in, int number) throws IOException {
        byte[] bytes = body.apply(number).getBytes(StandardCharsets.UTF_8);
        String head = "POST " + target.getPath() + " HTTP/1.1\r\nhost: test\r\nauthorization: Bearer " + key
                + "\r\ncontent-type: application/json\r\ncontent-length: " + bytes.length + "\r\n\r\n";
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        request.writeBytes(head.getBytes(StandardCharsets.US_ASCII));
        request.writeBytes(bytes);
        socket.getOutputStream().write(request.toByteArray());
        Answer answer = read(in);
        if (answer.status.equals("201")) {
            ledger.acknowledged.add(number);
        } else {
            ledger.otherAnswers.add(number + " " + answer.status);
        }
        return answer.closes;
    }

    private static Answer read(InputStream in) throws IOException {
        String status = line(in).substring("HTTP/1.1 ".length(), "HTTP/1.1 ".length() + 3);
        int length = 0;
        boolean closes = false;
        for (String header = header(in); !header.isEmpty(); header = header(in)) {
            if (header.startsWith("content-length:")) {
                length = Integer.parseInt(
                        header.substring(header.indexOf(':') + 1).strip());
            }
            closes |= header.startsWith("connection:") && header.contains("close");
        }
        if (in.readNBytes(length).length < length) {
            throw new EOFException("within an answer");
        }
        return new Answer(status, closes);
    }

    private static String header(InputStream in) throws IOException {
        return line(in).toLowerCase(Locale.ROOT);
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("instead of an answer");
            }
            line.append((char) next);
        }
        return line.toString().stripTrailing();
    }
}
