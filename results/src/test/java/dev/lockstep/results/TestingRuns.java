package dev.lockstep.results;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.EndpointLoad;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.LatencyRecorder;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.Pace;
import dev.lockstep.measurement.StreamDigest;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.HdrHistogram.Histogram;

/** Plans and results with known figures. */
public final class TestingRuns {
    public static final String SHA256 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    public static final String STREAM_SHA256 = "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210";
    public static final OffsetDateTime START = OffsetDateTime.parse("2026-11-21T07:42:00.123+01:00");
    public static final long START_MS = START.toInstant().toEpochMilli();

    private TestingRuns() {}

    public static CaptureReference capture() {
        return CaptureReference.builder()
                .path("samples/users.bin")
                .sha256(SHA256)
                .streamSha256(STREAM_SHA256)
                .requests(1000)
                .requestBytes(123_456)
                .connections(12)
                .durationNs(5_000_000_000L)
                .build();
    }

    public static RunPlan.Builder plan() {
        return RunPlan.builder()
                .capture(capture())
                .target(TargetPlan.builder("c2").profile("c2").build())
                .target(TargetPlan.builder("graal").profile("graal").build())
                .timeout(Duration.ofSeconds(20));
    }

    /** A plan with every field set. */
    public static RunPlan fullPlan() {
        return RunPlan.builder()
                .capture(capture())
                .target(TargetPlan.builder("c2").profile("c2").jdk(17).build())
                .target(TargetPlan.builder("tuned")
                        .profile("graal")
                        .jvmOptions(List.of("-Dgraal.TrivialInliningSize=21", "-Dnote=\"quoted\" \u00e4"))
                        .memoryLimitBytes(128 << 20)
                        .cores(List.of(1, 2))
                        .build())
                .target(TargetPlan.builder("own")
                        .command(List.of("bin/server", "--port", "8081"))
                        .environmentNames(List.of("TOKEN", "spring.profile"))
                        .port(8081)
                        .readinessPath("/health")
                        .build())
                .target(TargetPlan.builder("bench").address("127.0.0.1:8080").build())
                .baseline("tuned")
                .pace(Pace.RECORDED)
                .speed(2.5)
                .connections(50)
                .maxRequests(100_000)
                .duration(Duration.ofSeconds(20))
                .timeout(Duration.ofMillis(1500))
                .warmup(Duration.ofSeconds(10))
                .maxLag(Duration.ofMillis(1))
                .profileDuration(Duration.ofSeconds(10))
                .alternate(6)
                .replayerCores(List.of(0))
                .build();
    }

    public static Histogram histogram(long startMs, long endMs) {
        Histogram histogram = new Histogram(3);
        histogram.setStartTimeStamp(startMs);
        histogram.setEndTimeStamp(endMs);
        return histogram;
    }

    /** One request of a synthetic run. */
    public static final class Request {
        final int connection;
        final int second;
        final long lagNs;
        final long serviceNs;

        Request(int connection, int second, long lagNs, long serviceNs) {
            this.connection = connection;
            this.second = second;
            this.lagNs = lagNs;
            this.serviceNs = serviceNs;
        }
    }

    /** Requests with service times spread over five powers of ten and lags around 20 us. */
    public static List<Request> requests(long seed, int count) {
        Random random = new Random(seed);
        List<Request> requests = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            requests.add(new Request(random.nextInt(12), i * 5 / count, random.nextInt(40_000), (long)
                    (100_000 * Math.pow(10, 5 * random.nextDouble() * random.nextDouble()))));
        }
        return requests;
    }

    /** What a replayer that sent these requests measured over five seconds. */
    public static LoadResult load(List<Request> requests) {
        LoadCounts counts = new LoadCounts();
        Histogram response = LatencyRecorder.newHistogram();
        Histogram service = LatencyRecorder.newHistogram();
        Histogram lag = LatencyRecorder.newHistogram();
        for (Interval interval : intervals(requests)) {
            response.add(interval.responseTime());
            service.add(interval.serviceTime());
            lag.add(interval.generatorLag());
            counts.add(interval.counts());
        }
        return LoadResult.builder()
                .counts(counts)
                .measuredNs(5_000_000_000L)
                .responseTime(response)
                .serviceTime(service)
                .generatorLag(lag)
                .ownLag(lag.copy())
                .streamDigest(StreamDigest.of(STREAM_SHA256))
                .build();
    }

    /** Nothing but endpoints: one with all percentiles, one that fails, one without times, one without requests. */
    private static LoadResult endpoints() {
        EndpointLoad users = new EndpointLoad("GET /users/N");
        for (int i = 0; i < 1000; i++) {
            users.answered(1_000_000 + i * 1_000, 200);
        }
        EndpointLoad orders = new EndpointLoad("POST /orders");
        for (int i = 0; i < 20; i++) {
            orders.answered(2_000_000, i % 10 == 0 ? 503 : 201);
        }
        orders.timedOut();
        EndpointLoad log = new EndpointLoad("Audit.log");
        log.completed(0);
        return LoadResult.builder()
                .endpoints(List.of(users, orders, log, new EndpointLoad(EndpointLoad.OTHER)))
                .build();
    }

    /** The same second by second. */
    public static List<Interval> intervals(List<Request> requests) {
        List<Interval> intervals = new ArrayList<>();
        Set<Integer> connections = new HashSet<>();
        for (int second = 0; second < 5; second++) {
            Interval interval = interval(START_MS + 1000L * second);
            for (Request request : requests) {
                if (request.second == second) {
                    interval.responseTime().recordValue(request.lagNs + request.serviceNs);
                    interval.serviceTime().recordValue(request.serviceNs);
                    interval.generatorLag().recordValue(request.lagNs);
                    LoadCounts counts = interval.counts();
                    counts.sent++;
                    counts.completed++;
                    counts.bytesSent += 120;
                    counts.bytesReceived += 200;
                    counts.bodyBytesReceived += 37;
                    counts.connections += connections.add(request.connection) ? 1 : 0;
                    counts.status(request.serviceNs % 10 == 0 ? 404 : 200);
                }
            }
            intervals.add(interval);
        }
        return intervals;
    }

    /** Returns an empty interval of a second. */
    public static Interval interval(long startMs) {
        Interval interval = new Interval();
        interval.startMs = startMs;
        interval.endMs = startMs + 1000;
        interval.startNs = (startMs - START_MS) * 1_000_000;
        interval.endNs = interval.startNs + 1_000_000_000;
        return interval;
    }

    public static Environment environment() {
        return Environment.builder()
                .lockstepVersion("0.1.0")
                .kernel("Linux 5.10.0 amd64")
                .cpuModel("Example CPU @ 2.50GHz")
                .cores(2)
                .memoryBytes(8L << 30)
                .clock("tsc")
                .jvm("OpenJDK 64-Bit Server VM", "17.0.15+6", List.of("-Xmx512m"))
                .transport("epoll")
                .cgroup("v1")
                .warning("the clock source is not tsc")
                .build();
    }

    /** The intervals of c2 in {@link #result}. */
    public static List<Interval> resultIntervals() {
        return intervals(requests(1, 1000));
    }

    /** A run of c2, measured, and graal, killed for memory while it started. */
    public static RunResult result() {
        return RunResult.builder(plan().build())
                .startedAt(START)
                .finishedAt(START.plusSeconds(7))
                .target(TargetResult.builder("c2")
                        .profile("c2")
                        .address("127.0.0.1:40001")
                        .jit("HotSpot C2")
                        .jitProof("c2 compiler thread found")
                        .jvm("OpenJDK 17.0.15")
                        .command(List.of("java", "-jar", "a \"b\".jar"))
                        .jvmOptions(List.of("-XX:+UseSerialGC"))
                        .collector("Serial")
                        .maxHeapBytes(67_108_864)
                        .processors(1)
                        .cpus("1")
                        .isolation("cgroup v1 cpuset and memory")
                        .memoryLimitBytes(134_217_728)
                        .memoryPeakBytes(100_000_000)
                        .startupNs(1_234_567_890)
                        .rounds(1)
                        .load(load(requests(1, 1000)).then(endpoints()))
                        .cost(Cost.USER_CPU, 2_000_000_000)
                        .cost(Cost.SYSTEM_CPU, 500_000_000)
                        .cost(Cost.RSS, 90_000_000)
                        .note("shares core 1 with the replayer")
                        .build())
                .target(TargetResult.builder("graal")
                        .profile("graal")
                        .jit("Graal")
                        .jvm("OpenJDK 17.0.15")
                        .exit(TargetExit.builder()
                                .exitCode(137)
                                .phase("start")
                                .oomKilled(true)
                                .kernelMessage("Memory cgroup out of memory: Killed process 4711 (java)")
                                .lastLogLines(List.of("starting", "tab\there \u001b[31mred\u001b[0m </script> \u2028"))
                                .build())
                        .build())
                .environment(environment())
                .invalid("the replayer was late by 12 ms at p99")
                .note("two cores for three processes")
                .build();
    }
}
