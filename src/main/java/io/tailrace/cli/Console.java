package io.tailrace.cli;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * What a command runs in: where it reads and writes and what it is told by the environment.
 *
 * @param in what is typed; at its end at once when nobody is there
 * @param out the answer
 * @param err errors, one line each
 */
record Console(BufferedReader in, PrintWriter out, PrintWriter err, Map<String, String> environment) {
    /** The process's own. */
    static Console ofProcess() {
        BufferedReader typed = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        return new Console(typed, writer(System.out), writer(System.err), System.getenv());
    }

    private static PrintWriter writer(PrintStream stream) {
        OutputStream raw = stream;
        return new PrintWriter(new OutputStreamWriter(raw, StandardCharsets.UTF_8), true);
    }
}
