package dev.lockstep.experiment;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/** What an experiment came to: its figures beside the published ones, and what came of its parts. Immutable. */
public final class ExperimentResult {
    /** What must be known of a smoke run wherever its figures stand. */
    static final String SMOKE = "SMOKE: proves only that all works together; its figures mean nothing";

    private final Definition definition;
    private final Size size;
    private final Path directory;
    private final List<Figure> figures;
    private final ArrayNode parts;
    private final ArrayNode charts;
    private final Optional<String> versions;
    private final boolean interrupted;

    /** @param versions that parts were carried out by different ones, a sentence; absent where they were not */
    ExperimentResult(
            Definition definition,
            Size size,
            Path directory,
            List<Figure> figures,
            ArrayNode parts,
            ArrayNode charts,
            Optional<String> versions,
            boolean interrupted) {
        this.definition = definition;
        this.size = size;
        this.directory = directory;
        this.figures = List.copyOf(figures);
        this.parts = parts;
        this.charts = charts;
        this.versions = versions;
        this.interrupted = interrupted;
    }

    public Definition definition() {
        return definition;
    }

    List<Figure> figures() {
        return figures;
    }

    /** What is easily misread in what was published, or in what is found here. */
    List<String> traps() {
        List<String> traps = new ArrayList<>(definition.traps(size));
        versions.ifPresent(traps::add);
        return traps;
    }

    /** Whether it was interrupted, and the same command goes on. */
    public boolean isInterrupted() {
        return interrupted;
    }

    /** Whether a figure was found: without one a part that is done proves nothing. */
    public boolean hasResult() {
        return figures.stream().anyMatch(figure -> figure.here().isPresent());
    }

    /** Returns the table and what is around it, as lines for a terminal. */
    public List<String> lines() {
        return new PublishedTable(this, size, parts).lines();
    }

    /** Returns it as one JSON document; docs/experiments.md describes it. */
    public String toJson() {
        ObjectNode document = document();
        ArrayNode ends = document.putArray("parts");
        parts.forEach(part -> {
            ObjectNode end = part.deepCopy();
            end.remove("printed");
            ends.add(end);
        });
        return document.toPrettyString() + "\n";
    }

    /** Returns all that its page shows, as JSON. */
    public String pageData() {
        ObjectNode document = document();
        document.put("title", definition.title());
        document.put("asks", definition.asks());
        document.put("source", definition.source());
        document.put("rig", definition.rig());
        document.put("expected", definition.expected());
        ArrayNode traps = document.putArray("traps");
        traps().forEach(traps::add);
        document.set("parts", parts);
        document.set("charts", charts);
        return document.toString();
    }

    private ObjectNode document() {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put("experiment", definition.name());
        document.put("size", size.key());
        document.put("directory", directory.toString());
        if (size == Size.SMOKE) {
            document.put("note", SMOKE);
        }
        document.put("interrupted", interrupted);
        ArrayNode all = document.putArray("figures");
        for (Figure figure : figures) {
            ObjectNode one = all.addObject().put("name", figure.name()).put("unit", figure.unit());
            put(one, "published", figure.published());
            put(one, "here", figure.here());
            put(one, "low", figure.low());
            put(one, "high", figure.high());
            one.put("comment", figure.comment());
        }
        return document;
    }

    private static void put(ObjectNode node, String field, OptionalDouble value) {
        if (value.isPresent()) {
            node.put(field, value.getAsDouble());
        } else {
            node.putNull(field);
        }
    }
}
