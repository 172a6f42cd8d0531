package dev.lockstep.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.alwaysTrue;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The table of modules in docs/overview.md, as rules. A module's name here is its package's. */
final class ModuleMapTest {
    private static final String ROOT = "dev.lockstep.";

    /** Which other modules each module may use. */
    private static final Map<String, Set<String>> MAY_USE = Map.ofEntries(
            Map.entry("capture", Set.of()),
            Map.entry("measurement", Set.of()),
            Map.entry("packets", Set.of()),
            Map.entry("net", Set.of()),
            Map.entry("app", Set.of()),
            Map.entry("tweets", Set.of()),
            Map.entry("finagle", Set.of("tweets")),
            Map.entry("echo", Set.of("capture")),
            Map.entry("tuner", Set.of()),
            Map.entry("search", Set.of("tuner")),
            Map.entry("protocol", Set.of("capture")),
            Map.entry("redaction", Set.of("capture", "protocol")),
            Map.entry("results", Set.of("measurement")),
            Map.entry("monitor", Set.of("measurement")),
            Map.entry("launcher", Set.of("monitor")),
            Map.entry("profiler", Set.of("results")),
            Map.entry("analysis", Set.of("measurement", "results")),
            Map.entry("report", Set.of("analysis", "measurement", "results")),
            Map.entry("page", Set.of("analysis", "inspection", "measurement", "report", "results", "search", "tuner")),
            Map.entry("exporter", Set.of("measurement", "results")),
            Map.entry("inspection", Set.of("capture", "measurement", "protocol")),
            Map.entry("tap", Set.of("capture", "packets", "protocol", "redaction")),
            Map.entry("recorder", Set.of("capture", "net", "packets", "protocol", "redaction", "tap")),
            Map.entry("conversion", Set.of("capture", "packets", "protocol", "redaction", "tap")),
            Map.entry("replayer", Set.of("capture", "measurement", "net", "protocol")),
            Map.entry(
                    "run",
                    Set.of(
                            "analysis",
                            "capture",
                            "launcher",
                            "measurement",
                            "monitor",
                            "net",
                            "profiler",
                            "protocol",
                            "redaction",
                            "replayer",
                            "results")),
            Map.entry("experiment", Set.of("analysis", "measurement", "results")),
            Map.entry("live", Set.of("analysis", "exporter", "page", "results", "run")),
            Map.entry(
                    "cli",
                    Set.of(
                            "analysis",
                            "capture",
                            "conversion",
                            "experiment",
                            "exporter",
                            "inspection",
                            "launcher",
                            "live",
                            "measurement",
                            "monitor",
                            "net",
                            "page",
                            "profiler",
                            "recorder",
                            "redaction",
                            "replayer",
                            "report",
                            "results",
                            "run",
                            "search",
                            "tap",
                            "tuner")));

    /** The only modules that may use a library; the others must neither wait for it to load nor follow its versions. */
    private static final Map<String, Set<String>> USERS = Map.ofEntries(
            Map.entry("picocli..", Set.of("cli")),
            Map.entry("me.tongfei..", Set.of("cli")),
            Map.entry("io.vertx..", Set.of("app", "live")),
            Map.entry("io.micrometer..", Set.of("app", "exporter")),
            Map.entry("io.prometheus..", Set.of("exporter")),
            Map.entry("io.opentelemetry..", Set.of("exporter")),
            Map.entry("com.sun.jna..", Set.of("net", "recorder")),
            Map.entry("org.bouncycastle..", Set.of("recorder")),
            Map.entry("io.netty.handler.ssl..", Set.of("net", "recorder", "replayer")),
            Map.entry("io.netty.channel..", Set.of("app", "echo", "net", "recorder", "replayer")),
            Map.entry("org.jboss.netty..", Set.of("echo")),
            Map.entry("org.apache.thrift..", Set.of("finagle", "tweets")),
            Map.entry("com.twitter..", Set.of("finagle")),
            Map.entry("scala..", Set.of("finagle")),
            Map.entry("com.github.luben..", Set.of("capture")),
            Map.entry("com.google.protobuf..", Set.of("conversion")),
            Map.entry("org.yaml..", Set.of("cli", "experiment", "redaction", "search")),
            Map.entry("org.apache.commons.statistics..", Set.of("analysis", "replayer")),
            Map.entry("org.hipparchus..", Set.of("tuner")),
            Map.entry("org.ejml..", Set.of("tuner")),
            Map.entry(
                    "org.HdrHistogram..",
                    Set.of(
                            "analysis",
                            "exporter",
                            "inspection",
                            "measurement",
                            "monitor",
                            "page",
                            "replayer",
                            "report",
                            "results",
                            "run")));

    /** Packages of one module that do different things and must not know each other. */
    private static final Map<String, Set<String>> STRANGERS = Map.of(
            "cli", Set.of("captures", "replay"),
            "conversion", Set.of("exports", "filter", "imports"));

    /** The packages below the capture's first one. */
    private static final String INSIDE_CAPTURE = ROOT + "capture.*..";

    /** What these use of the first one, beside the exception. */
    private static final String CAPTURE_WORDS = "dev[.]lockstep[.]capture[.](CaptureOptions|CaptureTotals|ClockReading"
            + "|CloseReason|Compression|EncryptionKey|Joining|OpenOptions|Protocol|RecordType)";

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.lockstep");

    static Stream<String> modules() {
        return MAY_USE.keySet().stream().sorted();
    }

    static Stream<String> libraries() {
        return USERS.keySet().stream().sorted();
    }

    @Test
    void knowsEveryModule() {
        Set<String> found = CLASSES.stream().map(ModuleMapTest::module).collect(Collectors.toCollection(TreeSet::new));

        assertEquals(new TreeSet<>(MAY_USE.keySet()), found);
    }

    @ParameterizedTest
    @MethodSource("modules")
    void usesNoModuleButThese(String module) {
        String[] allowed = Stream.concat(Stream.of(module), MAY_USE.get(module).stream())
                .map(name -> ROOT + name + "..")
                .toArray(String[]::new);

        noClasses()
                .that()
                .resideInAPackage(ROOT + module + "..")
                .should()
                .dependOnClassesThat(resideInAPackage("dev.lockstep..").and(not(resideInAnyPackage(allowed))))
                .check(CLASSES);
    }

    @ParameterizedTest
    @MethodSource("libraries")
    void isUsedByTheseModulesOnly(String library) {
        String[] users =
                USERS.get(library).stream().map(name -> ROOT + name + "..").toArray(String[]::new);

        noClasses()
                .that()
                .resideOutsideOfPackages(users)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(library)
                .check(CLASSES);
    }

    /**
     * How a module is set up and how it fails stands in its first package, for its users; all its packages use that. So
     * do those of the capture the words of its API.
     */
    @Test
    void packagesHaveNoCycle() {
        slices().assignedFrom(PACKAGES)
                .should()
                .beFreeOfCycles()
                .ignoreDependency(alwaysTrue(), nameMatching(".*(Config|Exception)([$].*)?"))
                .ignoreDependency(resideInAPackage(INSIDE_CAPTURE), nameMatching(CAPTURE_WORDS))
                .check(CLASSES);
    }

    /** What is public in the packages below the capture's first one is public for that module only. */
    @Test
    void noOtherModuleUsesTheInsideOfTheCapture() {
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + "capture..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(INSIDE_CAPTURE)
                .check(CLASSES);
    }

    @Test
    void strangersDoNotKnowEachOther() {
        STRANGERS.forEach((module, packages) -> packages.forEach(one -> {
            String[] others = packages.stream()
                    .filter(other -> !other.equals(one))
                    .map(other -> ROOT + module + "." + other + "..")
                    .toArray(String[]::new);
            noClasses()
                    .that()
                    .resideInAPackage(ROOT + module + "." + one + "..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(others)
                    .check(CLASSES);
        }));
    }

    private static final SliceAssignment PACKAGES = new SliceAssignment() {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass javaClass) {
            return SliceIdentifier.of(javaClass.getPackageName());
        }

        @Override
        public String getDescription() {
            return "every package";
        }
    };

    private static String module(JavaClass javaClass) {
        return javaClass.getPackageName().substring(ROOT.length()).split("\\.")[0];
    }
}
