package io.tailrace.tenant;

import io.tailrace.config.Secret;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A key as text: {@code tr_<env>_<key id>_<secret>}.
 *
 * <p>{@code env} is a label for people and for scanners of leaked secrets; the key id finds the row, the secret proves
 * possession. Both are base 62, so that the text is one word and {@code _} can only separate.
 */
record KeyText(String environment, String keyId, Secret secret) {
    private static final String ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    /** 43 characters out of 62 are 256.03 bits: as much as 32 random bytes, and then some. */
    private static final int SECRET_LENGTH = 43;
    /** 95 bits: two ids never meet by chance. */
    private static final int ID_LENGTH = 16;

    private static final Pattern ENVIRONMENT = Pattern.compile("[a-z0-9]{1,16}");
    private static final Pattern FORM = Pattern.compile(
            "tr_([a-z0-9]{1,16})_([0-9A-Za-z]{" + ID_LENGTH + "})_([0-9A-Za-z]{" + SECRET_LENGTH + "})");
    private static final SecureRandom RANDOM = new SecureRandom();

    /** A new key. */
    static KeyText random(String environment) {
        return new KeyText(environment, randomText(ID_LENGTH), new Secret(randomText(SECRET_LENGTH)));
    }

    /** Whether this may stand for {@code <env>}. */
    static boolean isEnvironment(String environment) {
        return ENVIRONMENT.matcher(environment).matches();
    }

    /** What was presented, or null when it does not have the form of a key. */
    static @Nullable KeyText parse(String presented) {
        Matcher form = FORM.matcher(presented);
        return form.matches() ? new KeyText(form.group(1), form.group(2), new Secret(form.group(3))) : null;
    }

    /** The whole key, for the one answer that may show it. */
    Secret whole() {
        return new Secret("tr_" + environment + "_" + keyId + "_" + secret.reveal());
    }

    /** What is stored of the secret, and compared. */
    byte[] secretSha256() {
        try {
            return MessageDigest.getInstance("SHA-256").digest(secret.reveal().getBytes(StandardCharsets.US_ASCII));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    private static String randomText(int length) {
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append(ALPHABET.charAt(RANDOM.nextInt(ALPHABET.length())));
        }
        return text.toString();
    }
}
