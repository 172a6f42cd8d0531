package dev.lockstep.measurement;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.OptionalDouble;

/** Whether a condition of {@code --assert} held at the end of a run, and what was compared. Immutable. */
public final class AssertionResult {
    private final String text;
    private final boolean holds;
    private final OptionalDouble left;
    private final OptionalDouble right;
    private final String sentence;

    /**
     * @param text the condition as it was given
     * @param left the value on the left, in the unit of its metric; absent where the run has none, as the next one
     * @param sentence what was found, for people
     */
    public AssertionResult(String text, boolean holds, OptionalDouble left, OptionalDouble right, String sentence) {
        this.text = text;
        this.holds = holds;
        this.left = left;
        this.right = right;
        this.sentence = sentence;
    }

    public String text() {
        return text;
    }

    public boolean holds() {
        return holds;
    }

    public OptionalDouble left() {
        return left;
    }

    public OptionalDouble right() {
        return right;
    }

    public String sentence() {
        return sentence;
    }

    ObjectNode toJson() {
        ObjectNode json = JsonFields.object();
        json.put("text", text);
        json.put("holds", holds);
        JsonFields.put(json, "left", left);
        JsonFields.put(json, "right", right);
        json.put("sentence", sentence);
        return json;
    }

    static AssertionResult fromJson(JsonFields json) {
        return new AssertionResult(
                json.text("text"),
                json.flag("holds"),
                json.decimalOrAbsent("left"),
                json.decimalOrAbsent("right"),
                json.text("sentence"));
    }
}
