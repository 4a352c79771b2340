package io.tailrace.wire;

/**
 * What an operation that was done is answered with.
 *
 * @param status HTTP's; other edges carry it along
 */
public record Reply(int status, JsonBody.Content content) {
    static final int DONE = 200;
    static final int CREATED = 201;
    static final int ACCEPTED = 202;
    static final int NOT_ALL = 207;

    static Reply done(JsonBody.Content content) {
        return new Reply(DONE, content);
    }
}
