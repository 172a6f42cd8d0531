package dev.lockstep.tweets;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The work of both services, with java.util's collections: many short-lived objects a call. Any thread. */
public final class TweetService {
    private final TweetStore store;

    public TweetService(TweetStore store) {
        this.store = store;
    }

    public Answer answer(Call call) {
        Answer refusal = CallCheck.refusal(call, store);
        if (refusal != null) {
            return refusal;
        }
        switch (call.function()) {
            case "getUser":
                return Answer.of(store.user(call.id()));
            case "getUsers":
                return Answer.users(call.ids().stream().map(store::user).collect(Collectors.toList()));
            case "getTweet":
                return tweet(call.id());
            case "getTweets":
                return tweets(call.ids());
            case "postTweet":
                return post(call);
            case "userTimeline":
                return Answer.tweets(userTimeline(call.id(), call.count()));
            case "homeTimeline":
                return Answer.entries(homeTimeline(call.id(), call.count()));
            case "following":
                return Answer.ids(boxed(store.following(call.id())));
            case "followers":
                return Answer.ids(boxed(store.followers(call.id())));
            case "followedByAll":
                return Answer.ids(followedByAll(call.ids()));
            case "followedByAny":
                return Answer.ids(followedByAny(call.ids(), call.count()));
            case "suggestions":
                return Answer.ids(suggestions(call.id(), call.count()));
            default:
                return Answer.unknownFunction();
        }
    }

    private Answer tweet(long id) {
        Tweet tweet = store.tweet(id);
        return tweet == null ? Answer.notFound(id) : Answer.of(tweet);
    }

    private Answer tweets(List<Long> ids) {
        List<Tweet> tweets = new ArrayList<>();
        for (long id : ids) {
            Tweet tweet = store.tweet(id);
            if (tweet == null) {
                return Answer.notFound(id);
            }
            tweets.add(tweet);
        }
        return Answer.tweets(tweets);
    }

    private Answer post(Call call) {
        Tweet tweet = store.post(call.id(), call.text());
        return tweet == null ? Answer.rejected("the store is full") : Answer.of(tweet);
    }

    private List<Tweet> userTimeline(long id, int count) {
        List<Long> ids = boxed(store.posted(id));
        ids.addAll(boxed(store.timeline(id)));
        ids.sort(Collections.reverseOrder());
        return ids.stream().limit(count).map(store::tweet).collect(Collectors.toList());
    }

    private List<Entry> homeTimeline(long id, int count) {
        PriorityQueue<Cursor> newest = new PriorityQueue<>(Comparator.comparingLong((Cursor cursor) -> -cursor.id()));
        for (long followed : store.following(id)) {
            newest.add(new Cursor(store.timeline(followed)));
        }
        String muted = store.muted(id);
        Map<Long, User> authors = new HashMap<>();
        List<Entry> entries = new ArrayList<>();
        while (entries.size() < count && !newest.isEmpty()) {
            Cursor cursor = newest.remove();
            Tweet tweet = store.tweet(cursor.id());
            if (!tweet.hashtags.contains(muted)) {
                entries.add(new Entry(tweet, authors.computeIfAbsent(tweet.authorId, store::user)));
            }
            if (cursor.advance()) {
                newest.add(cursor);
            }
        }
        return entries;
    }

    private List<Long> followedByAll(List<Long> ids) {
        Set<Long> all = new TreeSet<>(boxed(store.following(ids.get(0))));
        for (long id : ids) {
            all.retainAll(new HashSet<>(boxed(store.following(id))));
        }
        return new ArrayList<>(all);
    }

    private List<Long> followedByAny(List<Long> ids, int count) {
        Set<Long> any = new TreeSet<>();
        for (long id : ids) {
            any.addAll(boxed(store.following(id)));
        }
        return any.stream().limit(count).collect(Collectors.toList());
    }

    private List<Long> suggestions(long id, int count) {
        Set<Long> known = new HashSet<>(boxed(store.following(id)));
        known.add(id);
        Map<Long, Integer> times = new HashMap<>();
        for (long followed : store.following(id)) {
            for (long candidate : store.following(followed)) {
                if (!known.contains(candidate)) {
                    times.merge(candidate, 1, Integer::sum);
                }
            }
        }
        return times.entrySet().stream()
                .sorted(Map.Entry.<Long, Integer>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(Map.Entry.comparingByKey()))
                .limit(count)
                .map(Map.Entry::getKey)
                .collect(Collectors.toList());
    }

    private static List<Long> boxed(long[] ids) {
        List<Long> boxed = new ArrayList<>(ids.length);
        for (long id : ids) {
            boxed.add(id);
        }
        return boxed;
    }

    /** A place in the tweets of one author. */
    private static final class Cursor {
        private final long[] ids;
        private int at;

        Cursor(long[] ids) {
            this.ids = ids;
        }

        long id() {
            return ids[at];
        }

        boolean advance() {
            at++;
            return at < ids.length;
        }
    }
}
