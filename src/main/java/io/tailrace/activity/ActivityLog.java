package io.tailrace.activity;

/** The capability's services together, for the edges. */
public record ActivityLog(ActivityService activities, ConversationService conversations, LiveConversations live) {}
