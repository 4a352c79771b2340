package io.tailrace.config;

/** Conversations and their activities. */
public record ActivitiesConfig(GroupCommitConfig groupCommit) {}
