package dev.lockstep.analysis;

/**
 * A part of a launch: what it cost, and how many requests succeeded in it, none perhaps. Parts of a launch add up;
 * their quotients do not, for a part with few requests would weigh as much as one with many. Immutable.
 */
public final class Block {
    private final double cost;
    private final long requests;

    private Block(double cost, long requests) {
        this.cost = cost;
        this.requests = requests;
    }

    /** @param cost in the unit of its metric, for all its requests together, at least 0 */
    public static Block of(double cost, long requests) {
        if (!(cost >= 0 && Double.isFinite(cost)) || requests < 0) {
            throw new IllegalArgumentException(
                    "a block must have a cost and requests of at least 0, has " + cost + " and " + requests);
        }
        return new Block(cost, requests);
    }

    double cost() {
        return cost;
    }

    long requests() {
        return requests;
    }
}
