package io.tailrace.config;

import java.util.regex.Pattern;

/**
 * API keys.
 *
 * @param environment the word in the middle of new ones: lower-case letters and digits
 */
public record KeysConfig(String environment) {
    private static final Pattern WORD = Pattern.compile("[a-z0-9]{1,16}");

    public KeysConfig {
        new Checks()
                .that(
                        WORD.matcher(environment).matches(),
                        "environment",
                        "must be 1 to 16 lower-case letters and digits, but is \"" + environment + "\"")
                .done();
    }
}
