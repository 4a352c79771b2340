package io.tailrace.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyTextTest {
    private static final String ID = "0123456789abcdef";
    private static final String SECRET = "A".repeat(43);

    @Test
    @DisplayName("API-3 a key is tr_<env>_<key id>_<secret> with 256 random bits in its secret")
    void form() {
        KeyText key = KeyText.random("live");

        assertThat(key.whole().reveal()).matches("tr_live_[0-9A-Za-z]{16}_[0-9A-Za-z]{43}");
        assertThat(key.whole().reveal())
                .isEqualTo("tr_live_" + key.keyId() + "_" + key.secret().reveal());
        assertThat(Math.log(62) / Math.log(2) * key.secret().reveal().length()).isGreaterThanOrEqualTo(256);
        assertThat(KeyText.parse(key.whole().reveal())).isEqualTo(key);
    }

    @Test
    void noTwoKeysAreAlike() {
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            KeyText key = KeyText.random("live");
            assertThat(seen.add(key.keyId())).isTrue();
            assertThat(seen.add(key.secret().reveal())).isTrue();
        }
    }

    @Test
    @DisplayName("API-3 what is stored of a secret is its SHA-256")
    void digest() throws Exception {
        KeyText key = KeyText.random("live");
        byte[] expected = MessageDigest.getInstance("SHA-256")
                .digest(key.secret().reveal().getBytes(StandardCharsets.UTF_8));
        assertThat(key.secretSha256()).isEqualTo(expected);
    }

    @Test
    @DisplayName("API-3 a secret shows in no text form")
    void neverPrinted() {
        KeyText key = KeyText.random("live");
        LiveKey live = new LiveKey(key.secretSha256(), new Caller(Tenant.DEFAULT, key.keyId(), Set.of(), null));

        for (Object shown : List.of(key, key.whole(), live)) {
            assertThat(shown.toString()).doesNotContain(key.secret().reveal());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "tr",
                "tr_live",
                "tr_live_" + "0123456789abcdef",
                "tr__0123456789abcdef_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                "TR_live_0123456789abcdef_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                "tr_LIVE_0123456789abcdef_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                "tr_live_0123456789abcde_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                "tr_live_0123456789abcdef_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                "tr_live_0123456789abcdef_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA_",
                "tr_live_0123456789abcdef_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n",
                " tr_live_0123456789abcdef_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                "tr_live_0123456789abcd'f_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                "tr_live_0123456789abcdef_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\u0000AA"
            })
    @DisplayName("API-3 what has not the form of a key is none")
    void notAKey(String presented) {
        assertThat(KeyText.parse("tr_live_" + ID + "_" + SECRET)).isNotNull();
        assertThat(KeyText.parse(presented)).isNull();
    }
}
