package dev.lockstep.redaction;

/** How a value is written where it stands, which decides what its token may look like. */
enum Spelling {
    /** As it is: letters and digits come in its place. */
    PLAIN,
    /** With percent signs before hex digits, and a plus for a space: what was encoded stays encoded. */
    PERCENT,
    /** Between the quotes of a JSON string. */
    JSON_STRING,
    /** Between the quotes of a JSON string in a document that is percent-encoded. */
    PERCENT_JSON_STRING,
    /** A JSON number, or what stands in its place: digits come in place of digits. */
    JSON_BARE,
    /** Bytes of which all may be anything. */
    BYTES,
    /** A big-endian IEEE 754 number: sign and exponent stay. */
    DOUBLE,
    /** A little-endian IEEE 754 number: sign and exponent stay. */
    DOUBLE_LITTLE_ENDIAN,
    /** Thrift's variable-length number: each byte's high bit stays. */
    VARINT
}
