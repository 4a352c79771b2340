package io.tailrace.cli;

import java.io.IOException;
import java.io.UncheckedIOException;

/** Asks a person to type a word before something cannot be undone. */
final class Confirmation {
    private Confirmation() {}

    /** True when the word was typed; false also when nobody is there to type. The question goes beside the answer. */
    static boolean typed(Console console, String consequence, String word) {
        console.err().print(consequence + ". Type " + word + " to go on: ");
        console.err().flush();
        try {
            String line = console.in().readLine();
            if (line == null) {
                console.err().println();
            }
            return line != null && line.strip().equals(word);
        } catch (IOException e) {
            throw new UncheckedIOException("reading the answer", e);
        }
    }
}
