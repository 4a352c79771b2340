package io.tailrace.system;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** HTTP/1.1 on one kept-alive connection, so that what was sent, answered and cut is known to the byte. */
final class RawConnection implements AutoCloseable {
    private final Socket socket = new Socket();
    private final InputStream in;
    private boolean closing;

    RawConnection(int port) throws IOException {
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 2_000);
        socket.setSoTimeout(40_000);
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream());
    }

    void send(String key, String path, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        String head = "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + key
                + "\r\nContent-Type: application/json\r\nContent-Length: " + bytes.length + "\r\n\r\n";
        byte[] headBytes = head.getBytes(StandardCharsets.US_ASCII);
        byte[] all = new byte[headBytes.length + bytes.length];
        System.arraycopy(headBytes, 0, all, 0, headBytes.length);
        System.arraycopy(bytes, 0, all, headBytes.length, bytes.length);
        socket.getOutputStream().write(all);
    }

    /** The status of the next answer; 0 when the peer closed instead, before a first byte. */
    int status() throws IOException {
        String line = line();
        if (line.isEmpty()) {
            return 0;
        }
        int length = 0;
        for (String header = line(); !header.isEmpty(); header = line()) {
            String lower = header.toLowerCase(Locale.ROOT);
            if (lower.startsWith("content-length:")) {
                length = Integer.parseInt(lower.substring(15).trim());
            }
            closing |= lower.equals("connection: close");
        }
        if (in.readNBytes(length).length < length) {
            throw new IOException("an answer was cut in the middle");
        }
        return Integer.parseInt(line.substring(9, 12));
    }

    /** The peer said that it will close after this answer. */
    boolean isClosing() {
        return closing;
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n' && c >= 0; c = in.read()) {
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
