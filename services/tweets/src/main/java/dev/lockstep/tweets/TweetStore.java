package dev.lockstep.tweets;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TCompactProtocol;
import org.apache.thrift.transport.TMemoryBuffer;
import org.apache.thrift.transport.TMemoryInputTransport;

/**
 * The data: users, who follows whom, tweets. As in a cache, users and tweets are kept as bytes of Thrift, which each
 * request decodes anew. The seed decides everything that is there at the start, so two processes hold the same. Any
 * thread may use it.
 *
 * <p>A tweet that is posted is derived from its author and text alone: posting it again changes nothing, so answers do
 * not depend on how often a capture was replayed. It appears in its author's timeline, not in those of followers: there
 * it would show which of two connections came first.
 */
public final class TweetStore {
    public static final long DEFAULT_SEED = 42;
    public static final int DEFAULT_USERS = 2_000;
    public static final int DEFAULT_MAX_POSTED = 200_000;

    /** How users are popular: this share of all that is followed is among the first tenth of the users. */
    private static final int POPULAR_PERCENT = 50;

    private static final int MAX_FOLLOWING = 150;
    private static final int MAX_TWEETS = 50;

    /** 2019-02-02T10:00:00Z: any fixed instant will do. */
    private static final long NEWEST_MS = 1_549_101_600_000L;

    private static final long SPAN_MS = 30L * 24 * 3600 * 1000;

    /** As in ids of the real service: milliseconds since this instant, above 22 bits that tell tweets of one apart. */
    private static final long ID_EPOCH_MS = 1_288_834_974_657L;

    private static final int ID_BITS = 22;

    private final long seed;
    private final int users;
    private final int maxPosted;
    private final byte[][] profiles;
    private final long[][] following;
    private final long[][] followers;
    private final long[][] timelines;
    private final Map<Long, byte[]> tweets = new ConcurrentHashMap<>();
    private final AtomicReferenceArray<long[]> posted;
    private final AtomicInteger postedTweets = new AtomicInteger();

    /** @param maxPosted how many tweets beyond those of the start are kept */
    public TweetStore(long seed, int users, int maxPosted) {
        this.seed = seed;
        this.users = users;
        this.maxPosted = maxPosted;
        this.following = following(seed, users);
        this.followers = followers(following);
        this.timelines = new long[users][];
        this.profiles = new byte[users][];
        this.posted = new AtomicReferenceArray<>(users);
        for (int i = 0; i < users; i++) {
            profiles[i] = encode(profile(i)::write);
            timelines[i] = preload(i);
            posted.set(i, new long[0]);
        }
    }

    public int users() {
        return users;
    }

    /** Whether a user has this id. */
    public boolean isUser(long id) {
        int index = Names.index(id);
        return index >= 0 && index < users;
    }

    /** The user of this id, or null. */
    public User user(long id) {
        return isUser(id) ? decode(profiles[Names.index(id)], User::read) : null;
    }

    /** The tweet of this id, or null. */
    public Tweet tweet(long id) {
        byte[] bytes = tweets.get(id);
        return bytes == null ? null : decode(bytes, Tweet::read);
    }

    /** The ids of those whom the user follows, ascending; not to be changed. */
    public long[] following(long id) {
        return following[Names.index(id)];
    }

    /** The ids of those who follow the user, ascending; not to be changed. */
    public long[] followers(long id) {
        return followers[Names.index(id)];
    }

    /** The ids of the user's tweets of the start, newest first; not to be changed. */
    public long[] timeline(long id) {
        return timelines[Names.index(id)];
    }

    /** The ids of the tweets that the user posted, newest first; not to be changed. */
    public long[] posted(long id) {
        return posted.get(Names.index(id));
    }

    /** The hashtag that the user does not want to see in a home timeline. */
    public String muted(long id) {
        return TweetText.hashtag((int) (Names.mix(id) & 0xff));
    }

    /** Keeps a tweet and returns it; null if there is no more room for new ones. */
    public Tweet post(long authorId, String text) {
        long random = Names.mix(Names.mix(authorId) ^ hash(text));
        Tweet tweet = tweet(authorId, text, NEWEST_MS + Long.remainderUnsigned(random, SPAN_MS), random);
        if (tweets.containsKey(tweet.id)) {
            return tweet;
        }
        if (postedTweets.incrementAndGet() > maxPosted) {
            postedTweets.decrementAndGet();
            return null;
        }
        if (tweets.putIfAbsent(tweet.id, encode(tweet::write)) != null) {
            postedTweets.decrementAndGet();
            return tweet;
        }
        posted.updateAndGet(Names.index(authorId), ids -> withNewer(ids, tweet.id));
        return tweet;
    }

    private static long[] withNewer(long[] ids, long id) {
        int at = 0;
        while (at < ids.length && ids[at] > id) {
            at++;
        }
        long[] longer = new long[ids.length + 1];
        System.arraycopy(ids, 0, longer, 0, at);
        longer[at] = id;
        System.arraycopy(ids, at, longer, at + 1, ids.length - at);
        return longer;
    }

    private long[] preload(int author) {
        SplittableRandom random = new SplittableRandom(Names.mix(seed ^ Names.mix(author)));
        long[] ids = new long[1 + random.nextInt(MAX_TWEETS)];
        for (int i = 0; i < ids.length; i++) {
            Tweet tweet;
            do {
                long number = random.nextLong();
                tweet = tweet(
                        Names.id(author),
                        TweetText.of(number, users),
                        NEWEST_MS - 1 - Long.remainderUnsigned(number, SPAN_MS),
                        number);
            } while (tweets.putIfAbsent(tweet.id, encode(tweet::write)) != null);
            ids[i] = tweet.id;
        }
        Arrays.sort(ids);
        for (int i = 0; i < ids.length / 2; i++) {
            long older = ids[i];
            ids[i] = ids[ids.length - 1 - i];
            ids[ids.length - 1 - i] = older;
        }
        return ids;
    }

    private Tweet tweet(long authorId, String text, long createdMs, long random) {
        List<String> hashtags = TweetText.hashtags(text);
        List<Long> mentions = TweetText.mentions(text, users);
        long id = createdMs - ID_EPOCH_MS << ID_BITS | random >>> 64 - ID_BITS;
        // Few have many.
        int likes = (int) ((random & 0xffff) * (random & 0xff) >> 16);
        return new Tweet(id, authorId, text, createdMs, hashtags, mentions, likes);
    }

    private User profile(int index) {
        return new User(
                Names.id(index),
                Names.screenName(index),
                Names.name(index),
                TweetText.of(Names.mix(seed + index), users),
                followers[index].length,
                following[index].length);
    }

    /** Few follow many; half of what is followed belongs to a tenth of the users. */
    private static long[][] following(long seed, int users) {
        long[][] following = new long[users][];
        for (int i = 0; i < users; i++) {
            SplittableRandom random = new SplittableRandom(Names.mix(~seed ^ Names.mix(i)));
            int wanted = Math.min(users - 1, 1 + random.nextInt(1 + random.nextInt(MAX_FOLLOWING)));
            Set<Long> chosen = new HashSet<>();
            while (chosen.size() < wanted) {
                int among = random.nextInt(100) < POPULAR_PERCENT && chosen.size() < users / 20 ? users / 10 : users;
                int other = random.nextInt(among);
                if (other != i) {
                    chosen.add(Names.id(other));
                }
            }
            following[i] = chosen.stream().mapToLong(Long::longValue).sorted().toArray();
        }
        return following;
    }

    private static long[][] followers(long[][] following) {
        int[] counts = new int[following.length];
        for (long[] ids : following) {
            for (long id : ids) {
                counts[Names.index(id)]++;
            }
        }
        long[][] followers = new long[following.length][];
        for (int i = 0; i < following.length; i++) {
            followers[i] = new long[counts[i]];
        }
        int[] filled = new int[following.length];
        for (int i = 0; i < following.length; i++) {
            for (long id : following[i]) {
                int followed = Names.index(id);
                followers[followed][filled[followed]++] = Names.id(i);
            }
        }
        return followers;
    }

    private static long hash(String text) {
        long hash = text.length();
        for (int i = 0; i < text.length(); i++) {
            hash = hash * 31 + text.charAt(i);
        }
        return Names.mix(hash);
    }

    private static byte[] encode(Fields.Writer struct) {
        try {
            TMemoryBuffer buffer = new TMemoryBuffer(256);
            struct.write(new TCompactProtocol(buffer));
            return Arrays.copyOf(buffer.getArray(), buffer.length());
        } catch (TException e) {
            throw new IllegalStateException(e);
        }
    }

    private static <T> T decode(byte[] bytes, Fields.ElementReader<T> reader) {
        try {
            return reader.read(new TCompactProtocol(new TMemoryInputTransport(bytes)));
        } catch (TException e) {
            throw new IllegalStateException(e);
        }
    }
}
