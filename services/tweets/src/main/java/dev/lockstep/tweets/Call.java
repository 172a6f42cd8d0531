package dev.lockstep.tweets;

import java.util.List;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TField;
import org.apache.thrift.protocol.TMessage;
import org.apache.thrift.protocol.TMessageType;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TProtocolException;
import org.apache.thrift.protocol.TProtocolUtil;
import org.apache.thrift.protocol.TStruct;
import org.apache.thrift.protocol.TType;

/**
 * A call of one of the functions. Arguments have the same number in every function, so that one type holds those of
 * all; one that did not come is 0, empty or the empty text. Immutable.
 */
public final class Call {
    private static final TField ID = new TField("id", TType.I64, (short) 1);
    private static final TField COUNT = new TField("count", TType.I32, (short) 2);
    private static final TField IDS = new TField("ids", TType.LIST, (short) 3);
    private static final TField TEXT = new TField("text", TType.STRING, (short) 4);

    private final String function;
    private final int sequenceId;
    private final long id;
    private final int count;
    private final List<Long> ids;
    private final String text;

    Call(String function, int sequenceId, long id, int count, List<Long> ids, String text) {
        this.function = function;
        this.sequenceId = sequenceId;
        this.id = id;
        this.count = count;
        this.ids = ids;
        this.text = text;
    }

    public String function() {
        return function;
    }

    int sequenceId() {
        return sequenceId;
    }

    public long id() {
        return id;
    }

    public int count() {
        return count;
    }

    public List<Long> ids() {
        return ids;
    }

    public String text() {
        return text;
    }

    /** Writes the message; arguments that are 0 or empty are left out. */
    public void write(TProtocol out) throws TException {
        out.writeMessageBegin(new TMessage(function, TMessageType.CALL, sequenceId));
        out.writeStructBegin(new TStruct(function + "_args"));
        if (id != 0) {
            Fields.write(out, ID, id);
        }
        if (count != 0) {
            Fields.write(out, COUNT, count);
        }
        if (!ids.isEmpty()) {
            Fields.writeList(out, IDS, TType.I64, ids, Fields::writeId);
        }
        if (!text.isEmpty()) {
            Fields.write(out, TEXT, text);
        }
        out.writeFieldStop();
        out.writeStructEnd();
        out.writeMessageEnd();
    }

    /**
     * Reads a message.
     *
     * @throws TProtocolException if it is no call, or not Thrift
     */
    public static Call read(TProtocol in) throws TException {
        TMessage message = in.readMessageBegin();
        if (message.type != TMessageType.CALL) {
            throw new TProtocolException(
                    TProtocolException.INVALID_DATA, "expected a call, found a message of type " + message.type);
        }
        long id = 0;
        int count = 0;
        List<Long> ids = List.of();
        String text = "";
        in.readStructBegin();
        for (TField field = in.readFieldBegin(); field.type != TType.STOP; field = in.readFieldBegin()) {
            if (Fields.is(field, ID)) {
                id = in.readI64();
            } else if (Fields.is(field, COUNT)) {
                count = in.readI32();
            } else if (Fields.is(field, IDS)) {
                ids = Fields.readList(in, TType.I64, Fields::readId);
            } else if (Fields.is(field, TEXT)) {
                text = in.readString();
            } else {
                TProtocolUtil.skip(in, field.type);
            }
            in.readFieldEnd();
        }
        in.readStructEnd();
        in.readMessageEnd();
        return new Call(message.name, message.seqid, id, count, ids, text);
    }
}
