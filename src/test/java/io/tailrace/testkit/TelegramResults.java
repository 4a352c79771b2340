package io.tailrace.testkit;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What each method of the Bot API gives back. Numbers messages a chat; not thread-safe. */
final class TelegramResults {
    private static final long FIRST_DATE = 1_796_000_000L;

    /** What a message repeats of the call that made it, where both have it under one name. */
    private static final List<String> ECHOED = List.of(
            "text",
            "entities",
            "caption",
            "caption_entities",
            "reply_markup",
            "message_thread_id",
            "effect_id",
            "business_connection_id",
            "has_spoiler");

    /** Methods that make one message though their name does not begin with send. */
    private static final Set<String> ONE_MESSAGE = Set.of("forwardMessage", "sendInvoice");

    private final Map<String, Integer> lastMessage = new HashMap<>();
    private int made;

    /** The {@code result} of a successful call, or null when there is no such method. */
    @Nullable
    Object of(String method, String chat, JsonObject call) {
        return switch (method) {
            case "getMe" -> bot();
            case "sendChatAction", "sendMessageDraft" -> true;
            case "sendMediaGroup" -> album(chat, call);
            case "sendPaidMedia" -> message(chat, call).put("paid_media", new JsonObject().put("star_count", 1));
            case "sendPoll" ->
                message(chat, call)
                        .put("poll", new JsonObject().put("id", "p" + made).put("question", call.getValue("question")));
            case "sendDice" ->
                message(chat, call)
                        .put(
                                "dice",
                                new JsonObject()
                                        .put("emoji", call.getString("emoji", "🎲"))
                                        .put("value", made % 6 + 1));
            case "copyMessage" -> new JsonObject().put("message_id", nextMessage(chat));
            case "copyMessages", "forwardMessages" -> copies(chat, call);
            case "editMessageText",
                    "editMessageCaption",
                    "editMessageMedia",
                    "editMessageReplyMarkup",
                    "editMessageLiveLocation",
                    "stopMessageLiveLocation" -> edited(chat, call);
            case "stopPoll" -> new JsonObject().put("id", "p1").put("is_closed", true);
            case "createForumTopic" ->
                new JsonObject()
                        .put("message_thread_id", nextMessage(chat))
                        .put("name", call.getValue("name"))
                        .put("icon_color", 0x6FB9F0);
            case "exportChatInviteLink", "createInvoiceLink" -> "https://t.me/+link" + nextMessage(chat);
            case "createChatInviteLink" ->
                new JsonObject().put("invite_link", "https://t.me/+link" + nextMessage(chat));
            case "answerWebAppQuery" -> new JsonObject().put("inline_message_id", "i" + nextMessage(chat));
            default -> otherwise(method, chat, call);
        };
    }

    private @Nullable Object otherwise(String method, String chat, JsonObject call) {
        if (ONE_MESSAGE.contains(method) || method.startsWith("send")) {
            return message(chat, call);
        }
        boolean known = List.of(
                        "set",
                        "delete",
                        "pin",
                        "unpin",
                        "answer",
                        "ban",
                        "unban",
                        "restrict",
                        "promote",
                        "approve",
                        "decline",
                        "edit",
                        "close",
                        "reopen",
                        "hide",
                        "unhide",
                        "leave",
                        "refund",
                        "log",
                        "read")
                .stream()
                .anyMatch(method::startsWith);
        return known ? true : null;
    }

    private JsonObject message(String chat, JsonObject call) {
        int number = nextMessage(chat);
        JsonObject message = new JsonObject()
                .put("message_id", number)
                .put("from", bot())
                .put("chat", chat(chat))
                .put("date", FIRST_DATE + made);
        for (String key : ECHOED) {
            if (call.containsKey(key)) {
                message.put(key, call.getValue(key));
            }
        }
        if (call.containsKey("message_thread_id")) {
            message.put("is_topic_message", true);
        }
        return message;
    }

    private JsonArray album(String chat, JsonObject call) {
        JsonArray messages = new JsonArray();
        String group = "g" + (made + 1);
        for (int i = 0; i < array(call, "media").size(); i++) {
            messages.add(message(chat, call).put("media_group_id", group));
        }
        return messages;
    }

    private JsonArray copies(String chat, JsonObject call) {
        JsonArray ids = new JsonArray();
        for (int i = 0; i < array(call, "message_ids").size(); i++) {
            ids.add(new JsonObject().put("message_id", nextMessage(chat)));
        }
        return ids;
    }

    /** A message of an inline query is nobody's: the answer is only that it worked. */
    private Object edited(String chat, JsonObject call) {
        if (call.containsKey("inline_message_id")) {
            return true;
        }
        return message(chat, call)
                .put("message_id", call.getValue("message_id"))
                .put("edit_date", FIRST_DATE + made);
    }

    private int nextMessage(String chat) {
        made++;
        return lastMessage.merge(chat, 1, Integer::sum);
    }

    private static JsonObject bot() {
        return new JsonObject()
                .put("id", 7L)
                .put("is_bot", true)
                .put("first_name", "Tailrace")
                .put("username", "tailrace_bot");
    }

    private static JsonObject chat(String chat) {
        if (chat.startsWith("@")) {
            return new JsonObject()
                    .put("id", -1_001_000_000_000L - Math.abs((long) chat.hashCode()))
                    .put("type", "channel")
                    .put("title", chat.substring(1))
                    .put("username", chat.substring(1));
        }
        String type = chat.startsWith("-100") ? "supergroup" : chat.startsWith("-") ? "group" : "private";
        return new JsonObject()
                .put("id", chat.isEmpty() ? 0L : Long.parseLong(chat))
                .put("type", type);
    }

    private static JsonArray array(JsonObject call, String key) {
        return call.getValue(key) instanceof JsonArray values ? values : new JsonArray();
    }
}
