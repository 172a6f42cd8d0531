package dev.lockstep.cli.captures;

import dev.lockstep.capture.Protocol;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the name of a protocol as reports print it: {@code http/1}, {@code thrift-framed-binary}. */
final class ProtocolConverter implements ITypeConverter<Protocol> {
    @Override
    public Protocol convert(String value) {
        String name = value.toLowerCase(Locale.ROOT);
        for (Protocol protocol : Protocol.values()) {
            if (protocol != Protocol.TLS && protocol.label().equals(name)) {
                return protocol;
            }
        }
        throw new TypeConversionException("expected one of "
                + Arrays.stream(Protocol.values())
                        .filter(protocol -> protocol != Protocol.TLS)
                        .map(Protocol::label)
                        .collect(Collectors.joining(", "))
                + ", found '" + value + "'");
    }
}
