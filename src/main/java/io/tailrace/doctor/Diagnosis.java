package io.tailrace.doctor;

/**
 * One thing that was looked at and is not as it should be.
 *
 * @param about what it is about: a setting, a table, a process
 */
public record Diagnosis(Severity severity, String about, String detail, String whatToDo) {
    /** From harmless to harmful. */
    public enum Severity {
        /** Worth knowing. */
        NOTE,
        /** Will hurt if it goes on. */
        WARNING,
        /** Writes are refused, rows are hidden, or an acknowledged write may be lost. */
        ERROR
    }
}
