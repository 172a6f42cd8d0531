package dev.lockstep.cli;

import dev.lockstep.results.TargetSchedule;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads what {@code --schedule} takes: {@code together} or {@code alternate}. */
final class ScheduleConverter implements ITypeConverter<TargetSchedule> {
    @Override
    public TargetSchedule convert(String value) {
        try {
            return TargetSchedule.parse(value);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException("expected together or alternate, found '" + value + "'");
        }
    }
}
