package io.tailrace.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigLoaderTest {
    private static final Map<String, String> NOTHING = Map.of();

    @TempDir
    private Path folder = Path.of("");

    private Path file(String yaml) throws IOException {
        return Files.writeString(folder.resolve("tailrace.yaml"), yaml);
    }

    private static List<String> problems(Map<String, String> environment, Path file, Map<String, String> flags) {
        ConfigException e = catchThrowableOfType(
                ConfigException.class, () -> ConfigLoader.of(environment, file).load(flags));
        assertThat(e).as("problems").isNotNull();
        return e.problems().stream().map(ConfigException.Problem::toString).toList();
    }

    private List<String> problems(Map<String, String> flags) throws IOException {
        return problems(NOTHING, file(""), flags);
    }

    @Test
    @DisplayName("CONF-1 an empty file is the defaults")
    void defaults() throws IOException {
        TailraceConfig config = ConfigLoader.of(NOTHING, file("")).load(NOTHING);

        assertThat(config).isEqualTo(TailraceConfig.defaults(NOTHING));
        assertThat(config.database()).isEqualTo(DatabaseConfig.at("localhost", 5432, "tailrace", "tailrace", ""));
        assertThat(config.outbox().lease()).isEqualTo(Duration.ofSeconds(90));
        assertThat(config.outbox().dedupDays()).isEqualTo(7);
        assertThat(config.http().limits().body()).isEqualTo(DataSize.ofMebibytes(16));
    }

    @Test
    @DisplayName("CONF-1 flags win over the environment, the environment over the file, the file over the defaults")
    void order() throws IOException {
        Path file = file("""
                database:
                  pool_size: 20
                  pool_queue: 21
                  user: from-file
                """);
        TailraceConfig config = ConfigLoader.of(
                        Map.of("TAILRACE_DATABASE_POOL_QUEUE", "31", "TAILRACE_DATABASE_USER", "from-environment"),
                        file)
                .load(Map.of("database.user", "from-flag"));

        assertThat(config.database().poolSize()).isEqualTo(20);
        assertThat(config.database().poolQueue()).isEqualTo(31);
        assertThat(config.database().user()).isEqualTo("from-flag");
        assertThat(config.database().database()).isEqualTo("tailrace");
    }

    @Test
    @DisplayName("CONF-1 secrets are read from files, without the newline that ends them")
    void secretFile() throws IOException {
        Path secret = Files.writeString(folder.resolve("password"), "s3cret\n");
        TailraceConfig config = ConfigLoader.of(Map.of("TAILRACE_DATABASE_PASSWORD_FILE", secret.toString()), file(""))
                .load(NOTHING);

        assertThat(config.database().password().reveal()).isEqualTo("s3cret");
    }

    @Test
    @DisplayName("CONF-1 a secret's file that is missing, and a secret given twice, are problems")
    void secretFileProblems() throws IOException {
        assertThat(problems(Map.of("TAILRACE_DATABASE_PASSWORD_FILE", "/nowhere/password"), file(""), NOTHING))
                .singleElement()
                .asString()
                .contains("TAILRACE_DATABASE_PASSWORD_FILE", "cannot be read", "/nowhere/password");
        assertThat(problems(
                        Map.of("TAILRACE_DATABASE_PASSWORD_FILE", "/x", "TAILRACE_DATABASE_PASSWORD", "y"),
                        file(""),
                        NOTHING))
                .singleElement()
                .asString()
                .contains("set by both", "TAILRACE_DATABASE_PASSWORD and TAILRACE_DATABASE_PASSWORD_FILE");
    }

    @Test
    @DisplayName("CONF-1 the origin's names keep working")
    void originNames() throws IOException {
        TailraceConfig config = ConfigLoader.of(
                        Map.of("TELEGRAM_OUTBOX_RETENTION_DAYS", "14", "TELEGRAM_OUTBOX_DEDUP_DAYS", "3"), file(""))
                .load(NOTHING);

        assertThat(config.outbox().retentionDays()).isEqualTo(14);
        assertThat(config.outbox().dedupDays()).isEqualTo(3);
        assertThat(problems(
                        Map.of("TELEGRAM_OUTBOX_RETENTION_DAYS", "14", "TAILRACE_OUTBOX_RETENTION_DAYS", "9"),
                        file(""),
                        NOTHING))
                .singleElement()
                .asString()
                .contains("set by both");
    }

    @Test
    @DisplayName("CONF-1 all problems are reported at once, each with its key and its source")
    void allAtOnce() throws IOException {
        Path file = file("""
                database:
                  pool_size: many
                outbox:
                  lease: 20 min
                logs:
                  level: CHATTY
                """);

        assertThat(problems(Map.of("TAILRACE_HTTP_PORT", "99999"), file, Map.of("partitions.days_ahead", "0")))
                .satisfiesExactlyInAnyOrder(
                        problem -> assertThat(problem)
                                .contains("database.pool_size must be a whole number, but is \"many\"")
                                .contains("line 2"),
                        problem -> assertThat(problem)
                                .contains("outbox.lease must be from 1 s to 15 min, but is 20 min")
                                .contains("line 4"),
                        problem -> assertThat(problem)
                                .contains("logs.level must be ERROR, WARN")
                                .contains("line 6"),
                        problem -> assertThat(problem)
                                .contains("http.port must be from 0")
                                .contains("(from TAILRACE_HTTP_PORT)"),
                        problem -> assertThat(problem)
                                .contains("partitions.days_ahead must be from 1 to 60")
                                .contains("(from the flag partitions.days_ahead)"));
    }

    @Test
    @DisplayName("CONF-1 unknown keys are refused with a suggestion, wherever they stand")
    void unknownKeys() throws IOException {
        Path file = file("""
                database:
                  pool_sise: 3
                pool_queue: 4
                """);

        assertThat(problems(Map.of("TAILRACE_DATABASE_PASWORD", "x"), file, Map.of("outbox.leese", "90 s")))
                .satisfiesExactlyInAnyOrder(
                        problem -> assertThat(problem).contains("did you mean database.pool_size?"),
                        problem -> assertThat(problem).contains("did you mean database.pool_queue?"),
                        problem -> assertThat(problem).contains("did you mean TAILRACE_DATABASE_PASSWORD?"),
                        problem -> assertThat(problem).contains("did you mean outbox.lease?"));
    }

    @Test
    @DisplayName("CONF-1 variables that Kubernetes or the tests set are nobody's settings")
    void foreignVariables() throws IOException {
        Map<String, String> environment = Map.of(
                "TAILRACE_SERVICE_HOST", "10.0.0.1",
                "TAILRACE_PORT", "tcp://10.0.0.1:8080",
                "TAILRACE_PORT_8080_TCP_ADDR", "10.0.0.1",
                "TAILRACE_TEST_USER", "x");

        assertThat(ConfigLoader.of(environment, file("")).load(NOTHING)).isEqualTo(TailraceConfig.defaults(NOTHING));
    }

    @ParameterizedTest
    @ValueSource(strings = {"90", "1.5 s", "-1 s", "90 parsecs", "s", ""})
    @DisplayName("CONF-1 a duration without a unit is refused")
    void durations(String text) throws IOException {
        assertThat(problems(Map.of("outbox.lease", text)))
                .singleElement()
                .asString()
                .startsWith("outbox.lease must be a duration with a unit");
    }

    @ParameterizedTest
    @ValueSource(strings = {"16777216", "16 MiBs", "16 m", "-1 MiB", ""})
    @DisplayName("CONF-1 a size without a unit is refused")
    void sizes(String text) throws IOException {
        assertThat(problems(Map.of("http.limits.body", text)))
                .singleElement()
                .asString()
                .startsWith("http.limits.body must be a size with a unit");
    }

    @ParameterizedTest
    @CsvSource({
        "outbox.dedup_days, 8, retention_days (7)",
        "outbox.dedup_days, 32, from 1 to 31",
        "outbox.dedup_days, always, 'a whole number or \"retention\"'",
        "outbox.lease, 999 ms, from 1 s to 15 min",
        "outbox.group_commit.lanes, 5, at least 23",
        "database.pool_size, 4, at least 11",
        "database.lock_timeout, 31 s, statement_timeout",
        "management.port, 8080, must differ from http.port",
        "management.admin_token, short, 16 characters",
        "http.limits.request_timeout, 35 s, ''",
        "http.limits.request_timeout, 30 s, from 35 s",
        "database.statement_timeout, 90 s, http.limits.request_timeout",
        "outbox.group_commit.queue_bytes, 8 MiB, http.limits.decompressed",
        "outbox.group_commit.flush_entries, 129, from 1 to 128",
        "outbox.group_commit.queue_entries, 127, flush_entries",
        "keys.environment, Live!, lower-case",
        "logs.json, maybe, true or false",
    })
    @DisplayName("CONF-1 relations and ranges are checked")
    void relations(String key, String value, String expected) throws IOException {
        if (expected.isEmpty()) {
            assertThat(ConfigLoader.of(NOTHING, file("")).load(Map.of(key, value)))
                    .isNotNull();
        } else {
            assertThat(problems(Map.of(key, value)))
                    .anySatisfy(problem -> assertThat(problem).contains(expected));
        }
    }

    @Test
    @DisplayName("CONF-1 the horizon of idempotency follows the retention, up to 31 days")
    void dedupFollowsRetention() {
        assertThat(dedupDays("3")).isEqualTo(3);
        assertThat(dedupDays("90")).isEqualTo(31);
        assertThat(dedupDays("0")).isEqualTo(31);
    }

    private static int dedupDays(String retention) {
        return TailraceConfig.defaults(Map.of("outbox.retention_days", retention))
                .outbox()
                .dedupDays();
    }

    @Test
    @DisplayName("CONF-1 secrets never print, not even in a problem about them")
    void secretsNeverPrint() throws IOException {
        TailraceConfig config = TailraceConfig.defaults(
                Map.of("database.password", "s3cret-of-db", "management.admin_token", "s3cret-of-admin-x"));

        assertThat(config.toString()).doesNotContain("s3cret").contains("********");
        assertThat(problems(Map.of("management.admin_token", "s3cret")).toString())
                .contains("management.admin_token")
                .doesNotContain("s3cret");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "database: [1, 2]| must be a single value, not a list",
                "just words| must hold sections",
                "database: {port: 1, port: 2}| is set twice",
                "'database: {port'| is not YAML",
                "'? [a]\n: b'| a key must be a word",
                "!!java.lang.ProcessBuilder [x]| is not YAML",
            })
    @DisplayName("CONF-1 a file of another shape is refused with the line")
    void brokenFiles(String yaml, String expected) throws IOException {
        assertThat(problems(NOTHING, file(yaml), NOTHING))
                .anySatisfy(problem ->
                        assertThat(problem).contains(expected.strip()).contains("tailrace.yaml"));
    }

    @Test
    @DisplayName("CONF-1 a named file must exist")
    void missingFile() {
        assertThat(problems(NOTHING, folder.resolve("absent.yaml"), NOTHING))
                .singleElement()
                .asString()
                .contains("absent.yaml", "cannot be read");
    }
}
