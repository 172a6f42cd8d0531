package dev.lockstep.search;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.immutables.value.Value;
import org.immutables.value.Value.Style.ImplementationVisibility;

/** How the values of this package are generated. */
@Target(ElementType.PACKAGE)
@Retention(RetentionPolicy.SOURCE)
@Value.Style(
        visibility = ImplementationVisibility.PACKAGE,
        overshadowImplementation = true,
        get = {"is*", "*"},
        init = "*",
        add = "*",
        put = "*",
        depluralize = true,
        optionalAcceptNullable = true,
        jdkOnly = true,
        // Other modules compile against the values without Immutables' own annotations.
        allowedClasspathAnnotations = Override.class)
@interface ValueStyle {}
