package dev.lockstep.livetests;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.thrift.TApplicationException;
import org.apache.thrift.TException;
import org.apache.thrift.TMultiplexedProcessor;
import org.apache.thrift.TProcessor;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.protocol.TCompactProtocol;
import org.apache.thrift.protocol.TJSONProtocol;
import org.apache.thrift.protocol.TMessage;
import org.apache.thrift.protocol.TMessageType;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TProtocolFactory;
import org.apache.thrift.protocol.TType;
import org.apache.thrift.server.THsHaServer;
import org.apache.thrift.server.TNonblockingServer;
import org.apache.thrift.server.TServer;
import org.apache.thrift.server.TThreadPoolServer;
import org.apache.thrift.server.TThreadedSelectorServer;
import org.apache.thrift.transport.TIOStreamTransport;
import org.apache.thrift.transport.TNonblockingServerSocket;
import org.apache.thrift.transport.TServerSocket;
import org.apache.thrift.transport.TTransportException;
import org.apache.thrift.transport.TTransportFactory;
import org.apache.thrift.transport.TZlibTransport;

/** A server of libthrift's on the loopback address: framed connections by its non-blocking servers in turn. */
final class JavaServer implements AutoCloseable {
    private final int port;
    private final Runnable stop;
    private final List<String> calls;

    private JavaServer(int port, Runnable stop, List<String> calls) {
        this.port = port;
        this.stop = stop;
        this.calls = calls;
    }

    static JavaServer start(Combination combination) throws IOException, TTransportException {
        List<String> calls = new CopyOnWriteArrayList<>();
        TProcessor processor = new Processor(calls);
        if (combination.multiplexed) {
            TMultiplexedProcessor multiplexed = new TMultiplexedProcessor();
            multiplexed.registerProcessor(Call.SERVICE, processor);
            processor = multiplexed;
        }
        TProtocolFactory protocols = protocols(combination.protocol);
        InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        switch (combination.transport) {
            case HTTP:
                return http(anyPort, processor, protocols, calls);
            case FRAMED:
                TNonblockingServerSocket socket = new TNonblockingServerSocket(anyPort);
                return run(framed(combination.protocol, socket, processor, protocols), socket.getPort(), calls);
            default:
                TServerSocket blocking = new TServerSocket(anyPort);
                TThreadPoolServer.Args arguments = new TThreadPoolServer.Args(blocking)
                        .processor(processor)
                        .protocolFactory(protocols)
                        .transportFactory(
                                combination.transport == Transport.ZLIB
                                        ? new TZlibTransport.Factory()
                                        : new TTransportFactory());
                return run(
                        new TThreadPoolServer(arguments),
                        blocking.getServerSocket().getLocalPort(),
                        calls);
        }
    }

    static TProtocolFactory protocols(MessageProtocol protocol) {
        switch (protocol) {
            case BINARY:
                return new TBinaryProtocol.Factory();
            case OLD_BINARY:
                return new TBinaryProtocol.Factory(false, false);
            case COMPACT:
                return new TCompactProtocol.Factory();
            default:
                return new TJSONProtocol.Factory();
        }
    }

    int port() {
        return port;
    }

    /** Returns the names of the calls that came, without the service's. */
    List<String> calls() {
        return calls;
    }

    @Override
    public void close() {
        stop.run();
    }

    private static TServer framed(
            MessageProtocol protocol, TNonblockingServerSocket socket, TProcessor processor, TProtocolFactory protocols)
            throws TTransportException {
        switch (protocol) {
            case BINARY:
                return new TThreadedSelectorServer(new TThreadedSelectorServer.Args(socket)
                        .processor(processor)
                        .protocolFactory(protocols));
            case COMPACT:
                return new THsHaServer(
                        new THsHaServer.Args(socket).processor(processor).protocolFactory(protocols));
            default:
                return new TNonblockingServer(
                        new TNonblockingServer.Args(socket).processor(processor).protocolFactory(protocols));
        }
    }

    private static JavaServer run(TServer server, int port, List<String> calls) {
        Thread thread = new Thread(server::serve, "thrift server");
        thread.setDaemon(true);
        thread.start();
        return new JavaServer(port, server::stop, calls);
    }

    private static JavaServer http(
            InetSocketAddress address, TProcessor processor, TProtocolFactory protocols, List<String> calls)
            throws IOException {
        HttpServer server = HttpServer.create(address, 0);
        ExecutorService threads = Executors.newCachedThreadPool();
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            exchange.getResponseHeaders().add("Content-Type", "application/x-thrift");
            exchange.sendResponseHeaders(200, 0);
            try (TIOStreamTransport transport =
                    new TIOStreamTransport(exchange.getRequestBody(), exchange.getResponseBody())) {
                TProtocol protocol = protocols.getProtocol(transport);
                processor.process(protocol, protocol);
            } catch (TException e) {
                throw new IOException(e);
            }
        });
        server.start();
        return new JavaServer(
                server.getAddress().getPort(),
                () -> {
                    server.stop(0);
                    threads.shutdown();
                },
                calls);
    }

    /** Answers the functions of live.thrift. */
    private static final class Processor implements TProcessor {
        private final List<String> calls;

        Processor(List<String> calls) {
            this.calls = calls;
        }

        @Override
        public void process(TProtocol in, TProtocol out) throws TException {
            TMessage call = in.readMessageBegin();
            ThriftValue arguments = ThriftValue.read(in, TType.STRUCT, 0);
            in.readMessageEnd();
            calls.add(call.name);
            if (call.type == TMessageType.ONEWAY) {
                return;
            }
            if (call.name.equals("missing")) {
                out.writeMessageBegin(new TMessage(call.name, TMessageType.EXCEPTION, call.seqid));
                new TApplicationException(TApplicationException.UNKNOWN_METHOD, call.name).write(out);
            } else {
                out.writeMessageBegin(new TMessage(call.name, TMessageType.REPLY, call.seqid));
                answer(call.name, arguments).write(out);
            }
            out.writeMessageEnd();
            out.getTransport().flush();
        }

        private static ThriftValue answer(String name, ThriftValue arguments) {
            switch (name) {
                case "echo":
                    return ThriftValue.struct(0, arguments.get(1).as(0));
                case "add":
                    int sum = (Integer) arguments.get(1).value + (Integer) arguments.get(2).value;
                    return ThriftValue.struct(0, ThriftValue.of(0, sum));
                case "nested":
                    return ThriftValue.struct(0, ThriftValue.list(0, arguments.get(1)));
                case "fail":
                    return ThriftValue.struct(0, ThriftValue.struct(1, arguments.get(1)));
                default:
                    return ThriftValue.struct(0);
            }
        }
    }
}
