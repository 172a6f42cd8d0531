package dev.lockstep.tweets;

import org.apache.thrift.TException;
import org.apache.thrift.protocol.TField;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TProtocolUtil;
import org.apache.thrift.protocol.TStruct;
import org.apache.thrift.protocol.TType;

/** Thrift's struct User. Immutable. */
public final class User {
    private static final TStruct STRUCT = new TStruct("User");
    private static final TField ID = new TField("id", TType.I64, (short) 1);
    private static final TField SCREEN_NAME = new TField("screenName", TType.STRING, (short) 2);
    private static final TField NAME = new TField("name", TType.STRING, (short) 3);
    private static final TField BIO = new TField("bio", TType.STRING, (short) 4);
    private static final TField FOLLOWERS = new TField("followers", TType.I32, (short) 5);
    private static final TField FOLLOWING = new TField("following", TType.I32, (short) 6);

    final long id;
    final String screenName;
    final String name;
    final String bio;
    final int followers;
    final int following;

    User(long id, String screenName, String name, String bio, int followers, int following) {
        this.id = id;
        this.screenName = screenName;
        this.name = name;
        this.bio = bio;
        this.followers = followers;
        this.following = following;
    }

    public long id() {
        return id;
    }

    void write(TProtocol out) throws TException {
        out.writeStructBegin(STRUCT);
        Fields.write(out, ID, id);
        Fields.write(out, SCREEN_NAME, screenName);
        Fields.write(out, NAME, name);
        Fields.write(out, BIO, bio);
        Fields.write(out, FOLLOWERS, followers);
        Fields.write(out, FOLLOWING, following);
        out.writeFieldStop();
        out.writeStructEnd();
    }

    static User read(TProtocol in) throws TException {
        long id = 0;
        String screenName = "";
        String name = "";
        String bio = "";
        int followers = 0;
        int following = 0;
        in.readStructBegin();
        for (TField field = in.readFieldBegin(); field.type != TType.STOP; field = in.readFieldBegin()) {
            if (Fields.is(field, ID)) {
                id = in.readI64();
            } else if (Fields.is(field, SCREEN_NAME)) {
                screenName = in.readString();
            } else if (Fields.is(field, NAME)) {
                name = in.readString();
            } else if (Fields.is(field, BIO)) {
                bio = in.readString();
            } else if (Fields.is(field, FOLLOWERS)) {
                followers = in.readI32();
            } else if (Fields.is(field, FOLLOWING)) {
                following = in.readI32();
            } else {
                TProtocolUtil.skip(in, field.type);
            }
            in.readFieldEnd();
        }
        in.readStructEnd();
        return new User(id, screenName, name, bio, followers, following);
    }
}
