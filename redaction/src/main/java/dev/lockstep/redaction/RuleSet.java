package dev.lockstep.redaction;

/** The rules of a policy, ready for scanners. Immutable; any thread. */
final class RuleSet {
    /** The names of headers, with bits of {@link HeaderRules}. */
    final NameSet headers;

    final NameSet query;
    final NameSet form;
    final JsonRules json;
    final ThriftRules thrift;
    /** Whether the passwords of addresses are replaced. */
    final boolean addressPasswords;

    final String description;

    RuleSet(
            NameSet headers,
            NameSet query,
            NameSet form,
            JsonRules json,
            ThriftRules thrift,
            boolean addressPasswords,
            String description) {
        this.headers = headers;
        this.query = query;
        this.form = form;
        this.json = json;
        this.thrift = thrift;
        this.addressPasswords = addressPasswords;
        this.description = description;
    }
}
