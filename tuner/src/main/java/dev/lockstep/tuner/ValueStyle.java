package dev.lockstep.tuner;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.immutables.value.Value;
import org.immutables.value.Value.Style.ImplementationVisibility;

/** How the values are generated. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.SOURCE)
@Value.Style(
        visibility = ImplementationVisibility.PACKAGE,
        overshadowImplementation = true,
        optionalAcceptNullable = true,
        jdkOnly = true,
        // Other modules compile against the class without Immutables' own annotations.
        allowedClasspathAnnotations = Override.class)
@interface ValueStyle {}
