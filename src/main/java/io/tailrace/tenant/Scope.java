package io.tailrace.tenant;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What a key may be used for. The codes are those of the table's CHECK. */
public enum Scope {
    ACTIVITIES,
    OUTBOX,
    /** Looking at and moving other people's parts: list, retry, cancel, redrive, pause. */
    OPERATE,
    LLM;

    /** As it is written in JSON and in the database. */
    public String code() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The scope with this code, if there is one. */
    public static Optional<Scope> of(String code) {
        return Arrays.stream(values())
                .filter(scope -> scope.code().equals(code))
                .findFirst();
    }
}
