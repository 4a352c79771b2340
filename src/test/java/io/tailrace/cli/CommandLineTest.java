package io.tailrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandLineTest {
    private final Cli cli = Cli.bare();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "dev",
                "serve",
                "migrate",
                "keys",
                "keys create",
                "keys list",
                "keys revoke",
                "outbox",
                "outbox stats",
                "outbox list",
                "outbox show",
                "outbox blocked",
                "outbox retry",
                "outbox cancel",
                "outbox redrive",
                "outbox pause",
                "outbox resume"
            })
    @DisplayName("CLI-1 --help shows examples and exits with 0")
    void help(String command) {
        assertThat(cli.run((command + " --help").strip().split(" "))).isZero();
        assertThat(cli.out()).contains("Usage: tailrace", "Examples:", "  tailrace " + command);
        assertThat(cli.err()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "keys | Missing required subcommand",
                "nonsense | nonsense",
                "keys create name | Missing required option: '--scope=SCOPE'",
                "keys create name --scope everything | there is no scope everything; use activities",
                "keys create name --scope outbox --expires-in 90 | must be a duration with a unit",
                "serve --set outbox.leese=1 | did you mean outbox.lease?",
                "migrate --config /nowhere/tailrace.yaml | cannot be read",
                "dev --port many | --port",
                "outbox list --state gone | --state must be one of pending, leased",
                "outbox list --limit 0 | --limit must be between 1 and 500",
                "outbox list --cursor xyz | --cursor is not one that this list gave out",
                "outbox list --tenant me | --tenant",
                "outbox show | Missing required parameter: 'ID'",
                "outbox retry nonsense | \"nonsense\" is no part's id; `tailrace outbox list` shows them",
                "outbox redrive --state delivered | --state must be one of",
                "outbox pause 7 --until tomorrow | --until must be a time such as",
            })
    @DisplayName("CLI-1 a command asked wrongly exits with 2 and says in one line what to do")
    void askedWrongly(String command, String expected) {
        assertThat(cli.run(command.strip().split(" "))).isEqualTo(2);
        assertThat(cli.err().lines()).hasSize(1);
        assertThat(cli.err()).startsWith("tailrace").contains(expected.strip());
        assertThat(cli.out()).isEmpty();
    }

    @Test
    @DisplayName("CLI-1 a table's columns are as wide as their widest cells")
    void table() {
        List<String> lines = new Table("ID", "NAME", "X")
                .row("1", "a longer name", "")
                .row("22", "b", "c")
                .lines();

        assertThat(lines).containsExactly("ID  NAME           X", "1   a longer name", "22  b              c");
    }
}
