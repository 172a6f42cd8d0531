package dev.lockstep.results;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.SerializationConfig;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import dev.lockstep.results.json.TestingJson;
import java.lang.reflect.Modifier;
import java.util.List;

/** Which fields the types of results have in JSON, as Jackson itself finds them when it writes. */
final class JsonTypes {
    private final SerializationConfig json = TestingJson.config();

    /** Returns the fields of a type in the order of its document. */
    List<BeanPropertyDefinition> fields(Class<?> type) {
        return json.introspect(json.constructType(written(type))).findProperties();
    }

    /** Says whether the fields of a field's value stand among those of its owner. */
    boolean isGroup(BeanPropertyDefinition field) {
        return json.getAnnotationIntrospector().findUnwrappingNameTransformer(field.getPrimaryMember()) != null;
    }

    /** Says whether a field may be missing. */
    static boolean isOptional(BeanPropertyDefinition field) {
        JavaType type = field.getPrimaryType();
        boolean nullable = field.getPrimaryMember().hasAnnotation(Nullable.class)
                && !field.getPrimaryMember().getAnnotation(JsonProperty.class).required();
        return type.isReferenceType() || field.getPrimaryMember().hasAnnotation(JsonInclude.class) || nullable;
    }

    /** Returns the class that Jackson gets: the generated one, if the type is abstract. */
    private static Class<?> written(Class<?> type) {
        try {
            return Modifier.isAbstract(type.getModifiers())
                    ? Class.forName(type.getPackageName() + ".Immutable" + type.getSimpleName())
                    : type;
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }
}
