package dev.lockstep.cli;

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
@interface Heading {
    /** Of several headings, the first that the command has. {@link HelpLayout} lists each command's headings. */
    String[] value();
}
