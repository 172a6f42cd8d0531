package dev.lockstep.tuner;

final class X {
    static double d(String name, double value) {
        return Double.parseDouble(System.getProperty(name, "" + value));
    }

    static int i(String name, int value) {
        return Integer.getInteger(name, value);
    }
}
