package dev.lockstep.tweets;

import java.util.List;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TField;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TProtocolUtil;
import org.apache.thrift.protocol.TStruct;
import org.apache.thrift.protocol.TType;

/** Thrift's struct Tweet. Immutable. */
public final class Tweet {
    private static final TStruct STRUCT = new TStruct("Tweet");
    private static final TField ID = new TField("id", TType.I64, (short) 1);
    private static final TField AUTHOR_ID = new TField("authorId", TType.I64, (short) 2);
    private static final TField TEXT = new TField("text", TType.STRING, (short) 3);
    private static final TField CREATED_MS = new TField("createdMs", TType.I64, (short) 4);
    private static final TField HASHTAGS = new TField("hashtags", TType.LIST, (short) 5);
    private static final TField MENTIONS = new TField("mentions", TType.LIST, (short) 6);
    private static final TField LIKES = new TField("likes", TType.I32, (short) 7);

    final long id;
    final long authorId;
    final String text;
    final long createdMs;
    final List<String> hashtags;
    final List<Long> mentions;
    final int likes;

    Tweet(long id, long authorId, String text, long createdMs, List<String> hashtags, List<Long> mentions, int likes) {
        this.id = id;
        this.authorId = authorId;
        this.text = text;
        this.createdMs = createdMs;
        this.hashtags = hashtags;
        this.mentions = mentions;
        this.likes = likes;
    }

    public long authorId() {
        return authorId;
    }

    public List<String> hashtags() {
        return hashtags;
    }

    void write(TProtocol out) throws TException {
        out.writeStructBegin(STRUCT);
        Fields.write(out, ID, id);
        Fields.write(out, AUTHOR_ID, authorId);
        Fields.write(out, TEXT, text);
        Fields.write(out, CREATED_MS, createdMs);
        Fields.writeList(out, HASHTAGS, TType.STRING, hashtags, Fields::writeText);
        Fields.writeList(out, MENTIONS, TType.I64, mentions, Fields::writeId);
        Fields.write(out, LIKES, likes);
        out.writeFieldStop();
        out.writeStructEnd();
    }

    static Tweet read(TProtocol in) throws TException {
        long id = 0;
        long authorId = 0;
        String text = "";
        long createdMs = 0;
        List<String> hashtags = List.of();
        List<Long> mentions = List.of();
        int likes = 0;
        in.readStructBegin();
        for (TField field = in.readFieldBegin(); field.type != TType.STOP; field = in.readFieldBegin()) {
            if (Fields.is(field, ID)) {
                id = in.readI64();
            } else if (Fields.is(field, AUTHOR_ID)) {
                authorId = in.readI64();
            } else if (Fields.is(field, TEXT)) {
                text = in.readString();
            } else if (Fields.is(field, CREATED_MS)) {
                createdMs = in.readI64();
            } else if (Fields.is(field, HASHTAGS)) {
                hashtags = Fields.readList(in, TType.STRING, Fields::readText);
            } else if (Fields.is(field, MENTIONS)) {
                mentions = Fields.readList(in, TType.I64, Fields::readId);
            } else if (Fields.is(field, LIKES)) {
                likes = in.readI32();
            } else {
                TProtocolUtil.skip(in, field.type);
            }
            in.readFieldEnd();
        }
        in.readStructEnd();
        return new Tweet(id, authorId, text, createdMs, hashtags, mentions, likes);
    }
}
