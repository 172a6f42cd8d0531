package dev.lockstep.redaction;

/** The rules of a policy, ready for scanners. Immutable; any thread. */
final class RuleSet {
    private final NameSet headers;
    private final NameSet query;
    private final NameSet form;
    private final JsonRules json;
    private final ThriftRules thrift;
    private final String description;

    RuleSet(NameSet headers, NameSet query, NameSet form, JsonRules json, ThriftRules thrift, String description) {
        this.headers = headers;
        this.query = query;
        this.form = form;
        this.json = json;
        this.thrift = thrift;
        this.description = description;
    }

    /** Returns the names of headers, with bits of {@link HeaderRules}. */
    NameSet headers() {
        return headers;
    }

    NameSet query() {
        return query;
    }

    NameSet form() {
        return form;
    }

    JsonRules json() {
        return json;
    }

    ThriftRules thrift() {
        return thrift;
    }

    String description() {
        return description;
    }
}
