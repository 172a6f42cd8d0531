package dev.lockstep.tweets;

import java.util.Collection;
import org.apache.thrift.TApplicationException;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TField;
import org.apache.thrift.protocol.TMessage;
import org.apache.thrift.protocol.TMessageType;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TStruct;
import org.apache.thrift.protocol.TType;

/** What a call is answered with: a value, or one of the declared exceptions. Immutable. */
public final class Answer {
    private static final TStruct STRUCT = new TStruct("result");
    private static final TField VALUE = new TField("success", TType.STRUCT, (short) 0);
    private static final TField LIST = new TField("success", TType.LIST, (short) 0);
    private static final TField NOT_FOUND = new TField("notFound", TType.STRUCT, (short) 1);
    private static final TField REJECTED = new TField("rejected", TType.STRUCT, (short) 2);
    private static final TField ID = new TField("id", TType.I64, (short) 1);
    private static final TField REASON = new TField("reason", TType.STRING, (short) 1);
    private static final TStruct EXCEPTION = new TStruct("exception");

    /** Writes the one field of the result; null for a function that does not exist. */
    private final Fields.Writer body;

    private Answer(Fields.Writer body) {
        this.body = body;
    }

    public static Answer of(User user) {
        return field(VALUE, user::write);
    }

    public static Answer of(Tweet tweet) {
        return field(VALUE, tweet::write);
    }

    public static Answer users(Collection<User> users) {
        return new Answer(out -> Fields.writeList(out, LIST, TType.STRUCT, users, (to, user) -> user.write(to)));
    }

    public static Answer tweets(Collection<Tweet> tweets) {
        return new Answer(out -> Fields.writeList(out, LIST, TType.STRUCT, tweets, (to, tweet) -> tweet.write(to)));
    }

    public static Answer entries(Collection<Entry> entries) {
        return new Answer(out -> Fields.writeList(out, LIST, TType.STRUCT, entries, (to, entry) -> entry.write(to)));
    }

    public static Answer ids(Collection<Long> ids) {
        return new Answer(out -> Fields.writeList(out, LIST, TType.I64, ids, Fields::writeId));
    }

    public static Answer notFound(long id) {
        return exception(NOT_FOUND, out -> Fields.write(out, ID, id));
    }

    public static Answer rejected(String reason) {
        return exception(REJECTED, out -> Fields.write(out, REASON, reason));
    }

    private static Answer exception(TField field, Fields.Writer content) {
        return field(field, out -> {
            out.writeStructBegin(EXCEPTION);
            content.write(out);
            out.writeFieldStop();
            out.writeStructEnd();
        });
    }

    private static Answer field(TField field, Fields.Writer value) {
        return new Answer(out -> {
            out.writeFieldBegin(field);
            value.write(out);
            out.writeFieldEnd();
        });
    }

    public static Answer unknownFunction() {
        return new Answer(null);
    }

    /** Writes the message that answers the call. */
    public void write(TProtocol out, Call call) throws TException {
        if (body == null) {
            out.writeMessageBegin(new TMessage(call.function(), TMessageType.EXCEPTION, call.sequenceId()));
            new TApplicationException(
                            TApplicationException.UNKNOWN_METHOD, "unknown function '" + call.function() + "'")
                    .write(out);
        } else {
            out.writeMessageBegin(new TMessage(call.function(), TMessageType.REPLY, call.sequenceId()));
            out.writeStructBegin(STRUCT);
            body.write(out);
            out.writeFieldStop();
            out.writeStructEnd();
        }
        out.writeMessageEnd();
    }
}
