package dev.lockstep.launcher;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A command with placeholders, see {@link TargetSpec#command}. Immutable. */
final class CommandTemplate {
    private static final String PORT = "{port}";
    private static final String JAVA = "{java}";
    private static final String JAVA_HOME = "{javaHome}";
    private static final String JVM_OPTIONS = "{jvmOptions}";

    private final List<String> words;
    private final Map<String, String> environment;

    CommandTemplate(List<String> words, Map<String, String> environment) {
        this.words = words;
        this.environment = environment;
    }

    boolean mentionsJava() {
        return contains(JAVA) || contains(JAVA_HOME) || contains(JVM_OPTIONS);
    }

    boolean placesJvmOptions() {
        return contains(JVM_OPTIONS) || words.contains(JAVA);
    }

    /** Whether options are written with blanks between them somewhere, as in a variable, so that none may have one. */
    boolean joinsJvmOptions() {
        return words.stream().anyMatch(word -> word.contains(JVM_OPTIONS) && !word.equals(JVM_OPTIONS))
                || environment.values().stream().anyMatch(value -> value.contains(JVM_OPTIONS));
    }

    boolean placesPort() {
        return contains(PORT);
    }

    private boolean contains(String placeholder) {
        return words.stream().anyMatch(word -> word.contains(placeholder))
                || environment.values().stream().anyMatch(value -> value.contains(placeholder));
    }

    /** @param jvm may be null when no placeholder for Java is used */
    List<String> command(int port, Jvm jvm, List<String> jvmOptions) {
        boolean afterJava = !contains(JVM_OPTIONS);
        List<String> command = new ArrayList<>();
        for (String word : words) {
            if (word.equals(JVM_OPTIONS)) {
                command.addAll(jvmOptions);
                continue;
            }
            command.add(replace(word, port, jvm, jvmOptions));
            if (afterJava && word.equals(JAVA)) {
                command.addAll(jvmOptions);
            }
        }
        return command;
    }

    Map<String, String> environment(int port, Jvm jvm, List<String> jvmOptions) {
        Map<String, String> replaced = new LinkedHashMap<>();
        if (jvm != null) {
            replaced.put("JAVA_HOME", jvm.home().toString());
        }
        environment.forEach((name, value) -> replaced.put(name, replace(value, port, jvm, jvmOptions)));
        return replaced;
    }

    private static String replace(String text, int port, Jvm jvm, List<String> jvmOptions) {
        String replaced = text.replace(PORT, Integer.toString(port));
        if (jvm == null) {
            return replaced;
        }
        return replaced.replace(JAVA, jvm.javaBinary().toString())
                .replace(JAVA_HOME, jvm.home().toString())
                .replace(JVM_OPTIONS, String.join(" ", jvmOptions));
    }
}
