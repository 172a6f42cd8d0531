package dev.lockstep.tweets;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.List;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.protocol.TProtocolException;
import org.apache.thrift.transport.TMemoryBuffer;
import org.apache.thrift.transport.TMemoryInputTransport;
import org.junit.jupiter.api.Test;

final class RoundTripTest {
    interface Writer {
        void write(TBinaryProtocol out) throws TException;
    }

    static byte[] bytes(Writer writer) throws TException {
        TMemoryBuffer buffer = new TMemoryBuffer(64);
        writer.write(new TBinaryProtocol(buffer));
        return Arrays.copyOf(buffer.getArray(), buffer.length());
    }

    static TBinaryProtocol in(byte[] bytes) throws TException {
        return new TBinaryProtocol(new TMemoryInputTransport(bytes));
    }

    /** Tweets and users come out of the store by the compact protocol; here they go through the binary one. */
    @Test
    void structsComeBackAsTheyWere() throws TException {
        TweetStore store = new TweetStore(5, 40, 0);
        for (int i = 0; i < 40; i++) {
            byte[] user = bytes(store.user(Names.id(i))::write);
            assertArrayEquals(user, bytes(User.read(in(user))::write));
            for (long id : store.timeline(Names.id(i))) {
                byte[] tweet = bytes(store.tweet(id)::write);
                assertArrayEquals(tweet, bytes(Tweet.read(in(tweet))::write));
                assertEquals(id, Tweet.read(in(tweet)).id);
            }
        }
    }

    @Test
    void callsComeBackAsTheyWere() throws TException {
        Load load = new Load(new TweetStore(5, 40, 0), Load.Kind.TWEETS, 1, 0, 2);
        for (int i = 0; i < 200; i++) {
            byte[] call = bytes(load.next()::write);
            assertArrayEquals(call, bytes(Call.read(in(call))::write));
        }
    }

    @Test
    void refusesAnAnswerInPlaceOfACall() throws TException {
        Call call = new Call("getUser", 1, 1, 0, List.of(), "");
        byte[] answer = bytes(out -> Answer.notFound(1).write(out, call));

        assertThrows(TProtocolException.class, () -> Call.read(in(answer)));
    }

    /** A list that claims to be longer than its bytes must not reserve memory for it. */
    @Test
    void refusesAListThatIsTooLong() throws TException {
        byte[] call = bytes(new Call("getTweets", 1, 0, 0, List.of(7L), "")::write);
        byte[] lying = call.clone();
        // The length stands before the one element of 8 bytes and the end of the struct.
        lying[lying.length - 13] = 0x7f;

        assertThrows(TException.class, () -> Call.read(in(lying)));
    }
}
