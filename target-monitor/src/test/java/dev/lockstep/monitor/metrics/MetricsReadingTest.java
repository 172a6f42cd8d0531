package dev.lockstep.monitor.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** What is found of a process's cost in texts as clients write them. */
class MetricsReadingTest {
    private static final String NODE = lines(
            "# HELP shop_process_cpu_user_seconds_total Total user CPU time spent in seconds.",
            "# TYPE shop_process_cpu_user_seconds_total counter",
            "shop_process_cpu_user_seconds_total 1.25",
            "shop_process_cpu_system_seconds_total 0.25",
            "shop_process_cpu_seconds_total 1.5",
            "shop_process_start_time_seconds 1795420638",
            "shop_process_resident_memory_bytes 44814336",
            "shop_nodejs_heap_size_used_bytes 7340032",
            "shop_nodejs_gc_duration_seconds_bucket{le=\"0.001\",kind=\"minor\"} 4",
            "shop_nodejs_gc_duration_seconds_sum{kind=\"minor\"} 0.002",
            "shop_nodejs_gc_duration_seconds_count{kind=\"minor\"} 5",
            "shop_nodejs_gc_duration_seconds_sum{kind=\"incremental\"} 0.001",
            "shop_nodejs_gc_duration_seconds_count{kind=\"incremental\"} 9",
            "shop_nodejs_version_info{version=\"v20.20.2\",major=\"20\"} 1",
            "http_requests_total{path=\"/a}b\\\"c\\\\\",} 7 1795420700000");

    private static final String GO = lines(
            "go_gc_duration_seconds{quantile=\"0\"} 1.7e-05",
            "go_gc_duration_seconds_sum 0.004",
            "go_gc_duration_seconds_count 12",
            "go_memstats_alloc_bytes_total 1.048576e+06",
            "go_memstats_heap_alloc_bytes 524288",
            "process_cpu_seconds_total 3.21",
            "process_start_time_seconds 1.79542063863e+09");

    private static final String JAVA = lines(
            "# TYPE jvm_gc_collection_seconds summary",
            "# UNIT jvm_gc_collection_seconds seconds",
            "jvm_gc_collection_seconds_count{gc=\"ZGC Cycles\"} 3",
            "jvm_gc_collection_seconds_sum{gc=\"ZGC Cycles\"} 0.9",
            "jvm_gc_collection_seconds_count{gc=\"ZGC Pauses\"} 9",
            "jvm_gc_collection_seconds_sum{gc=\"ZGC Pauses\"} 0.002",
            "jvm_memory_used_bytes{area=\"heap\"} 1000",
            "jvm_memory_used_bytes{area=\"nonheap\"} 77",
            "jvm_memory_pool_allocated_bytes_total{pool=\"ZHeap\"} 5000",
            "jvm_memory_pool_allocated_bytes_total{pool=\"Metaspace\"} 33",
            "process_cpu_seconds_total 10.0 # {trace_id=\"KOO5S4vxi0o\"} 0.67",
            "# EOF");

    private static final String MICROMETER = lines(
            "jvm_memory_used_bytes{area=\"heap\",id=\"G1 Eden Space\",} 600.0",
            "jvm_memory_used_bytes{area=\"heap\",id=\"G1 Old Gen\",} 400.0",
            "process_cpu_usage 0.25",
            "process_cpu_time_ns_total 1.23E9",
            "process_start_time_seconds 1.795420638863E9");

    private static final String JOLOKIA = "[{\"request\":{\"mbean\":\"java.lang:type=OperatingSystem\",\"attribute\":"
            + "\"ProcessCpuTime\",\"type\":\"read\"},\"value\":8120000000,\"status\":200,\"timestamp\":1795420700},"
            + "{\"value\":1795420638863,\"status\":200},"
            + "{\"value\":{\"java.lang:name=G1 Young Generation,type=GarbageCollector\":"
            + "{\"CollectionCount\":7,\"CollectionTime\":43},"
            + "\"java.lang:name=G1 Concurrent GC,type=GarbageCollector\":{\"CollectionCount\":2,\"CollectionTime\":5}},"
            + "\"status\":200},{\"value\":{\"init\":1,\"committed\":4096,\"max\":-1,\"used\":2048},\"status\":200},"
            + "{\"error_type\":\"javax.management.AttributeNotFoundException\",\"error\":\"No such attribute\","
            + "\"status\":404}]";

    private static String lines(String... lines) {
        return String.join("\n", List.of(lines)) + "\n";
    }

    private static OptionalLong ms(long ms) {
        return OptionalLong.of(ms * 1_000_000);
    }

    @Test
    void readsPromClientOfNodeWithThePrefixOfItsApplication() throws MetricsException {
        MetricsReading reading = PrometheusCosts.of(NODE);
        Costs costs = reading.costs();
        assertEquals(1_500_000_000, reading.cpuNs());
        assertEquals(ms(1250), costs.get(Cost.USER_CPU));
        assertEquals(ms(250), costs.get(Cost.SYSTEM_CPU));
        assertEquals(OptionalLong.of(5), costs.get(Cost.GC_CYCLES), "steps of one are none");
        assertEquals(ms(3), costs.get(Cost.GC_PAUSE));
        assertEquals(OptionalLong.of(44_814_336), costs.get(Cost.RSS));
        assertEquals(OptionalLong.of(7_340_032), costs.get(Cost.HEAP_USED));
        assertEquals(OptionalDouble.of(1_795_420_638), reading.startedAt());
    }

    @Test
    void readsTheClientsOfGoAndJavaAndMicrometer() throws MetricsException {
        Costs go = PrometheusCosts.of(GO).costs();
        assertEquals(ms(3210), go.cpuNs());
        assertEquals(OptionalLong.of(12), go.get(Cost.GC_CYCLES));
        assertEquals(ms(4), go.get(Cost.GC_PAUSE));
        assertEquals(OptionalLong.of(1_048_576), go.get(Cost.ALLOCATED));

        Costs java = PrometheusCosts.of(JAVA).costs();
        assertEquals(ms(10_000), java.cpuNs());
        assertEquals(OptionalLong.of(3), java.get(Cost.GC_CYCLES), "pauses are no cycles");
        assertEquals(ms(2), java.get(Cost.GC_PAUSE), "concurrent cycles are no pause");
        assertEquals(OptionalLong.of(1000), java.get(Cost.HEAP_USED));
        assertEquals(OptionalLong.of(5000), java.get(Cost.ALLOCATED));

        Costs micrometer = PrometheusCosts.of(MICROMETER).costs();
        assertEquals(ms(1230), micrometer.cpuNs());
        assertEquals(OptionalLong.of(1000), micrometer.get(Cost.HEAP_USED));
    }

    private static String refusal(String... lines) {
        return assertThrows(MetricsException.class, () -> PrometheusCosts.of(lines(lines)))
                .getMessage();
    }

    @Test
    void takesNeitherAnExportersNorAMeshAgentsCpuForTheServers() throws MetricsException {
        for (String name : List.of(
                "node_exporter_build_info{version=\"1.8\"}",
                "cadvisor_version_info",
                "namedprocess_namegroup_num_procs")) {
            String refusal = refusal(name + " 1", "process_cpu_seconds_total 2");
            assertTrue(refusal.endsWith("as of an exporter: the CPU time there is the exporter's own"), refusal);
        }
        String javaAgent = "jmx_exporter_build_info{version=\"1.0\",name=\"jmx_prometheus_javaagent\"} 1\n";
        assertEquals(10_000_000_000L, PrometheusCosts.of(javaAgent + JAVA).cpuNs());

        String agent = "istio_agent_process_cpu_seconds_total 77\n";
        assertEquals(1_500_000_000, PrometheusCosts.of(agent + NODE).cpuNs());
        String springBoot2 = refusal(agent.strip(), "jvm_memory_used_bytes{area=\"heap\"} 5", "process_cpu_usage 0.5");
        assertTrue(springBoot2.endsWith("Micrometer has the counter from 1.13 on (Spring Boot 3.3)"), springBoot2);
        assertTrue(refusal(agent.strip(), "http_requests_total 5")
                .startsWith("expected the counter process_cpu_seconds_total"));
        // client_golang and client_python put an application's name before those of the process alone.
        for (String runtime : List.of("go_gc_duration_seconds_count 1", "python_info 1", "process_orders_total 5")) {
            String named = "shop_process_cpu_seconds_total 3\nshop_process_open_fds 9\n";
            assertEquals(
                    3_000_000_000L, PrometheusCosts.of(named + runtime + "\n").cpuNs());
        }
        String several = refusal("a_process_cpu_seconds_total 1", "b_process_cpu_seconds_total 2");
        assertTrue(several.contains("with several prefixes, a_, b_"), several);
    }

    /** Micrometer writes its pauses once there was one: it had been 0 before. */
    @Test
    void countsCollectionsFromTheFirstOneOn() throws MetricsException {
        Costs before = PrometheusCosts.of(MICROMETER).costs();
        Costs after = PrometheusCosts.of(
                        MICROMETER
                                + lines(
                                        "jvm_gc_pause_seconds_count{action=\"end of minor GC\",cause=\"G1 Evacuation Pause\",} 2.0",
                                        "jvm_gc_pause_seconds_sum{action=\"end of minor GC\",cause=\"G1 Evacuation Pause\",} 0.5"))
                .costs();
        Costs block = after.since(before).concluded();
        assertEquals(OptionalLong.of(2), block.get(Cost.GC_CYCLES));
        assertEquals(ms(500), block.get(Cost.GC_PAUSE));
    }

    @Test
    void tellsThePausesOfConcurrentCollectorsFromTheirCyclesWithMicrometer() throws MetricsException {
        String pauses = "{action=\"end of GC pause\",cause=\"Warmup\",gc=\"ZGC Pauses\"}";
        String cycles = "{action=\"end of GC cycle\",cause=\"Warmup\",gc=\"ZGC Cycles\"}";
        Costs zgc = PrometheusCosts.of(MICROMETER
                        + lines(
                                "jvm_gc_pause_seconds_count" + pauses + " 9",
                                "jvm_gc_pause_seconds_sum" + pauses + " 0.001",
                                "jvm_gc_concurrent_phase_time_seconds_count" + cycles + " 3",
                                "jvm_gc_concurrent_phase_time_seconds_sum" + cycles + " 0.8"))
                .costs();
        assertEquals(OptionalLong.of(3), zgc.get(Cost.GC_CYCLES));
        assertEquals(ms(1), zgc.get(Cost.GC_PAUSE));

        String young = "{action=\"end of minor GC\",cause=\"G1 Evacuation Pause\",gc=\"G1 Young Generation\"}";
        String remark = "{action=\"end of concurrent GC pause\",cause=\"No GC\",gc=\"G1 Concurrent GC\"}";
        Costs g1 = PrometheusCosts.of(MICROMETER
                        + lines(
                                "jvm_gc_pause_seconds_count" + young + " 7",
                                "jvm_gc_pause_seconds_sum" + young + " 0.043",
                                "jvm_gc_concurrent_phase_time_seconds_count" + remark + " 4",
                                "jvm_gc_concurrent_phase_time_seconds_sum" + remark + " 0.005"))
                .costs();
        assertEquals(OptionalLong.of(7), g1.get(Cost.GC_CYCLES));
        assertEquals(ms(48), g1.get(Cost.GC_PAUSE));
    }

    @Test
    void readsMBeansThroughJolokia() throws MetricsException {
        MetricsReading reading = JolokiaCosts.of(JOLOKIA);
        assertEquals(8_120_000_000L, reading.cpuNs());
        assertEquals(OptionalLong.of(7), reading.costs().get(Cost.GC_CYCLES), "a remark and a cleanup are none");
        assertEquals(ms(48), reading.costs().get(Cost.GC_PAUSE), "G1 Concurrent GC has the remarks and cleanups");
        assertEquals(OptionalLong.of(2048), reading.costs().get(Cost.HEAP_USED));
        assertEquals(OptionalLong.empty(), reading.costs().get(Cost.ALLOCATED), "before JDK 21");
        assertEquals(OptionalDouble.of(1_795_420_638.863), reading.startedAt());
    }

    @Test
    void takesTheTimeOfCmsForPausesAndThatOfZingsCyclesForNone() throws MetricsException {
        Costs cms = PrometheusCosts.of(lines(
                        "process_cpu_seconds_total 2",
                        "jvm_gc_collection_seconds_count{gc=\"ParNew\"} 5",
                        "jvm_gc_collection_seconds_sum{gc=\"ParNew\"} 0.1",
                        "jvm_gc_collection_seconds_count{gc=\"ConcurrentMarkSweep\"} 2",
                        "jvm_gc_collection_seconds_sum{gc=\"ConcurrentMarkSweep\"} 0.6"))
                .costs();
        assertEquals(OptionalLong.of(7), cms.get(Cost.GC_CYCLES));
        assertEquals(ms(700), cms.get(Cost.GC_PAUSE), "initial marks, remarks and full collections");

        String zing = lines(
                "process_cpu_seconds_total 2",
                "jvm_gc_collection_seconds_count{gc=\"GPGC New\"} 3",
                "jvm_gc_collection_seconds_sum{gc=\"GPGC New\"} 9");
        assertEquals(OptionalLong.of(3), PrometheusCosts.of(zing).costs().get(Cost.GC_CYCLES));
        assertEquals(OptionalLong.empty(), PrometheusCosts.of(zing).costs().get(Cost.GC_PAUSE), "before 22.12");
        Costs newer = PrometheusCosts.of(zing
                        + lines(
                                "jvm_gc_collection_seconds_count{gc=\"GPGC New Pauses\"} 12",
                                "jvm_gc_collection_seconds_sum{gc=\"GPGC New Pauses\"} 0.002"))
                .costs();
        assertEquals(OptionalLong.of(3), newer.get(Cost.GC_CYCLES));
        assertEquals(ms(2), newer.get(Cost.GC_PAUSE));
    }

    @Test
    void leavesOutWhatIsNoNumberUnlessItIsTheCpuTime() throws MetricsException {
        String noNumbers = lines(
                "process_cpu_seconds_total 2",
                "process_cpu_user_seconds_total NaN",
                "process_cpu_system_seconds_total 1",
                "process_start_time_seconds NaN",
                "process_resident_memory_bytes -1",
                "go_memstats_heap_alloc_bytes NaN",
                "go_memstats_alloc_bytes_total +Inf",
                "jvm_memory_used_bytes{area=\"heap\",id=\"eden\"} 7",
                "jvm_memory_used_bytes{area=\"heap\",id=\"old\"} NaN",
                "go_gc_duration_seconds_count 3",
                "go_gc_duration_seconds_sum NaN");
        MetricsReading reading = PrometheusCosts.of(noNumbers);
        assertEquals(2_000_000_000, reading.cpuNs());
        assertEquals(List.of("process_cpu_seconds_total"), reading.sources());
        assertEquals(OptionalDouble.empty(), reading.startedAt());
        for (Cost cost : List.of(Cost.USER_CPU, Cost.RSS, Cost.HEAP_USED, Cost.ALLOCATED, Cost.GC_PAUSE)) {
            assertEquals(OptionalLong.empty(), reading.costs().get(cost), cost.key());
        }
        // Of several collectors all or none: else the sum would jump when the missing one is back.
        Costs collectors = PrometheusCosts.of(JAVA.replace("\"ZGC Pauses\"} 9", "\"ZGC Pauses\"} NaN"))
                .costs();
        assertEquals(OptionalLong.empty(), collectors.get(Cost.GC_CYCLES));
        assertEquals(OptionalLong.of(5000), collectors.get(Cost.ALLOCATED));
    }

    @Test
    void readsWhatIsNoNumberInAnyCaseAsPrometheusDoes() throws MetricsException {
        // prom-client writes Nan, as of an event loop whose lag was not measured since the last reading.
        MetricsReading reading = PrometheusCosts.of(lines(
                "# HELP process_cpu_seconds_total Total user and system CPU time spent in seconds.",
                "# TYPE process_cpu_seconds_total counter",
                "process_cpu_seconds_total 1.5",
                "",
                "# HELP nodejs_eventloop_lag_seconds Lag of event loop in seconds.",
                "# TYPE nodejs_eventloop_lag_seconds gauge",
                "nodejs_eventloop_lag_seconds 0",
                "",
                "# HELP nodejs_eventloop_lag_min_seconds The minimum recorded event loop delay.",
                "# TYPE nodejs_eventloop_lag_min_seconds gauge",
                "nodejs_eventloop_lag_min_seconds 9223372036.854776",
                "",
                "# HELP nodejs_eventloop_lag_mean_seconds The mean of the recorded event loop delays.",
                "# TYPE nodejs_eventloop_lag_mean_seconds gauge",
                "nodejs_eventloop_lag_mean_seconds Nan",
                "",
                "# HELP nodejs_eventloop_lag_stddev_seconds The standard deviation of the recorded event loop delays.",
                "# TYPE nodejs_eventloop_lag_stddev_seconds gauge",
                "nodejs_eventloop_lag_stddev_seconds Nan",
                "",
                "# HELP process_resident_memory_bytes Resident memory size in bytes.",
                "# TYPE process_resident_memory_bytes gauge",
                "process_resident_memory_bytes Nan"));
        assertEquals(1_500_000_000, reading.cpuNs());
        assertEquals(OptionalLong.empty(), reading.costs().get(Cost.RSS));

        assertEquals(Double.NaN, value("nan"));
        for (String word : List.of("inf", "+INF", "Infinity", "+infinity")) {
            assertEquals(Double.POSITIVE_INFINITY, value(word), word);
        }
        for (String word : List.of("-inf", "-Inf", "-INFINITY")) {
            assertEquals(Double.NEGATIVE_INFINITY, value(word), word);
        }
    }

    private static double value(String word) throws MetricsException {
        return PrometheusText.parse("a " + word).of("a").get(0).value();
    }

    @Test
    void readsBlanksWhereThePrometheusFormatAllowsThem() throws MetricsException {
        for (String labels : List.of(
                "{area=\"heap\",id=\"a=b\"}",
                " {area=\"heap\",id=\"a=b\"}",
                "\t{ area = \"heap\" , id= \"a=b\" }",
                "{\tarea\t=\t\"heap\"\t,\tid =\"a=b\",\t}\t")) {
            PrometheusText text = PrometheusText.parse("used" + labels + " 7 1795420700000");
            assertEquals(7, text.of("used").get(0).value(), labels);
            assertEquals("heap", text.of("used").get(0).label("area"), labels);
            assertEquals("a=b", text.of("used").get(0).label("id"), labels);
        }
        assertEquals(
                2_000_000_000,
                PrometheusCosts.of("process_cpu_seconds_total { } 2\n").cpuNs());
    }

    @Test
    void addsUpUserAndSystemTimeOfOneProcessAlone() throws MetricsException {
        String user = "process_cpu_seconds_total{job=\"a\",mode=\"user\"} 1.5";
        MetricsReading modes =
                PrometheusCosts.of(lines(user, "process_cpu_seconds_total{job=\"a\",mode=\"system\"} 0.25"));
        assertEquals(1_750_000_000, modes.cpuNs());
        assertEquals(List.of("process_cpu_seconds_total"), modes.sources());
        for (String other :
                List.of("job=\"b\",mode=\"system\"", "job=\"a\",mode=\"user\"", "job=\"a\",mode=\"wait\"")) {
            String refusal = refusal(user, "process_cpu_seconds_total{" + other + "} 0.25");
            assertTrue(refusal.contains("2 times, as of several processes"), refusal);
        }
    }

    /** By a ns that a product of doubles is off, a counter of 10 ms steps looked like one of ns. */
    @Test
    void readsManySecondsToTheirLastDecimal() throws MetricsException {
        for (String seconds : List.of("4300000.11", "9000000.03", "9000000.05")) {
            assertEquals(
                    Long.parseLong(seconds.replace(".", "") + "0000000"),
                    PrometheusCosts.of("process_cpu_seconds_total " + seconds + "\n")
                            .cpuNs());
        }
        assertEquals(
                4_600_000_030_000_000L,
                PrometheusCosts.of(lines(
                                "process_cpu_seconds_total{mode=\"user\"} 4500000.01",
                                "process_cpu_seconds_total{mode=\"system\"} 100000.02"))
                        .cpuNs());
    }

    @Test
    void readsTheCpuTimeOfOpenTelemetry() throws MetricsException {
        String agent = "istio_agent_process_cpu_seconds_total 77";
        assertEquals(
                1_750_000_000,
                PrometheusCosts.of(lines(
                                agent,
                                "process_cpu_time_seconds_total{cpu_mode=\"user\",otel_scope_name=\"a\"} 1.5",
                                "process_cpu_time_seconds_total{cpu_mode=\"system\",otel_scope_name=\"a\"} 0.25"))
                        .cpuNs());
        MetricsReading java =
                PrometheusCosts.of(lines("shop_process_cpu_seconds_total 9", "jvm_cpu_time_seconds_total 8.5"));
        assertEquals(8_500_000_000L, java.cpuNs(), "what has another's prefix is another's");
        assertEquals(List.of("jvm_cpu_time_seconds_total"), java.sources());
    }

    @Test
    void saysInOneLineWhatIsNoUse() {
        refused("process_cpu_usage 0.25\n", "expected the counter process_cpu_seconds_total", "usage of a moment");
        refused(
                "process_cpu_seconds_total{pid=\"1\"} 1\nprocess_cpu_seconds_total{pid=\"2\"} 2\n",
                "process_cpu_seconds_total 2 times, as of several processes");
        refused(
                "<!DOCTYPE html>\u001b[31m<title>Log in</title>\n",
                "found on line 1 '<!DOCTYPE html>?[31m<title>Log in");
        refused("process_cpu_seconds_total NaN\n", "0 or more, found NaN");
        refused("process_cpu_seconds_total{a=\"b 1\n", "found on line 1");
        refused("", "found none");
        for (String answer :
                new String[] {"", "{\"status\":404}", "<html>", "[]", "[{\"status\":403,\"error\":\"no\"}]"}) {
            String message = assertThrows(MetricsException.class, () -> JolokiaCosts.of(answer), answer)
                    .getMessage();
            assertTrue(message.startsWith("expected ") && !message.contains("\n"), message);
        }
    }

    private static void refused(String text, String... parts) {
        String message = assertThrows(MetricsException.class, () -> PrometheusCosts.of(text))
                .getMessage();
        for (String part : parts) {
            assertTrue(message.contains(part), message);
        }
    }
}
