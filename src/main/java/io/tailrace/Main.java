package io.tailrace;

import io.tailrace.cli.TailraceCommand;

/** Entry point of the process. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        System.exit(TailraceCommand.run(args));
    }
}
