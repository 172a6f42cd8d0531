package dev.lockstep.redaction;

/** By what kind of rule a value was replaced. */
enum RuleKind {
    HEADER("header"),
    COOKIE("cookie"),
    QUERY("query parameter"),
    JSON("JSON field"),
    FORM("form field"),
    THRIFT("Thrift field"),
    HTTP2("HTTP/2 header"),
    ADDRESS("address password");

    /** The kind in words for people, in the singular. */
    final String text;

    RuleKind(String text) {
        this.text = text;
    }
}
