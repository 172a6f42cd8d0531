package dev.lockstep.tweets;

import org.apache.thrift.TException;
import org.apache.thrift.protocol.TField;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TStruct;
import org.apache.thrift.protocol.TType;

/** Thrift's struct Entry: a tweet of a home timeline, and who wrote it. Immutable. */
public final class Entry {
    private static final TStruct STRUCT = new TStruct("Entry");
    private static final TField TWEET = new TField("tweet", TType.STRUCT, (short) 1);
    private static final TField AUTHOR = new TField("author", TType.STRUCT, (short) 2);

    private final Tweet tweet;
    private final User author;

    public Entry(Tweet tweet, User author) {
        this.tweet = tweet;
        this.author = author;
    }

    void write(TProtocol out) throws TException {
        out.writeStructBegin(STRUCT);
        out.writeFieldBegin(TWEET);
        tweet.write(out);
        out.writeFieldEnd();
        out.writeFieldBegin(AUTHOR);
        author.write(out);
        out.writeFieldEnd();
        out.writeFieldStop();
        out.writeStructEnd();
    }
}
