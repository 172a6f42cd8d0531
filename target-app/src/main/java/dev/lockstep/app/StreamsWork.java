package dev.lockstep.app;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Puts sales through pipelines of java.util.stream: filter, map, flatMap, sorted, grouping, boxing. Its cost shows how
 * well a JIT inlines them and removes their objects. All pipelines are sequential.
 */
final class StreamsWork implements CpuWork {
    @Override
    public byte[] answer(String query) {
        int n = Query.number(query, "n", 1, 50_000, 10_000);
        List<Sale> sales = IntStream.range(0, n).mapToObj(Sale::new).collect(Collectors.toList());

        Map<String, Long> centsByCity = sales.stream()
                .filter(sale -> sale.cents % 10 != 0)
                .collect(Collectors.groupingBy(Sale::city, TreeMap::new, Collectors.summingLong(Sale::cents)));
        String dearest = sales.stream()
                .sorted(Comparator.comparingLong(Sale::cents).reversed().thenComparingInt(Sale::number))
                .limit(5)
                .map(sale -> sale.number + ":" + sale.cents)
                .collect(Collectors.joining(","));
        long distinct = sales.stream().map(Sale::cents).distinct().count();
        long checksum = sales.stream()
                .flatMapToLong(sale -> LongStream.iterate(sale.cents, cents -> cents > 0, cents -> cents / 10))
                .map(PreloadedUsers::mix)
                .sum();
        return Json.object(384, json -> {
            json.writeStringField("kind", "streams");
            json.writeNumberField("n", n);
            json.writeObjectFieldStart("centsByCity");
            for (Map.Entry<String, Long> entry : centsByCity.entrySet()) {
                json.writeNumberField(entry.getKey(), entry.getValue());
            }
            json.writeEndObject();
            json.writeStringField("dearest", dearest);
            json.writeNumberField("distinct", distinct);
            json.writeStringField("checksum", Long.toHexString(checksum));
        });
    }

    private static final class Sale {
        private final int number;
        private final String city;
        private final long cents;

        Sale(int number) {
            this.number = number;
            this.city = PreloadedUsers.user(number).city;
            this.cents = PreloadedUsers.mix(number) >>> 44;
        }

        int number() {
            return number;
        }

        String city() {
            return city;
        }

        long cents() {
            return cents;
        }
    }
}
