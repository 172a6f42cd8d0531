package dev.lockstep.redaction;

/** By what kind of rule a value was replaced. */
enum RuleKind {
    HEADER("headers"),
    COOKIE("cookies"),
    QUERY("query parameters"),
    JSON("JSON fields"),
    FORM("form fields"),
    THRIFT("Thrift fields"),
    HTTP2("HTTP/2 headers");

    private final String text;

    RuleKind(String text) {
        this.text = text;
    }

    /** Returns the kind in words for people, in the plural. */
    String text() {
        return text;
    }
}
