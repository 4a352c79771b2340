package io.tailrace.activity;

import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.NumericNode;
import io.tailrace.testkit.TestDatabase;
import java.util.Comparator;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** JSON that most stores bend. */
class ActivityValuesIT {
    private static final ObjectMapper EXACT =
            new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);

    /** Numbers by value, whatever their scale; everything else as it is. */
    private static final Comparator<JsonNode> BY_VALUE = (a, b) -> a instanceof NumericNode && b instanceof NumericNode
            ? a.decimalValue().compareTo(b.decimalValue())
            : a.equals(b) ? 0 : 1;

    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    private ActivityFixture fixture;

    @BeforeEach
    void open() {
        fixture = new ActivityFixture(db);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @ParameterizedTest(name = "ACT-19 {0} comes back as it was")
    @ValueSource(
            strings = {
                "9223372036854775808",
                "-170141183460469231731687303715884105728",
                "1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890",
                "0.1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567891",
                "1e308",
                "-9.99e307",
                "1e-308",
                "4.9E-308",
                "0.30000000000000004",
                "1.10",
                "100e-2",
                "{\"\":{\"\":[]}}",
                "{\"a\":null,\"b\":true,\"c\":[false,[],{}]}",
                "\"\\u0001\\u001f\\\"\\\\/\\b\\f\\n\\r\\t\"",
                "\"grüß 你好 مرحبا नमस्ते 🚰👩‍👩‍👧‍👦 \\u2028\\u2029\\ufeff\\ud83d\\ude80\"",
                "{\"ключ\":1,\"🚰\":2,\"a b\":3,\"$ref\":4,\"__proto__\":5,\"a.b\":6,\"a/b\":7}",
                "[[[[[[[[[[1]]]]]]]]]]"
            })
    void comesBack(String json) throws JsonProcessingException {
        UUID conversation = fixture.conversation();
        String metadata = "{\"v\":" + json + "}";
        Activity stored = fixture.store(new NewActivity(
                conversation, "тип", "отправитель 🚰", "текст\n\t\u0001", "[" + json + "]", metadata, "k", null));
        Activity read = fixture.log(conversation).get(0);
        assertThat(EXACT.readTree(read.metadataJson()).equals(BY_VALUE, EXACT.readTree(metadata)))
                .as(read.metadataJson())
                .isTrue();
        assertThat(EXACT.readTree(read.attachmentsJson()).equals(BY_VALUE, EXACT.readTree("[" + json + "]")))
                .as(read.attachmentsJson())
                .isTrue();
        assertThat(read.text()).isEqualTo("текст\n\t\u0001");
        assertThat(read.sender()).isEqualTo("отправитель 🚰");
        assertThat(await(fixture.activities.find(ActivityFixture.TENANT, stored.id())))
                .contains(read);
    }
}
