package dev.lockstep.redaction;

import java.nio.file.Path;

/** Which values of recorded requests are replaced, and by which key; counts what was replaced. Any thread. */
public final class RedactionPolicy {
    private final RuleSet rules;
    private final RedactionKey key;
    private final ThreadLocal<Tokens> tokens;
    private final Unsearchable unsearchable;
    private final RedactionCounts counts = new RedactionCounts();

    private RedactionPolicy(RuleSet rules, RedactionKey key, Unsearchable unsearchable) {
        this.rules = rules;
        this.key = key;
        this.unsearchable = unsearchable;
        tokens = ThreadLocal.withInitial(() -> new Tokens(key));
    }

    /** Returns the default rules, which {@link Unsearchable#DROP}; docs/redaction.md lists them. */
    public static RedactionPolicy defaults(RedactionKey key) {
        return new RedactionPolicy(new RuleBuilder().defaults().build(), key, Unsearchable.DROP);
    }

    /**
     * Reads rules, which {@link Unsearchable#DROP}, from a YAML file; docs/redaction.md describes it.
     *
     * @throws RedactionException if the file cannot be read or something in it is not understood: "file:line:column:
     *     expected, found"
     */
    public static RedactionPolicy load(Path yaml, RedactionKey key) {
        return new RedactionPolicy(PolicyFile.read(yaml), key, Unsearchable.DROP);
    }

    /** Returns the same rules and key, with counts of their own. */
    public RedactionPolicy unsearchable(Unsearchable what) {
        return new RedactionPolicy(rules, key, what);
    }

    /** What becomes of bytes that cannot be searched. */
    public Unsearchable unsearchable() {
        return unsearchable;
    }

    /**
     * Returns a redactor for one connection.
     *
     * @param alreadyOpen whether the connection was open before recording began, so that its first bytes may be the
     *     middle of a request
     */
    public ConnectionRedactor redactor(boolean alreadyOpen) {
        return new ConnectionRedactor(rules, unsearchable, tokens, counts, alreadyOpen);
    }

    /** What all redactors of this policy have replaced so far; counts on. */
    public RedactionCounts counts() {
        return counts;
    }

    /** The rules in one line, for the capture's header and for people; never the key. */
    public String description() {
        return rules.description + "; key " + key.fingerprint();
    }
}
