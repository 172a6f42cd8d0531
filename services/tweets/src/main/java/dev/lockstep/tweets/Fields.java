package dev.lockstep.tweets;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TField;
import org.apache.thrift.protocol.TList;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TProtocolException;

/**
 * Reads and writes the fields of a struct.
 *
 * <p>Design note: this module runs with libthrift 0.10 too, which Finagle needs. A method reference such as
 * {@code TProtocol::writeI64} would name an interface that only newer ones have; hence {@link #writeId} and its like.
 */
final class Fields {
    /** No list of ours is longer; a length beyond it is not believed, so that it reserves no memory. */
    private static final int MAX_ELEMENTS = 1_000_000;

    private Fields() {}

    /** Writes a value. */
    interface Writer {
        void write(TProtocol out) throws TException;
    }

    /** Writes one element of a list. */
    interface ElementWriter<T> {
        void write(TProtocol out, T element) throws TException;
    }

    /** Reads one element of a list. */
    interface ElementReader<T> {
        T read(TProtocol in) throws TException;
    }

    static boolean is(TField found, TField expected) {
        return found.id == expected.id && found.type == expected.type;
    }

    static void write(TProtocol out, TField field, long value) throws TException {
        out.writeFieldBegin(field);
        out.writeI64(value);
        out.writeFieldEnd();
    }

    static void write(TProtocol out, TField field, int value) throws TException {
        out.writeFieldBegin(field);
        out.writeI32(value);
        out.writeFieldEnd();
    }

    static void write(TProtocol out, TField field, String value) throws TException {
        out.writeFieldBegin(field);
        out.writeString(value);
        out.writeFieldEnd();
    }

    static <T> void writeList(
            TProtocol out, TField field, byte elementType, Collection<T> elements, ElementWriter<? super T> writer)
            throws TException {
        out.writeFieldBegin(field);
        out.writeListBegin(new TList(elementType, elements.size()));
        for (T element : elements) {
            writer.write(out, element);
        }
        out.writeListEnd();
        out.writeFieldEnd();
    }

    static <T> List<T> readList(TProtocol in, byte elementType, ElementReader<T> reader) throws TException {
        TList list = in.readListBegin();
        if (list.size > 0 && list.elemType != elementType || list.size < 0 || list.size > MAX_ELEMENTS) {
            throw new TProtocolException(
                    TProtocolException.INVALID_DATA,
                    "expected a list of type " + elementType + ", found one of type " + list.elemType + " with "
                            + list.size + " elements");
        }
        List<T> elements = new ArrayList<>();
        for (int i = 0; i < list.size; i++) {
            elements.add(reader.read(in));
        }
        in.readListEnd();
        return elements;
    }

    static void writeText(TProtocol out, String text) throws TException {
        out.writeString(text);
    }

    static void writeId(TProtocol out, long id) throws TException {
        out.writeI64(id);
    }

    static String readText(TProtocol in) throws TException {
        return in.readString();
    }

    static long readId(TProtocol in) throws TException {
        return in.readI64();
    }
}
