package dev.lockstep.measurement;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.OptionalLong;

/**
 * How long a target took to start, each from the start of the process (exec): until the JVM itself was ready, until the
 * port was open, until the first good answer. Immutable; what is not known is absent.
 */
public final class Startup {
    private final OptionalLong jvmNs;
    private final OptionalLong portNs;
    private final OptionalLong firstAnswerNs;

    public Startup(OptionalLong jvmNs, OptionalLong portNs, OptionalLong firstAnswerNs) {
        this.jvmNs = jvmNs;
        this.portNs = portNs;
        this.firstAnswerNs = firstAnswerNs;
    }

    public OptionalLong jvmNs() {
        return jvmNs;
    }

    public OptionalLong portNs() {
        return portNs;
    }

    public OptionalLong firstAnswerNs() {
        return firstAnswerNs;
    }

    ObjectNode toJson() {
        ObjectNode json = JsonFields.object();
        JsonFields.put(json, "jvmNs", jvmNs);
        JsonFields.put(json, "portNs", portNs);
        JsonFields.put(json, "firstAnswerNs", firstAnswerNs);
        return json;
    }

    static Startup fromJson(JsonFields json) {
        return new Startup(
                json.numberOrAbsent("jvmNs"), json.numberOrAbsent("portNs"), json.numberOrAbsent("firstAnswerNs"));
    }
}
