package dev.lockstep.finagle;

import com.twitter.util.Future;
import dev.lockstep.tweets.Answer;
import dev.lockstep.tweets.Call;
import dev.lockstep.tweets.CallCheck;
import dev.lockstep.tweets.Entry;
import dev.lockstep.tweets.Tweet;
import dev.lockstep.tweets.TweetStore;
import dev.lockstep.tweets.User;
import java.util.Comparator;
import java.util.List;
import scala.Tuple2;
import scala.collection.Iterator;
import scala.collection.immutable.HashMap;
import scala.collection.immutable.HashSet;
import scala.collection.immutable.Seq;
import scala.collection.immutable.Vector;
import scala.collection.immutable.VectorBuilder;
import scala.jdk.javaapi.CollectionConverters;
import scala.math.Ordering;

/**
 * The work of the tweet service with Scala's immutable collections and Futures, as Finagle services do theirs: each
 * access to the store is a Future. Answers equal those of {@code TweetService}. Any thread.
 */
final class ScalaTweets {
    private static final Ordering<Long> ASCENDING = Ordering.comparatorToOrdering(Comparator.<Long>naturalOrder());
    private static final Ordering<Long> DESCENDING = Ordering.comparatorToOrdering(Comparator.<Long>reverseOrder());

    /** By how often, then by id. */
    private static final Ordering<Tuple2<Long, Integer>> MOST_FREQUENT = Ordering.comparatorToOrdering(
            Comparator.comparing((Tuple2<Long, Integer> times) -> times._2(), Comparator.reverseOrder())
                    .thenComparing(times -> times._1()));

    private final TweetStore store;

    ScalaTweets(TweetStore store) {
        this.store = store;
    }

    Future<Answer> answer(Call call) {
        Answer refusal = CallCheck.refusal(call, store);
        if (refusal != null) {
            return Future.value(refusal);
        }
        switch (call.function()) {
            case "getUser":
                return user(call.id()).map(Answer::of);
            case "getUsers":
                return Future.collect(
                                scala(call.ids()).iterator().map(this::user).toVector())
                        .map(users -> Answer.users(CollectionConverters.asJavaCollection(users)));
            case "getTweet":
                return tweet(call.id()).map(tweet -> tweet == null ? Answer.notFound(call.id()) : Answer.of(tweet));
            case "getTweets":
                return tweets(scala(call.ids()));
            case "postTweet":
                return Future.value(store.post(call.id(), call.text()))
                        .map(tweet -> tweet == null ? Answer.rejected("the store is full") : Answer.of(tweet));
            case "userTimeline":
                return userTimeline(call.id(), call.count());
            case "homeTimeline":
                return homeTimeline(call.id(), call.count());
            case "following":
                return Future.value(vector(store.following(call.id()))).map(ScalaTweets::ids);
            case "followers":
                return Future.value(vector(store.followers(call.id()))).map(ScalaTweets::ids);
            case "followedByAll":
                return following(call.ids())
                        .map(sets -> ids(sorted(
                                sets.iterator()
                                        .<HashSet<Long>>reduce((all, more) -> all.intersect(more))
                                        .iterator(),
                                ASCENDING)));
            case "followedByAny":
                return following(call.ids())
                        .map(sets -> ids(sorted(
                                        sets.iterator()
                                                .foldLeft(new HashSet<Long>(), (any, more) -> any.concat(more))
                                                .iterator(),
                                        ASCENDING)
                                .take(call.count())));
            case "suggestions":
                return suggestions(call.id(), call.count());
            default:
                return Future.value(Answer.unknownFunction());
        }
    }

    private Future<User> user(long id) {
        return Future.value(store.user(id));
    }

    private Future<Tweet> tweet(long id) {
        return Future.value(store.tweet(id));
    }

    private Future<Answer> tweets(Vector<Long> ids) {
        return Future.collect(ids.iterator().map(this::tweet).toVector()).map(tweets -> {
            int missing = tweets.indexOf(null);
            return missing >= 0
                    ? Answer.notFound(ids.apply(missing))
                    : Answer.tweets(CollectionConverters.asJavaCollection(tweets));
        });
    }

    private Future<Answer> userTimeline(long id, int count) {
        Vector<Long> newest = sorted(
                vector(store.posted(id)).appendedAll(vector(store.timeline(id))).iterator(), DESCENDING);
        return tweets(newest.take(count));
    }

    private Future<Answer> homeTimeline(long id, int count) {
        String muted = store.muted(id);
        Vector<Long> newest = sorted(
                vector(store.following(id)).iterator().flatMap(followed -> vector(store.timeline(followed))),
                DESCENDING);
        Vector<Tweet> tweets = newest.iterator()
                .map(tweet -> store.tweet(tweet))
                .filter(tweet -> !tweet.hashtags().contains(muted))
                .take(count)
                .toVector();
        Vector<Long> authors =
                tweets.iterator().map(tweet -> tweet.authorId()).distinct().toVector();
        Future<Seq<User>> users =
                Future.collect(authors.iterator().map(this::user).toVector());
        return users.map(found -> {
            HashMap<Long, User> byId =
                    found.iterator().foldLeft(new HashMap<Long, User>(), (map, user) -> map.updated(user.id(), user));
            Vector<Entry> entries = tweets.iterator()
                    .map(tweet -> new Entry(tweet, byId.apply(tweet.authorId())))
                    .toVector();
            return Answer.entries(CollectionConverters.asJavaCollection(entries));
        });
    }

    private Future<Seq<HashSet<Long>>> following(List<Long> ids) {
        return Future.collect(scala(ids)
                .iterator()
                .map(id -> Future.value(set(store.following(id))))
                .toVector());
    }

    private Future<Answer> suggestions(long id, int count) {
        HashSet<Long> known = set(store.following(id)).incl(id);
        HashMap<Long, Integer> times = vector(store.following(id))
                .iterator()
                .flatMap(followed -> vector(store.following(followed)))
                .filterNot(known::contains)
                .foldLeft(new HashMap<Long, Integer>(), (map, candidate) -> {
                    int before = map.contains(candidate) ? map.apply(candidate) : 0;
                    return map.updated(candidate, before + 1);
                });
        Vector<Long> most = sorted(times.iterator(), MOST_FREQUENT)
                .iterator()
                .take(count)
                .map(Tuple2::_1)
                .toVector();
        return Future.value(ids(most));
    }

    private static Answer ids(Vector<Long> ids) {
        return Answer.ids(CollectionConverters.asJavaCollection(ids));
    }

    private static Vector<Long> scala(List<Long> ids) {
        return CollectionConverters.asScala(ids).toVector();
    }

    private static Vector<Long> vector(long[] ids) {
        VectorBuilder<Long> vector = new VectorBuilder<>();
        for (long id : ids) {
            vector.addOne(id);
        }
        return vector.result();
    }

    private static HashSet<Long> set(long[] ids) {
        return new HashSet<Long>().concat(vector(ids));
    }

    /** The type of what Scala's sorted returns is lost to Java. */
    @SuppressWarnings("unchecked")
    private static <T> Vector<T> sorted(Iterator<T> elements, Ordering<T> order) {
        return (Vector<T>) elements.toVector().sorted(order);
    }
}
