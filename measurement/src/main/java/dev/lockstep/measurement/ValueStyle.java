package dev.lockstep.measurement;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.immutables.value.Value;
import org.immutables.value.Value.Style.ImplementationVisibility;

/** How the values of this package, and of those that measure and run, are generated. */
@Target(ElementType.PACKAGE)
@Retention(RetentionPolicy.SOURCE)
@Value.Style(
        visibility = ImplementationVisibility.PACKAGE,
        overshadowImplementation = true,
        allParameters = true,
        get = {"is*", "*"},
        init = "*",
        add = "*",
        put = "*",
        depluralize = true,
        optionalAcceptNullable = true,
        jdkOnly = true,
        defaults = @Value.Immutable(copy = false),
        // Other modules compile against the values without Immutables' own annotations.
        allowedClasspathAnnotations = Override.class)
public @interface ValueStyle {}
