package dev.lockstep.livetests;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TField;
import org.apache.thrift.protocol.TList;
import org.apache.thrift.protocol.TMap;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TSet;
import org.apache.thrift.protocol.TStruct;
import org.apache.thrift.protocol.TType;

/** A value of any Thrift type, read and written through libthrift without generated code. */
final class ThriftValue {
    final byte type;
    /** A boxed value, a String, or the fields, elements, or keys and values in turn. */
    final Object value;
    /** Where it is a struct's field: its number. */
    final short field;

    private final byte elementType;
    private final byte otherType;

    private ThriftValue(byte type, int field, Object value, byte elementType, byte otherType) {
        this.type = type;
        this.field = (short) field;
        this.value = value;
        this.elementType = elementType;
        this.otherType = otherType;
    }

    static ThriftValue of(int field, Object value) {
        byte type = value instanceof Integer
                ? TType.I32
                : value instanceof Long
                        ? TType.I64
                        : value instanceof Boolean ? TType.BOOL : value instanceof Double ? TType.DOUBLE : TType.STRING;
        return new ThriftValue(type, field, value, TType.STOP, TType.STOP);
    }

    static ThriftValue struct(int field, ThriftValue... fields) {
        return new ThriftValue(TType.STRUCT, field, Arrays.asList(fields), TType.STOP, TType.STOP);
    }

    static ThriftValue list(int field, ThriftValue... elements) {
        return new ThriftValue(TType.LIST, field, Arrays.asList(elements), elements[0].type, TType.STOP);
    }

    static ThriftValue set(int field, ThriftValue... elements) {
        return new ThriftValue(TType.SET, field, Arrays.asList(elements), elements[0].type, TType.STOP);
    }

    static ThriftValue map(int field, ThriftValue key, ThriftValue value) {
        return new ThriftValue(TType.MAP, field, Arrays.asList(key, value), key.type, value.type);
    }

    /** Returns the same as another field. */
    ThriftValue as(int otherField) {
        return new ThriftValue(type, otherField, value, elementType, otherType);
    }

    /** Returns a struct's field, by its number. */
    ThriftValue get(int number) {
        for (ThriftValue each : parts()) {
            if (each.field == number) {
                return each;
            }
        }
        throw new IllegalStateException("there is no field " + number);
    }

    List<ThriftValue> parts() {
        List<ThriftValue> parts = new ArrayList<>();
        for (Object part : (List<?>) value) {
            parts.add((ThriftValue) part);
        }
        return parts;
    }

    static ThriftValue read(TProtocol in, byte type, int field) throws TException {
        switch (type) {
            case TType.BOOL:
                return of(field, in.readBool());
            case TType.I32:
                return of(field, in.readI32());
            case TType.I64:
                return of(field, in.readI64());
            case TType.DOUBLE:
                return of(field, in.readDouble());
            case TType.STRING:
                return of(field, in.readString());
            case TType.STRUCT:
                return readStruct(in, field);
            case TType.MAP:
                return readMap(in, field);
            case TType.LIST:
                TList list = in.readListBegin();
                List<ThriftValue> elements = readAll(in, list.elemType, list.size);
                in.readListEnd();
                return new ThriftValue(type, field, elements, list.elemType, TType.STOP);
            case TType.SET:
                TSet set = in.readSetBegin();
                List<ThriftValue> members = readAll(in, set.elemType, set.size);
                in.readSetEnd();
                return new ThriftValue(type, field, members, set.elemType, TType.STOP);
            default:
                throw new TException("no value has type " + type);
        }
    }

    void write(TProtocol out) throws TException {
        switch (type) {
            case TType.BOOL:
                out.writeBool((Boolean) value);
                break;
            case TType.I32:
                out.writeI32((Integer) value);
                break;
            case TType.I64:
                out.writeI64((Long) value);
                break;
            case TType.DOUBLE:
                out.writeDouble((Double) value);
                break;
            case TType.STRING:
                out.writeString((String) value);
                break;
            case TType.STRUCT:
                out.writeStructBegin(new TStruct("struct"));
                for (ThriftValue each : parts()) {
                    out.writeFieldBegin(new TField("field", each.type, each.field));
                    each.write(out);
                    out.writeFieldEnd();
                }
                out.writeFieldStop();
                out.writeStructEnd();
                break;
            case TType.MAP:
                out.writeMapBegin(new TMap(elementType, otherType, parts().size() / 2));
                writeAll(out);
                out.writeMapEnd();
                break;
            case TType.LIST:
                out.writeListBegin(new TList(elementType, parts().size()));
                writeAll(out);
                out.writeListEnd();
                break;
            default:
                out.writeSetBegin(new TSet(elementType, parts().size()));
                writeAll(out);
                out.writeSetEnd();
                break;
        }
    }

    private void writeAll(TProtocol out) throws TException {
        for (ThriftValue part : parts()) {
            part.write(out);
        }
    }

    private static ThriftValue readStruct(TProtocol in, int field) throws TException {
        List<ThriftValue> fields = new ArrayList<>();
        in.readStructBegin();
        for (TField next = in.readFieldBegin(); next.type != TType.STOP; next = in.readFieldBegin()) {
            fields.add(read(in, next.type, next.id));
            in.readFieldEnd();
        }
        in.readStructEnd();
        return new ThriftValue(TType.STRUCT, field, fields, TType.STOP, TType.STOP);
    }

    private static ThriftValue readMap(TProtocol in, int field) throws TException {
        TMap map = in.readMapBegin();
        List<ThriftValue> pairs = new ArrayList<>();
        for (int i = 0; i < map.size; i++) {
            pairs.add(read(in, map.keyType, 0));
            pairs.add(read(in, map.valueType, 0));
        }
        in.readMapEnd();
        return new ThriftValue(TType.MAP, field, pairs, map.keyType, map.valueType);
    }

    private static List<ThriftValue> readAll(TProtocol in, byte elementType, int size) throws TException {
        List<ThriftValue> elements = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            elements.add(read(in, elementType, 0));
        }
        return elements;
    }
}
