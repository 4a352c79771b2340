package io.tailrace.cli;

import io.tailrace.config.DatabaseConfig;
import java.io.BufferedReader;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.LinkedHashMap;
import java.util.Map;

/** Runs a command as a process would and keeps what it said. */
final class Cli {
    private final Map<String, String> environment = new LinkedHashMap<>();
    private String typed = "";
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    /** Without any environment, whatever that of the test is. */
    static Cli bare() {
        return new Cli();
    }

    /** With the environment that leads to this database. */
    static Cli on(DatabaseConfig database) {
        Cli cli = new Cli();
        cli.environment.put("TAILRACE_DATABASE_HOST", database.host());
        cli.environment.put("TAILRACE_DATABASE_PORT", Integer.toString(database.port()));
        cli.environment.put("TAILRACE_DATABASE_NAME", database.database());
        cli.environment.put("TAILRACE_DATABASE_USER", database.user());
        cli.environment.put("TAILRACE_DATABASE_PASSWORD", database.password().reveal());
        return cli;
    }

    /** What somebody types when asked by the next command; otherwise nobody is there. */
    Cli typing(String line) {
        typed = line;
        return this;
    }

    /** The exit code. */
    int run(String... arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        Console console = new Console(
                new BufferedReader(new StringReader(typed)),
                new PrintWriter(out, true),
                new PrintWriter(err, true),
                environment);
        typed = "";
        return TailraceCommand.commandLine(console).execute(arguments);
    }

    String out() {
        return out.toString();
    }

    String err() {
        return err.toString();
    }
}
