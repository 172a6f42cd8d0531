package dev.lockstep.cli.replay;

import dev.lockstep.cli.command.Version;
import dev.lockstep.cli.options.AddressConverter;
import dev.lockstep.cli.options.Heading;
import dev.lockstep.cli.terminal.Terminal;
import dev.lockstep.exporter.Exporter;
import dev.lockstep.exporter.MetricsExporter;
import dev.lockstep.exporter.OtlpExporter;
import dev.lockstep.results.RunPlan;
import dev.lockstep.run.Addresses;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options that publish a run's metrics while it goes on. Filled by picocli, then only read. */
@Heading("Output")
final class MetricsOptions {
    @Option(
            names = "--metrics",
            paramLabel = "[HOST:]PORT",
            converter = Listener.class,
            description = "Publishes live figures for Prometheus at /metrics, without a password. HOST is "
                    + "127.0.0.1 unless given; port 0 takes a free one.")
    private InetSocketAddress address;

    @Option(
            names = "--otlp",
            paramLabel = "URL",
            converter = Collector.class,
            description = "Sends live figures to this collector of OpenTelemetry over HTTP, every 10s; headers are "
                    + "taken from OTEL_EXPORTER_OTLP_HEADERS.")
    private URI collector;

    /** Reads the address of a collector. What is wrong with one may be a secret, and is not said. */
    static final class Collector implements ITypeConverter<URI> {
        @Override
        public URI convert(String value) {
            URI uri;
            try {
                uri = new URI(value);
            } catch (URISyntaxException e) {
                throw new TypeConversionException("expected a URL like http://127.0.0.1:4318, found something else");
            }
            if (uri.getHost() == null || !("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))) {
                throw new TypeConversionException("expected a URL like http://127.0.0.1:4318, found something else");
            }
            if (uri.getRawUserInfo() != null || uri.getRawQuery() != null || uri.getRawFragment() != null) {
                throw new TypeConversionException("expected a URL of host, port and path; credentials belong into"
                        + " OTEL_EXPORTER_OTLP_HEADERS");
            }
            return uri;
        }
    }

    /** Reads {@code PORT}, which is on loopback, and {@code HOST:PORT}. */
    static final class Listener implements ITypeConverter<InetSocketAddress> {
        @Override
        public InetSocketAddress convert(String value) {
            if (!value.isEmpty() && value.indexOf(':') < 0) {
                if (!value.matches("[0-9]{1,5}") || Integer.parseInt(value) > 65_535) {
                    throw new TypeConversionException(
                            "expected a port from 0 to 65535, or HOST:PORT, found '" + value + "'");
                }
                return new InetSocketAddress("127.0.0.1", Integer.parseInt(value));
            }
            return new AddressConverter().convert(value);
        }
    }

    /**
     * Begins to publish, where that was asked for, and says where. The caller closes what this returns, which is null
     * where nothing is published.
     */
    Exporter launch(RunPlan plan, PrintWriter err) {
        if (address == null) {
            return null;
        }
        MetricsExporter exporter = MetricsExporter.launch(address, plan, Version.number());
        InetSocketAddress at = exporter.address();
        err.println("metrics: http://" + Addresses.print(at) + "/metrics"
                + (at.getAddress().isLoopbackAddress()
                        ? ""
                        : ", without a password: OPEN to everybody who can reach " + Addresses.print(at)));
        err.flush();
        return exporter;
    }

    /** Begins to send, where that was asked for. The caller closes what this returns, which else is null. */
    Exporter launchOtlp(RunPlan plan, PrintWriter err) {
        return collector == null
                ? null
                : OtlpExporter.launch(
                        collector,
                        System.getenv("OTEL_EXPORTER_OTLP_HEADERS"),
                        plan,
                        Version.number(),
                        line -> Terminal.error(err, line));
    }
}
