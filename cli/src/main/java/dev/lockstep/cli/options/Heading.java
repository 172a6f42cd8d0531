package dev.lockstep.cli.options;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The heading that an option stands under in the help of a command with many options. On a class it is the heading of
 * all its options but those with their own.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.TYPE})
public @interface Heading {
    /** Of several headings, the first that the command has. The help lists each command's headings. */
    String[] value();
}
