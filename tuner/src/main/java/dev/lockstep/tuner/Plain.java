package dev.lockstep.tuner;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/** Values in one Java type of each kind: Long, finite Double, Boolean, String. So 8 equals 8, whoever read it. */
final class Plain {
    private Plain() {}

    /** @throws IllegalArgumentException naming what it is of */
    static Object of(String what, Object value) {
        if (value instanceof Long || value instanceof Boolean || value instanceof String) {
            return value;
        }
        if (value instanceof Integer || value instanceof Short || value instanceof Byte) {
            return ((Number) value).longValue();
        }
        if (value instanceof BigInteger && ((BigInteger) value).bitLength() < Long.SIZE) {
            return ((BigInteger) value).longValue();
        }
        boolean isNumber = value instanceof Double || value instanceof Float || value instanceof BigDecimal;
        if (isNumber && Double.isFinite(((Number) value).doubleValue())) {
            // One zero: -0.0 does not equal 0.0 as an object.
            return ((Number) value).doubleValue() + 0.0;
        }
        throw new IllegalArgumentException(what + ": expected a finite number, true, false or a text, found " + value);
    }

    static List<Object> all(String what, List<?> values) {
        List<Object> plain = new ArrayList<>();
        for (Object value : values) {
            plain.add(of(what, value));
        }
        return plain;
    }
}
