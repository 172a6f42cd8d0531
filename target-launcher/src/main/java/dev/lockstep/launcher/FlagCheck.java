package dev.lockstep.launcher;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.immutables.value.Value;

/**
 * What a JVM says to the options of a target, started with them to do nothing: {@code java OPTIONS -XX:+PrintFlagsFinal
 * -version}. It knows neither the application nor the memory cap, so that a JVM that passes may still fail to start the
 * application. Immutable.
 */
@Value.Immutable
public abstract class FlagCheck {
    private static final Pattern FLAG = Pattern.compile("-XX:[+-]?(\\w+)(?:=.*)?");
    private static final Pattern GRAAL_OPTION = Pattern.compile("-D((?:jdk\\.)?graal\\.[\\w.]+)=.*");
    private static final Pattern SIZE = Pattern.compile("-(Xmx|Xms|Xmn|Xss)[0-9].*");
    /** What HotSpot calls the flags that these stand for. */
    private static final Map<String, String> SIZES = Map.of(
            "Xmx", "MaxHeapSize",
            "Xms", "InitialHeapSize",
            "Xmn", "MaxNewSize",
            "Xss", "ThreadStackSize");

    /** Why the JVM does not start with these options, in its own words; absent where it does. */
    public abstract Optional<String> failure();

    /**
     * The values in effect of all flags by their names, {@code MaxInlineSize} or {@code graal.TrivialInliningSize}:
     * HotSpot rewrites some that it is given. Empty of JVMs that do not tell, and of Graal's newer versions without
     * most of Graal's.
     */
    public abstract Map<String, String> values();

    /** What the JVM warns of: flags that are deprecated or ignored. */
    public abstract List<String> warnings();

    /** Returns the value in effect of what an option sets; absent where the JVM does not tell. */
    public Optional<String> valueOf(String option) {
        return name(option).map(values()::get);
    }

    /** Returns the flag that an option sets; absent of other options. */
    static Optional<String> name(String option) {
        Matcher flag = FLAG.matcher(option);
        if (flag.matches()) {
            return Optional.of(flag.group(1));
        }
        Matcher graal = GRAAL_OPTION.matcher(option);
        if (graal.matches()) {
            return Optional.of(graal.group(1));
        }
        Matcher size = SIZE.matcher(option);
        return size.matches() ? Optional.of(SIZES.get(size.group(1))) : Optional.empty();
    }
}
