package dev.lockstep.monitor.metrics;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;
import java.util.OptionalLong;

/**
 * What a JVM costs, by its MBeans as Jolokia tells them: one request reads all of them.
 *
 * <p>Source: the protocol in Jolokia's reference manual: a bulk request is a list, its answer a list in the same order,
 * each element with a status as of HTTP and a value; a pattern's value has an object for each MBean that it meets.
 */
final class JolokiaCosts {
    private static final ObjectMapper JSON = new ObjectMapper();

    private JolokiaCosts() {}

    /** Returns what is posted. */
    static String request() {
        return "[" + read(MBeanCosts.CPU) + "," + read(MBeanCosts.STARTED) + ",{\"type\":\"read\",\"mbean\":\""
                + MBeanCosts.COLLECTORS + "\",\"attribute\":[\"" + MBeanCosts.COLLECTION_COUNT + "\",\""
                + MBeanCosts.COLLECTION_TIME + "\"]}," + read(MBeanCosts.HEAP) + "," + read(MBeanCosts.ALLOCATED)
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
        OptionalLong cpuNs = number(answer.path(0).path("value"));
        if (status(answer.path(0)) != 200 || cpuNs.isEmpty()) {
            String error = answer.path(0).path("error").asText();
            throw new MetricsException("expected " + MBeanCosts.CPU + ", found "
                    + (error.isEmpty() ? "none" : "'" + PrometheusText.shown(error) + "'")
                    + (status(answer.path(0)) == 403 ? "; allow it in Jolokia's policy" : ""));
        }
        MBeanCosts costs = new MBeanCosts(cpuNs.getAsLong());
        number(answer.path(1).path("value")).ifPresent(costs::started);
        for (Map.Entry<String, JsonNode> bean : answer.path(2).path("value").properties()) {
            OptionalLong count = number(bean.getValue().path(MBeanCosts.COLLECTION_COUNT));
            OptionalLong timeMs = number(bean.getValue().path(MBeanCosts.COLLECTION_TIME));
            if (count.isPresent() && timeMs.isPresent()) {
                costs.collector(name(bean.getKey()), count.getAsLong(), timeMs.getAsLong());
            }
        }
        number(answer.path(3).path("value").path("used")).ifPresent(costs::heapUsed);
        number(answer.path(4).path("value")).ifPresent(costs::allocated);
        return costs.reading();
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
