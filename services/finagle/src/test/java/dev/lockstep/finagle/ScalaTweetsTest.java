package dev.lockstep.finagle;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import com.twitter.util.Await;
import dev.lockstep.tweets.Answer;
import dev.lockstep.tweets.Call;
import dev.lockstep.tweets.Load;
import dev.lockstep.tweets.TweetService;
import dev.lockstep.tweets.TweetStore;
import java.util.Arrays;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.transport.TMemoryBuffer;
import org.apache.thrift.transport.TMemoryInputTransport;
import org.junit.jupiter.api.Test;

final class ScalaTweetsTest {
    private static final int USERS = 60;

    private static byte[] bytes(Answer answer, Call call) throws TException {
        TMemoryBuffer buffer = new TMemoryBuffer(64);
        answer.write(new TBinaryProtocol(buffer), call);
        return Arrays.copyOf(buffer.getArray(), buffer.length());
    }

    /** As it arrives at a server, by Finagle's own libthrift. */
    private static Call sent(Call call) throws TException {
        TMemoryBuffer buffer = new TMemoryBuffer(64);
        call.write(new TBinaryProtocol(buffer));
        return Call.read(new TBinaryProtocol(new TMemoryInputTransport(buffer.getArray(), 0, buffer.length())));
    }

    @Test
    void answersAsTheServiceOnLibthrift() throws Exception {
        TweetService libthrift = new TweetService(new TweetStore(9, USERS, 100));
        ScalaTweets finagle = new ScalaTweets(new TweetStore(9, USERS, 100));
        for (Load.Kind kind : Load.Kind.values()) {
            Load load = new Load(new TweetStore(9, USERS, 0), kind, 3, 0, 1);
            for (int i = 0; i < 500; i++) {
                Call call = sent(load.next());
                assertArrayEquals(
                        bytes(libthrift.answer(call), call),
                        bytes(Await.result(finagle.answer(call)), call),
                        call.function());
            }
        }
    }
}
