package dev.lockstep.monitor.metrics;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * What a JVM costs, by its MBeans as Jolokia tells them: one request reads all of them. Java Management Extensions know
 * no resident memory, and the allocation of all threads from JDK 21 on only.
 *
 * <p>Source: the protocol in Jolokia's reference manual: a bulk request is a list, its answer a list in the same order,
 * each element with a status as of HTTP and a value; a pattern's value has an object for each MBean that it meets.
 */
final class JolokiaCosts {
    private static final String CPU = "java.lang:type=OperatingSystem ProcessCpuTime";
    private static final String STARTED = "java.lang:type=Runtime StartTime";
    private static final String COLLECTORS = "java.lang:type=GarbageCollector,name=*";
    private static final String HEAP = "java.lang:type=Memory HeapMemoryUsage";
    private static final String ALLOCATED = "java.lang:type=Threading TotalThreadAllocatedBytes";

    private static final long NS_PER_MS = 1_000_000;
    private static final ObjectMapper JSON = new ObjectMapper();

    private JolokiaCosts() {}

    /** Returns what is posted. */
    static String request() {
        return "[" + read(CPU) + "," + read(STARTED) + ",{\"type\":\"read\",\"mbean\":\"" + COLLECTORS
                + "\",\"attribute\":[\"CollectionCount\",\"CollectionTime\"]}," + read(HEAP) + "," + read(ALLOCATED)
                + "]";
    }

    private static String read(String attribute) {
        String[] words = attribute.split(" ");
        return "{\"type\":\"read\",\"mbean\":\"" + words[0] + "\",\"attribute\":\"" + words[1] + "\"}";
    }

    /** @throws MetricsException where it tells no CPU time, without its place */
    static MetricsReading of(String body) throws MetricsException {
        JsonNode answer;
        try {
            answer = JSON.readTree(body);
        } catch (JsonProcessingException e) {
            throw new MetricsException("expected Jolokia's JSON, found '" + PrometheusText.shown(body) + "'");
        }
        if (answer == null || !answer.isArray()) {
            throw new MetricsException("expected Jolokia's answer to a bulk request, which is a list, found '"
                    + PrometheusText.shown(body) + "'");
        }
        Costs.Builder costs = Costs.builder();
        List<String> sources = new ArrayList<>();
        OptionalLong cpuNs = number(answer.path(0).path("value"));
        if (status(answer.path(0)) != 200 || cpuNs.isEmpty()) {
            String error = answer.path(0).path("error").asText();
            throw new MetricsException("expected " + CPU + ", found "
                    + (error.isEmpty() ? "none" : "'" + PrometheusText.shown(error) + "'")
                    + (status(answer.path(0)) == 403 ? "; allow it in Jolokia's policy" : ""));
        }
        costs.set(Cost.PROCESS_CPU, cpuNs.getAsLong());
        sources.add(CPU);
        if (collections(answer.path(2), costs)) {
            sources.add(COLLECTORS);
        }
        number(answer.path(3).path("value").path("used")).ifPresent(bytes -> {
            costs.set(Cost.HEAP_USED, bytes);
            sources.add(HEAP);
        });
        number(answer.path(4).path("value")).ifPresent(bytes -> {
            costs.set(Cost.ALLOCATED, bytes);
            sources.add(ALLOCATED);
        });
        OptionalLong startedMs = number(answer.path(1).path("value"));
        return new MetricsReading(
                costs.build(),
                startedMs.isPresent() ? OptionalDouble.of(startedMs.getAsLong() / 1e3) : OptionalDouble.empty(),
                sources);
    }

    private static boolean collections(JsonNode answer, Costs.Builder costs) {
        GcBeans beans = new GcBeans(costs);
        boolean any = false;
        for (Map.Entry<String, JsonNode> bean : answer.path("value").properties()) {
            OptionalLong count = number(bean.getValue().path("CollectionCount"));
            OptionalLong timeMs = number(bean.getValue().path("CollectionTime"));
            if (count.isPresent() && timeMs.isPresent()) {
                beans.add(name(bean.getKey()), count.getAsLong(), timeMs.getAsLong() * NS_PER_MS);
                any = true;
            }
        }
        beans.set();
        return any;
    }

    /** Returns the name of {@code java.lang:name=G1 Young Generation,type=GarbageCollector}. */
    private static String name(String bean) {
        for (String property : bean.substring(bean.indexOf(':') + 1).split(",")) {
            if (property.startsWith("name=")) {
                return property.substring("name=".length());
            }
        }
        return bean;
    }

    private static int status(JsonNode answer) {
        return answer.path("status").asInt();
    }

    /** Returns a whole number; MBeans say -1 of what they do not know. */
    private static OptionalLong number(JsonNode value) {
        return value.isIntegralNumber() && value.canConvertToLong() && value.longValue() >= 0
                ? OptionalLong.of(value.longValue())
                : OptionalLong.empty();
    }
}
