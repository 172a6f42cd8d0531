package dev.lockstep.tweets;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The calls of one client session, seeded: which functions, on which users, with which arguments. Popular users are
 * asked for more often. A session posts as, and reads the own timelines of, users that no other session has, so that
 * answers depend on no order between sessions. Used by one thread.
 */
public final class Load {
    /** What is called. */
    public enum Kind {
        TWEETS,
        GRAPH
    }

    private final TweetStore store;
    private final Kind kind;
    private final int session;
    private final int sessions;
    private final SplittableRandom random;
    private int sequenceId;

    /**
     * @param store made with the server's seed and number of users, for the ids of tweets
     * @param session from 0
     * @param sessions how many there are; at most as many as users
     */
    public Load(TweetStore store, Kind kind, long seed, int session, int sessions) {
        this.store = store;
        this.kind = kind;
        this.session = session;
        this.sessions = sessions;
        this.random = new SplittableRandom(Names.mix(seed ^ Names.mix(session)));
    }

    public Call next() {
        sequenceId++;
        return kind == Kind.TWEETS ? tweets(random.nextInt(100)) : graph(random.nextInt(100));
    }

    private Call tweets(int chance) {
        if (chance < 35) {
            return call("homeTimeline", popular(), 20, List.of(), "");
        } else if (chance < 55) {
            return call("userTimeline", own(), 20, List.of(), "");
        } else if (chance < 65) {
            return call("getTweets", 0, 0, tweetIds(20), "");
        } else if (chance < 75) {
            return call("getTweet", tweetIds(1).get(0), 0, List.of(), "");
        } else if (chance < 83) {
            return call("getUser", popular(), 0, List.of(), "");
        } else if (chance < 90) {
            return call("getUsers", 0, 0, userIds(20), "");
        }
        return call("postTweet", own(), 0, List.of(), TweetText.of(random.nextLong(), store.users()));
    }

    private Call graph(int chance) {
        if (chance < 35) {
            return call("followedByAll", 0, 0, userIds(2 + random.nextInt(3)), "");
        } else if (chance < 60) {
            return call("followedByAny", 0, 100, userIds(2 + random.nextInt(9)), "");
        } else if (chance < 75) {
            return call("suggestions", popular(), 20, List.of(), "");
        } else if (chance < 90) {
            return call("following", popular(), 0, List.of(), "");
        }
        return call("followers", popular(), 0, List.of(), "");
    }

    private Call call(String function, long id, int count, List<Long> ids, String text) {
        return new Call(function, sequenceId, id, count, ids, text);
    }

    /**
     * Half of what is asked for belongs to the first users of a half, half of that to those of a quarter, and so on.
     */
    private long popular() {
        int among = store.users();
        while (among > 20 && random.nextBoolean()) {
            among /= 2;
        }
        return Names.id(random.nextInt(among));
    }

    private long own() {
        int others = (store.users() - session - 1) / sessions;
        return Names.id(session + sessions * random.nextInt(others + 1));
    }

    private List<Long> userIds(int count) {
        List<Long> ids = new ArrayList<>();
        while (ids.size() < count) {
            ids.add(popular());
        }
        return ids;
    }

    private List<Long> tweetIds(int count) {
        List<Long> ids = new ArrayList<>();
        while (ids.size() < count) {
            long[] timeline = store.timeline(popular());
            ids.add(timeline[random.nextInt(timeline.length)]);
        }
        return ids;
    }
}
