import java.lang.management.ManagementFactory;
import java.util.Random;

/**
 * Makes garbage, some of which lives for a while, so that a JVM that runs it writes a log of collections. The golden logs
 * beside it were made with it; the README says how.
 */
public class Churn {
    static Object sink;

    public static void main(String[] arguments) {
        System.out.println("begin " + System.nanoTime());
        @SuppressWarnings("deprecation") // Its successor is not in JDK 17.
        long main = Thread.currentThread().getId();
        long bytes = Long.parseLong(arguments[0]) << 20;
        byte[][] living = new byte[Integer.parseInt(arguments[1])][];
        Random random = new Random(1);
        for (long made = 0; made < bytes; ) {
            int size = 200 + random.nextInt(1600);
            living[random.nextInt(living.length)] = new byte[size];
            for (int i = 0; i < 4; i++) {
                sink = new byte[size];
            }
            made += 5L * size;
            if (random.nextInt(10_000) == 0) {
                sink = new byte[1_500_000];
                made += 1_500_000;
            }
        }
        System.gc();
        com.sun.management.ThreadMXBean threads =
                (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        System.out.println("allocated " + threads.getThreadAllocatedBytes(main));
        System.out.println("end " + System.nanoTime());
    }
}
