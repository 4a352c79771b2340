package io.tailrace.cli;

import io.tailrace.config.ConfigException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.ParameterException;

/** The root of the command line. */
@Command(
        name = "tailrace",
        mixinStandardHelpOptions = true,
        versionProvider = TailraceCommand.Version.class,
        description = "A message store on PostgreSQL that lets old data go without stopping its writers.",
        footer = {
            "",
            "Examples:",
            "  tailrace dev                        everything on this machine, with a PostgreSQL of its own",
            "  tailrace migrate --config my.yaml   bring the database up to date",
            "  tailrace serve --config my.yaml     run the service",
            "  tailrace keys create ci --scope outbox",
            "  tailrace partitions run --dry-run   what would be made and removed now",
            "  tailrace outbox list --state dead_letter"
        })
public final class TailraceCommand {
    static final int FAILED = 1;
    static final int ASKED_WRONGLY = 2;

    private TailraceCommand() {}

    /** Runs a command and returns its exit code: 0 done, 1 failed, 2 asked wrongly. */
    public static int run(String... args) {
        return commandLine(Console.ofProcess()).execute(args);
    }

    static CommandLine commandLine(Console console) {
        CommandLine root = new CommandLine(new TailraceCommand())
                .addSubcommand(new DevCommand(console))
                .addSubcommand(new ServeCommand(console))
                .addSubcommand(new MigrateCommand(console))
                .addSubcommand(KeysCommand.commandLine(console))
                .addSubcommand(PartitionsCommand.commandLine(console))
                .addSubcommand(OutboxCommand.commandLine(console))
                .addSubcommand(new DoctorCommand(console));
        root.setOut(console.out());
        root.setErr(console.err());
        root.setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.AUTO));
        root.setUsageHelpAutoWidth(true);
        root.setParameterExceptionHandler((e, args) -> askedWrongly(console, e));
        root.setExecutionExceptionHandler((e, command, parsed) -> failed(console, e));
        return root;
    }

    private static int askedWrongly(Console console, ParameterException e) {
        String command = e.getCommandLine().getCommandSpec().qualifiedName();
        console.err().println(command + ": " + oneLine(e) + " (see `" + command + " --help`)");
        return ASKED_WRONGLY;
    }

    private static int failed(Console console, Exception e) {
        if (e instanceof ConfigException config) {
            config.problems().forEach(problem -> console.err().println("tailrace: " + problem));
            return ASKED_WRONGLY;
        }
        if (e instanceof IllegalArgumentException) {
            console.err().println("tailrace: " + oneLine(e));
            return ASKED_WRONGLY;
        }
        console.err().println("tailrace: " + oneLine(e));
        return FAILED;
    }

    private static String oneLine(Exception e) {
        String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        return message.strip().replaceAll("\\s*\\R\\s*", " / ");
    }

    /** The version in the jar's manifest. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = TailraceCommand.class.getPackage().getImplementationVersion();
            return new String[] {"tailrace " + (version == null ? "(not packaged)" : version)};
        }
    }
}
