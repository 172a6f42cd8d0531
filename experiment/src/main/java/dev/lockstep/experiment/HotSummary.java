package dev.lockstep.experiment;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.results.CodeKind;
import dev.lockstep.results.HotMethods;
import dev.lockstep.results.HotMethods.Method;
import dev.lockstep.results.HotMethods.Target;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The hot methods of a part's targets side by side, and what one of them has and another lacks: the stubs and
 * intrinsics, and the Java code that stands in their place. For the page and the text of an experiment.
 */
final class HotSummary {
    private static final int SHOWN = 12;
    /** A smaller share may be missing by chance. */
    private static final double LEAST_SHARE = 0.01;
    /** The other target has a method all the same where its share is at least that part of this one's. */
    private static final double SAME_USE = 0.05;
    /** So many samples may be strays: of a warm-up's last moment, or of an interpreter. */
    private static final long STRAYS = 1;
    /** With more of its samples in the JIT a target has not compiled all that it runs (docs/measurement.md). */
    private static final double MOST_COMPILING = 0.1;
    /** What C2 calls a stub that Graal calls otherwise, both as {@link #plain} makes them. */
    private static final Map<String, String> SAME_STUBS = Map.of(
            "countermodeaescrypt", "ctraescrypt",
            "aescryptencryptblock", "aesencrypt",
            "aescryptdecryptblock", "aesdecrypt");

    private final HotMethods hot;
    private final List<Target> profiled;

    HotSummary(HotMethods hot) {
        this.hot = hot;
        profiled = hot.targets().stream().filter(target -> target.samples() > 0).collect(Collectors.toList());
    }

    ObjectNode document() {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        ArrayNode targets = document.putArray("targets");
        profiled.forEach(target -> targets.add(target.name()));
        ArrayNode methods = document.putArray("methods");
        hot.methods().stream().limit(SHOWN).forEach(method -> {
            ObjectNode row = methods.addObject()
                    .put("name", method.name())
                    .put("kind", method.kind().label());
            ArrayNode shares = row.putArray("percent");
            profiled.forEach(target -> shares.add(share(method, target) * 100));
        });
        ArrayNode lines = document.putArray("lacks");
        hot.targets().forEach(target -> target.absentReason()
                .or(target::note)
                .ifPresent(why -> lines.add("Profile of " + target.name() + ": " + why)));
        String compiling = profiled.stream()
                .filter(target -> compiling(target) >= MOST_COMPILING)
                .map(target -> String.format(Locale.ROOT, "%s %.0f %%", target.name(), 100 * compiling(target)))
                .collect(Collectors.joining(", "));
        if (!compiling.isEmpty()) {
            lines.add("Spent on compiling: " + compiling
                    + ". What is missing below may be in code that was not compiled yet.");
        }
        for (Target target : profiled) {
            for (Target other : profiled) {
                // Against the baseline, which stands first: other pairs follow from that.
                boolean isPair = other != target && (target == profiled.get(0) || other == profiled.get(0));
                if (isPair) {
                    String stubs = own(target, other, true);
                    if (!stubs.isEmpty()) {
                        lines.add("Stubs used by " + target.name() + ", not by " + other.name() + ": " + stubs);
                    }
                    String java = own(target, other, false);
                    if (!java.isEmpty()) {
                        lines.add("Java code run by " + target.name() + ", not by " + other.name() + ": " + java);
                    }
                }
            }
        }
        return document;
    }

    private double compiling(Target target) {
        return hot.methods().stream()
                .filter(method -> method.name().equals(HotMethods.JIT_THREADS))
                .mapToDouble(method -> share(method, target))
                .sum();
    }

    private static double share(Method method, Target target) {
        return HotMethods.share(method, target).orElse(0);
    }

    /** Returns the methods that one target used and the other did not, those with most samples first. */
    private String own(Target target, Target other, boolean stubs) {
        return hot.methods().stream()
                .filter(method -> share(method, target) >= LEAST_SHARE && !isUsed(method, target, other))
                .filter(method -> stubs == isStub(method, target) && isNamed(method, target, stubs))
                .sorted(Comparator.comparingDouble(method -> -share(method, target)))
                .limit(5)
                .map(method -> String.format(Locale.ROOT, "%s %.1f %%", method.name(), 100 * share(method, target)))
                .collect(Collectors.joining(", "));
    }

    /** Whether the other target spends time in this method, or in a stub that does the same. */
    private boolean isUsed(Method method, Target target, Target other) {
        String same = plain(method.name());
        long samples = hot.methods().stream()
                .filter(each -> each == method
                        || isStub(each, other) && plain(each.name()).equals(same))
                .mapToLong(each -> each.samples(other.name()))
                .sum();
        return samples > STRAYS && (double) samples / other.samples() >= SAME_USE * share(method, target);
    }

    /** {@code ghash_processBlocks} and {@code Stub<IntrinsicStubsGen.ghashProcessBlocks>} are one stub. */
    private static String plain(String name) {
        String stub =
                name.replaceFirst("^Stub<(.*\\.)?(.*)>$", "$2").replace("_", "").toLowerCase(Locale.ROOT);
        return SAME_STUBS.getOrDefault(stub, stub);
    }

    private static boolean isStub(Method method, Target target) {
        return method.kind(target.name()).filter(CodeKind.STUB::equals).isPresent();
    }

    private static boolean isNamed(Method method, Target target, boolean stubs) {
        return stubs
                || method.kind(target.name())
                        .filter(kind -> kind == CodeKind.COMPILED || kind == CodeKind.INLINED)
                        .isPresent();
    }
}
