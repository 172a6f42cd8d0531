package dev.lockstep.cli.captures;

import dev.lockstep.capture.Protocol;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the name of a protocol as reports print it: {@code http/1}, {@code thrift-framed-binary}. */
final class ProtocolConverter implements ITypeConverter<Protocol> {
    @Override
    public Protocol convert(String value) {
        Map<String, Protocol> names = new LinkedHashMap<>();
        EnumSet.complementOf(EnumSet.of(Protocol.TLS)).forEach(protocol -> names.put(protocol.label(), protocol));
        Protocol named = names.get(value.toLowerCase(Locale.ROOT));
        if (named == null) {
            throw new TypeConversionException(
                    "expected one of " + String.join(", ", names.keySet()) + ", found '" + value + "'");
        }
        return named;
    }
}
