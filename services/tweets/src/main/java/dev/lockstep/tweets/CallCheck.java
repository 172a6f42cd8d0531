package dev.lockstep.tweets;

import java.util.Set;

/** Says what is wrong with a call, before any work is done for it. Stateless; any thread. */
public final class CallCheck {
    private static final int MAX_IDS = 100;
    private static final int MAX_COUNT = 200;

    private static final Set<String> WITH_USER =
            Set.of("getUser", "postTweet", "userTimeline", "homeTimeline", "following", "followers", "suggestions");
    private static final Set<String> WITH_USERS = Set.of("getUsers", "followedByAll", "followedByAny");
    private static final Set<String> WITH_COUNT =
            Set.of("userTimeline", "homeTimeline", "followedByAny", "suggestions");

    private CallCheck() {}

    /** Returns the answer to a call with a wrong argument; null if nothing is wrong. */
    public static Answer refusal(Call call, TweetStore store) {
        String function = call.function();
        if (WITH_COUNT.contains(function) && (call.count() < 1 || call.count() > MAX_COUNT)) {
            return Answer.rejected("count must be 1 to " + MAX_COUNT + ", found " + call.count());
        }
        if (function.equals("postTweet")) {
            int characters = call.text().codePointCount(0, call.text().length());
            if (characters < 1 || characters > TweetText.MAX_CHARACTERS) {
                return Answer.rejected(
                        "text must have 1 to " + TweetText.MAX_CHARACTERS + " characters, found " + characters);
            }
        }
        if (WITH_USER.contains(function) && !store.isUser(call.id())) {
            return Answer.notFound(call.id());
        }
        boolean users = WITH_USERS.contains(function);
        if (users || function.equals("getTweets")) {
            if (call.ids().isEmpty() || call.ids().size() > MAX_IDS) {
                return Answer.rejected(
                        "ids must be 1 to " + MAX_IDS + ", found " + call.ids().size());
            }
        }
        if (users) {
            for (long id : call.ids()) {
                if (!store.isUser(id)) {
                    return Answer.notFound(id);
                }
            }
        }
        return null;
    }
}
