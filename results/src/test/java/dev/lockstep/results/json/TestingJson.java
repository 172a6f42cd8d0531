package dev.lockstep.results.json;

import com.fasterxml.jackson.databind.SerializationConfig;

/** Says how types stand in JSON. */
public final class TestingJson {
    private TestingJson() {}

    public static SerializationConfig config() {
        return Json.mapper().getSerializationConfig();
    }

    public static boolean isText(Class<?> type) {
        return MeasurementModule.isText(type);
    }
}
