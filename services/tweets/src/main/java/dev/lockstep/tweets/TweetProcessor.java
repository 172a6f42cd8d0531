package dev.lockstep.tweets;

import org.apache.thrift.TException;
import org.apache.thrift.TProcessor;
import org.apache.thrift.protocol.TProtocol;

/** Reads a call, has it answered, writes the answer. Any thread. */
final class TweetProcessor implements TProcessor {
    private final TweetService service;

    TweetProcessor(TweetService service) {
        this.service = service;
    }

    @Override
    public void process(TProtocol in, TProtocol out) throws TException {
        Call call = Call.read(in);
        service.answer(call).write(out, call);
        out.getTransport().flush();
    }
}
