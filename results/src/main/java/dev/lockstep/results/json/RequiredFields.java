package dev.lockstep.results.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.DeserializationConfig;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.deser.BeanDeserializerModifier;
import com.fasterxml.jackson.databind.deser.std.DelegatingDeserializer;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Makes JSON null and a missing field mean the same, and refuses an object that lacks a field with {@code required =
 * true}. Jackson itself looks only at the parameters of creators, and hands null to them.
 */
final class RequiredFields extends BeanDeserializerModifier {
    private static final long serialVersionUID = 1L;

    @Override
    public JsonDeserializer<?> modifyDeserializer(
            DeserializationConfig config, BeanDescription description, JsonDeserializer<?> deserializer) {
        Set<String> known = new HashSet<>();
        Map<String, JavaType> required = new LinkedHashMap<>();
        for (BeanPropertyDefinition property : description.findProperties()) {
            known.add(property.getName());
            boolean group =
                    config.getAnnotationIntrospector().findUnwrappingNameTransformer(property.getPrimaryMember())
                            != null;
            if (property.isRequired() && !group) {
                required.put(property.getName(), property.getPrimaryType());
            }
        }
        return new Checking(deserializer, known, required);
    }

    private static final class Checking extends DelegatingDeserializer {
        private static final long serialVersionUID = 1L;

        private final transient Set<String> known;
        private final transient Map<String, JavaType> required;

        Checking(JsonDeserializer<?> checked, Set<String> known, Map<String, JavaType> required) {
            super(checked);
            this.known = known;
            this.required = required;
        }

        @Override
        protected JsonDeserializer<?> newDelegatingInstance(JsonDeserializer<?> checked) {
            return new Checking(checked, known, required);
        }

        @Override
        public Object deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            JsonNode object = context.readTree(parser);
            if (object.isObject()) {
                ((ObjectNode) object)
                        .properties()
                        .removeIf(field -> field.getValue().isNull() && known.contains(field.getKey()));
                for (Map.Entry<String, JavaType> field : required.entrySet()) {
                    if (!object.has(field.getKey())) {
                        JsonMappingException missing =
                                MismatchedInputException.from(parser, field.getValue(), "missing field");
                        missing.prependPath(object, field.getKey());
                        throw missing;
                    }
                }
            }
            try (JsonParser again = object.traverse(parser.getCodec())) {
                again.nextToken();
                return super.deserialize(again, context);
            }
        }
    }
}
