package dev.lockstep.results;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.GcCosts;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.Pace;
import dev.lockstep.measurement.Percentiles;
import dev.lockstep.measurement.Skew;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;

/**
 * Makes values of this package at random. Every field that a generated builder knows is set or left out, so that a new
 * field is tried too; only values with rules are made by hand.
 */
final class RandomValues {
    private static final List<String> TEXTS = List.of(
            "c2",
            "",
            "two words",
            "\"quoted\" \\ / 'single'",
            "tab\t, line\nand \u001b[31mred",
            "\u00e4\u20ac\ud83d\ude00 \u2028",
            "a".repeat(300));
    private static final int MOST_TRIES = 100;

    private final Random random;
    private final Map<Class<?>, Supplier<?>> byHand = new HashMap<>();

    RandomValues(long seed) {
        random = new Random(seed);
        byHand.put(RunPlan.class, this::plan);
        byHand.put(TargetPlan.class, () -> targetPlan("t" + random.nextInt(100)));
        byHand.put(CaptureReference.class, this::capture);
        byHand.put(TargetResult.class, () -> target("t0"));
        byHand.put(RunResult.class, this::result);
        byHand.put(Percentiles.class, this::percentiles);
        byHand.put(Costs.class, this::costs);
        byHand.put(LoadCounts.class, this::counts);
        byHand.put(Skew.class, () -> Skew.of(histogram(), whole()));
        byHand.put(
                Pace.class,
                () -> random.nextBoolean() ? Pace.RECORDED : Pace.poisson(1 + random.nextInt(1000), whole()));
        byHand.put(Duration.class, () -> Duration.ofNanos(1 + whole()));
    }

    RunResult result() {
        RunPlan plan = plan();
        RunResult.Builder result = filled(RunResult.Builder::new);
        result.plan(plan).targets(List.of());
        plan.targets().forEach(target -> result.target(target(target.name())));
        return result.build();
    }

    RunPlan plan() {
        for (int i = 0; i < MOST_TRIES; i++) {
            RunPlan.Builder plan = filled(RunPlan.Builder::new)
                    .capture(capture())
                    .targets(List.of())
                    .replayerCores(List.of(0, 3))
                    .sameAsBaseline(Optional.empty())
                    .soak(false)
                    .launches(1 + random.nextInt(8))
                    .maxLaunches(random.nextBoolean() ? OptionalInt.empty() : OptionalInt.of(8));
            plan.speed(random.nextBoolean() ? 1 : 2.5);
            int targets = 1 + random.nextInt(3);
            for (int target = 0; target < targets; target++) {
                plan.target(targetPlan("t" + target));
            }
            plan.baseline("t" + random.nextInt(targets));
            try {
                return (random.nextBoolean() ? plan : plan.alternate(1 + random.nextInt(9))).build();
            } catch (IllegalArgumentException e) {
                // Breaks a rule: the next one.
            }
        }
        throw new AssertionError("no plan keeps the rules");
    }

    private CaptureReference capture() {
        return CaptureReference.builder()
                .path("a" + text())
                .sha256(TestingRuns.SHA256)
                .streamSha256(TestingRuns.STREAM_SHA256)
                .requests(whole())
                .requestBytes(maybeWhole())
                .durationNs(maybeWhole())
                .statusCodes(random.nextBoolean() ? Map.of() : Map.of(200, 1 + whole(), 401, 3L))
                .build();
    }

    private TargetPlan targetPlan(String name) {
        TargetPlan.Builder target = TargetPlan.builder(name).tls(random.nextBoolean());
        if (random.nextBoolean()) {
            return target.address("[::1]:8080").build();
        }
        return target.profile("graal")
                .command(texts())
                .environmentNames(List.of("TOKEN"))
                .jvmOptions(texts())
                .port(random.nextBoolean() ? OptionalInt.empty() : OptionalInt.of(1 + random.nextInt(65535)))
                .readinessPath(random.nextBoolean() ? null : "/health")
                .cores(random.nextBoolean() ? List.of() : List.of(0, 7))
                .build();
    }

    private TargetResult target(String name) {
        return filled(TargetResult.Builder::new)
                .name(name)
                .wholeResponseTime(random.nextBoolean() ? null : EncodedHistogram.encode(histogram()))
                .build();
    }

    /** Sets some fields of a builder. */
    private <B> B filled(Supplier<B> builders) {
        B builder = builders.get();
        Method[] setters = builder.getClass().getMethods();
        Arrays.sort(setters, Comparator.comparing(Method::toString));
        for (Method setter : setters) {
            if (setter.isAnnotationPresent(JsonProperty.class) && !setter.isAnnotationPresent(JsonIgnore.class)) {
                boolean required = setter.getAnnotation(JsonProperty.class).required();
                if (required || random.nextInt(4) > 0) {
                    set(builder, setter);
                }
            }
        }
        return builder;
    }

    private void set(Object builder, Method setter) {
        try {
            setter.setAccessible(true);
            setter.invoke(builder, of(setter.getGenericParameterTypes()[0]));
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(setter.toString(), e);
        }
    }

    private Object of(Type type) {
        if (type instanceof WildcardType) {
            return of(((WildcardType) type).getUpperBounds()[0]);
        }
        if (type instanceof ParameterizedType) {
            Type[] parts = ((ParameterizedType) type).getActualTypeArguments();
            Type raw = ((ParameterizedType) type).getRawType();
            if (raw == Optional.class) {
                return random.nextBoolean() ? Optional.empty() : Optional.of(of(parts[0]));
            }
            if (raw == Map.class) {
                return map(parts[1]);
            }
            List<Object> values = new ArrayList<>();
            for (int i = random.nextInt(3); i > 0; i--) {
                values.add(of(parts[0]));
            }
            return values;
        }
        return ofClass((Class<?>) type);
    }

    private Object ofClass(Class<?> type) {
        if (byHand.containsKey(type)) {
            return byHand.get(type).get();
        } else if (type == long.class || type == Long.class) {
            return whole();
        } else if (type == int.class || type == Integer.class) {
            return random.nextInt(1000);
        } else if (type == double.class || type == Double.class) {
            return random.nextInt(3) == 0 ? random.nextInt(10) : random.nextGaussian() * 1e6;
        } else if (type == boolean.class) {
            return random.nextBoolean();
        } else if (type == String.class) {
            return text();
        } else if (type == OptionalLong.class) {
            return maybeWhole();
        } else if (type == OptionalInt.class) {
            return random.nextBoolean() ? OptionalInt.empty() : OptionalInt.of(1 + random.nextInt(1000));
        } else if (type == OptionalDouble.class) {
            return random.nextBoolean() ? OptionalDouble.empty() : OptionalDouble.of(random.nextGaussian());
        } else if (type == OffsetDateTime.class) {
            return OffsetDateTime.ofInstant(
                    Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000_000)),
                    ZoneOffset.ofHours(random.nextInt(5)));
        } else if (type.isEnum()) {
            return type.getEnumConstants()[random.nextInt(type.getEnumConstants().length)];
        }
        return built(type);
    }

    private Object built(Class<?> type) {
        JsonDeserialize how = type.getAnnotation(JsonDeserialize.class);
        if (how == null) {
            throw new AssertionError("no value of " + type + " can be made at random: make it by hand");
        }
        Class<?> builder = how.builder();
        for (int i = 0; i < MOST_TRIES; i++) {
            Object filled = filled(() -> newBuilder(builder));
            try {
                Method build = builder.getMethod("build");
                build.setAccessible(true);
                return build.invoke(filled);
            } catch (InvocationTargetException e) {
                if (!(e.getCause() instanceof IllegalArgumentException)) {
                    throw new AssertionError(e);
                }
                // Breaks a rule: the next one.
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(e);
            }
        }
        throw new AssertionError("no " + type + " keeps the rules");
    }

    private static Object newBuilder(Class<?> builder) {
        try {
            Constructor<?> constructor = builder.getDeclaredConstructor();
            constructor.setAccessible(true);
            return constructor.newInstance();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private Map<String, Object> map(Type value) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            map.put(text() + i, of(value));
        }
        return map;
    }

    private long whole() {
        return random.nextLong() >>> (1 + random.nextInt(63));
    }

    private OptionalLong maybeWhole() {
        return random.nextBoolean() ? OptionalLong.empty() : OptionalLong.of(whole());
    }

    private String text() {
        return TEXTS.get(random.nextInt(TEXTS.size()));
    }

    private List<String> texts() {
        return random.nextBoolean() ? List.of() : List.of(text(), text());
    }

    private Histogram histogram() {
        Histogram histogram = new Histogram(3);
        for (int i = random.nextInt(200); i > 0; i--) {
            histogram.recordValue(random.nextInt(1_000_000));
        }
        return histogram;
    }

    private Percentiles percentiles() {
        return Percentiles.of(histogram());
    }

    private Costs costs() {
        Costs.Builder costs = Costs.builder();
        for (Cost cost : Cost.values()) {
            if (random.nextBoolean()) {
                costs.set(cost, whole());
            }
        }
        if (random.nextBoolean()) {
            costs.collector("G1 Young", GcCosts.of(random.nextInt(100), whole()));
            costs.collector("Zing", GcCosts.ofPauses(whole()));
        }
        return costs.build();
    }

    private LoadCounts counts() {
        LoadCounts counts = new LoadCounts();
        counts.sent = whole();
        counts.completed = whole();
        counts.unanswered = random.nextInt(10);
        counts.oneway = random.nextInt(2);
        counts.opaqueBytesSent = random.nextInt(2);
        counts.opaqueBytesUnsent = random.nextInt(2);
        counts.hopelessBytesUnsent = random.nextInt(1 + (int) counts.opaqueBytesUnsent);
        counts.opaqueBursts = random.nextInt(3);
        counts.opaqueBurstsUnanswered = random.nextInt(1 + (int) counts.opaqueBursts);
        counts.semanticRequests = random.nextInt(3);
        counts.tagsChanged = random.nextInt(1 + (int) counts.semanticRequests);
        counts.deadlinesMoved = random.nextInt(3);
        counts.exceptionsAsRecorded = random.nextInt(3);
        counts.unsent = random.nextInt(10);
        counts.deferred = random.nextInt(10);
        counts.connections = random.nextInt(10);
        counts.strayAnswers = random.nextInt(2);
        counts.bytesSent = whole();
        counts.bytesReceived = whole();
        counts.bodyBytesReceived = whole();
        for (int i = random.nextInt(3); i > 0; i--) {
            counts.error((ErrorKind) of(ErrorKind.class), 1 + random.nextInt(100));
            counts.status(random.nextInt(1000), 1 + random.nextInt(100));
            counts.thriftException(random.nextInt(13), 1);
        }
        return counts;
    }
}
