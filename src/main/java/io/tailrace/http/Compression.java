package io.tailrace.http;

import com.github.luben.zstd.ZstdInputStream;
import io.tailrace.wire.Problem;
import io.tailrace.wire.ProblemCode;
import io.tailrace.wire.Rejection;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/** How a request's body is packed, and unpacking it within limits. Blocks; never on an event loop. */
enum Compression {
    NONE,
    GZIP,
    ZSTD;

    /** Below this a high ratio does no harm. */
    private static final int RATIO_FROM = 1 << 20;
    /** 8 MiB, the window that RFC 9659 allows in HTTP. */
    private static final int ZSTD_MAX_WINDOW_LOG = 23;

    private static final int STEP = 64 * 1024;

    /** By the header's value; null for one that is not supported. */
    static @Nullable Compression of(@Nullable String contentEncoding) {
        if (contentEncoding == null) {
            return NONE;
        }
        return switch (contentEncoding.trim().toLowerCase(Locale.ROOT)) {
            case "", "identity" -> NONE;
            case "gzip", "x-gzip" -> GZIP;
            case "zstd" -> ZSTD;
            default -> null;
        };
    }

    /** @throws Rejection {@code too_large} past a limit, {@code malformed} when it cannot be unpacked */
    byte[] expand(byte[] packed, int maxBytes, int maxRatio) {
        if (this == NONE) {
            return packed;
        }
        try (InputStream in = open(packed)) {
            byte[] out = new byte[Math.min(maxBytes, Math.max(STEP, packed.length * 4))];
            int length = 0;
            while (true) {
                int read = in.read(out, length, Math.min(STEP, out.length - length));
                if (read < 0) {
                    return Arrays.copyOf(out, length);
                }
                length += read;
                if (length > RATIO_FROM && length / maxRatio > packed.length) {
                    throw tooLarge("the body expands to more than " + maxRatio + " times its size");
                }
                if (length == out.length) {
                    if (length > maxBytes) {
                        throw tooLarge("the decompressed body is larger than " + maxBytes + " bytes");
                    }
                    // One byte past the limit is what shows that there is more.
                    out = Arrays.copyOf(out, (int) Math.min(maxBytes + 1L, out.length * 2L));
                }
            }
        } catch (IOException e) {
            throw Problem.outside(
                            ProblemCode.MALFORMED,
                            "header content-encoding",
                            "the body is not " + name().toLowerCase(Locale.ROOT) + ", or broke off")
                    .rejection();
        }
    }

    private InputStream open(byte[] packed) throws IOException {
        InputStream bytes = new ByteArrayInputStream(packed);
        return this == GZIP
                ? new GZIPInputStream(bytes, 8_192)
                : new ZstdInputStream(bytes).setLongMax(ZSTD_MAX_WINDOW_LOG);
    }

    private static Rejection tooLarge(String detail) {
        return Problem.of(ProblemCode.TOO_LARGE, detail).rejection();
    }
}
