/**
 * What several runs of different days say together, as immutable values and as JSON:
 * {@link dev.lockstep.results.comparison.RunComparison} of a few runs, and
 * {@link dev.lockstep.results.comparison.RunHistory} of all runs in a folder. Made of results alone by
 * {@code analysis}; {@code docs/trend.md} tells what they mean.
 */
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
        allowedClasspathAnnotations = Override.class)
package dev.lockstep.results.comparison;

import org.immutables.value.Value;
import org.immutables.value.Value.Style.ImplementationVisibility;
