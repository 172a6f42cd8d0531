package dev.lockstep.tweets;

import static dev.lockstep.tweets.RoundTripTest.bytes;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.thrift.TException;
import org.junit.jupiter.api.Test;

final class TweetServiceTest {
    private static final int USERS = 60;

    private final TweetService service = new TweetService(new TweetStore(9, USERS, 1_000));

    private static byte[] answer(TweetService service, Call call) throws TException {
        return bytes(out -> service.answer(call).write(out, call));
    }

    private static String text(TweetService service, Call call) throws TException {
        return new String(answer(service, call), StandardCharsets.UTF_8);
    }

    private static Call call(String function, long id, int count, List<Long> ids, String text) {
        return new Call(function, 1, id, count, ids, text);
    }

    private static List<Call> calls(Load.Kind kind, int count) {
        Load load = new Load(new TweetStore(9, USERS, 0), kind, 3, 0, 1);
        List<Call> calls = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            calls.add(load.next());
        }
        return calls;
    }

    @Test
    void twoProcessesGiveTheSameBytes() throws TException {
        TweetService other = new TweetService(new TweetStore(9, USERS, 1_000));
        for (Load.Kind kind : Load.Kind.values()) {
            for (Call call : calls(kind, 300)) {
                assertArrayEquals(answer(service, call), answer(other, call), call.function());
            }
        }
    }

    @Test
    void postsInAnyOrderAndTwiceGiveTheSameTimelines() throws TException {
        List<Call> posts = new ArrayList<>(calls(Load.Kind.TWEETS, 1_000));
        posts.removeIf(call -> !call.function().equals("postTweet"));
        TweetService other = new TweetService(new TweetStore(9, USERS, 1_000));
        for (Call post : posts) {
            answer(service, post);
        }
        Collections.reverse(posts);
        posts.addAll(posts.subList(0, posts.size() / 2));
        for (Call post : posts) {
            answer(other, post);
        }
        for (int i = 0; i < USERS; i++) {
            Call timeline = call("userTimeline", Names.id(i), 200, List.of(), "");
            assertArrayEquals(answer(service, timeline), answer(other, timeline));
        }
    }

    @Test
    void keepsNoMorePostsThanItMay() throws TException {
        TweetService small = new TweetService(new TweetStore(9, USERS, 1));
        Call first = call("postTweet", Names.id(1), 0, List.of(), "one");

        assertTrue(text(small, first).contains("one"));
        assertTrue(
                text(small, call("postTweet", Names.id(1), 0, List.of(), "two")).contains("full"));
        assertTrue(text(small, first).contains("one"));
    }

    /** Against the definition, over all users. */
    @Test
    void intersectsWhatUsersFollow() throws TException {
        TweetStore store = new TweetStore(9, USERS, 0);
        List<Long> users = List.of(Names.id(3), Names.id(8));
        List<Long> both = new ArrayList<>();
        List<Long> any = new ArrayList<>();
        for (int i = 0; i < USERS; i++) {
            int followers = 0;
            for (long follower : store.followers(Names.id(i))) {
                followers += users.contains(follower) ? 1 : 0;
            }
            if (followers == 2) {
                both.add(Names.id(i));
            }
            if (followers > 0) {
                any.add(Names.id(i));
            }
        }
        Call all = call("followedByAll", 0, 0, users, "");
        Call some = call("followedByAny", 0, 200, users, "");

        assertArrayEquals(bytes(out -> Answer.ids(both).write(out, all)), answer(service, all));
        assertArrayEquals(bytes(out -> Answer.ids(any).write(out, some)), answer(service, some));
    }

    @Test
    void refusesWhatIsNoTweetNoUserAndNoFunction() throws TException {
        long user = Names.id(1);

        assertTrue(text(service, call("postTweet", user, 0, List.of(), "")).contains("1 to 280 characters, found 0"));
        assertTrue(text(service, call("postTweet", user, 0, List.of(), "🚀".repeat(281)))
                .contains("1 to 280 characters, found 281"));
        assertTrue(text(service, call("postTweet", user, 0, List.of(), "🚀".repeat(280)))
                .contains("🚀"));
        assertTrue(text(service, call("homeTimeline", user, 0, List.of(), "")).contains("count must be 1 to 200"));
        assertTrue(text(service, call("getUsers", 0, 0, List.of(), "")).contains("ids must be 1 to 100, found 0"));
        assertArrayEquals(
                bytes(out -> Answer.notFound(5).write(out, call("getUser", 5, 0, List.of(), ""))),
                answer(service, call("getUser", 5, 0, List.of(), "")));
        assertTrue(text(service, call("__can__finagle__trace__v3__", 0, 0, List.of(), ""))
                .contains("unknown function"));
    }

    @Test
    void everyCallOfTheLoadHasAnAnswer() throws TException {
        for (Load.Kind kind : Load.Kind.values()) {
            for (Call call : calls(kind, 500)) {
                byte[] answer = answer(service, call);
                // Behind the head of a reply stands field 0, the value.
                int field = 4 + 4 + call.function().length() + 4;
                assertEquals(2, answer[3], call.function());
                assertEquals(0, answer[field + 1] << 8 | answer[field + 2], call.function());
            }
        }
    }
}
