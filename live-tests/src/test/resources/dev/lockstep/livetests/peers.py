"""Thrift servers and clients of two Python libraries, asked for line by line on standard input.

serve LIBRARY TRANSPORT PROTOCOL MULTIPLEXED        answers "port N"; the server stays until the process ends
calls PORT                                          answers "calls NAME,NAME..." with what came to that server
call LIBRARY TRANSPORT PROTOCOL MULTIPLEXED PORT RECONNECT    makes the calls, each on a connection of its own or all
                                                    on one, and answers "ok"

Anything else that is answered is what went wrong.
"""
import http.server
import os
import sys
import threading
import traceback

import thriftpy2
import thriftpy2.http
import thriftpy2.protocol
import thriftpy2.rpc
import thriftpy2.server
import thriftpy2.thrift
import thriftpy2.transport
from thrift.Thrift import TApplicationException, TMessageType, TProcessor, TType
from thrift.TMultiplexedProcessor import TMultiplexedProcessor
from thrift.protocol import TBinaryProtocol, TCompactProtocol, THeaderProtocol, TJSONProtocol
from thrift.protocol.TMultiplexedProtocol import TMultiplexedProtocol
from thrift.server import TServer
from thrift.server.THttpServer import THttpServer
from thrift.transport import THeaderTransport, THttpClient, TSocket, TTransport, TZlibTransport

HOST = "127.0.0.1"
SERVICE = "Live"
IDL = thriftpy2.load(os.path.join(os.path.dirname(os.path.abspath(__file__)), "live.thrift"), module_name="live_thrift")

# ---- Apache's library: no generated code, values as (type, value) ----

STRING, I32, I64, BOOL, DOUBLE = TType.STRING, TType.I32, TType.I64, TType.BOOL, TType.DOUBLE
STRUCT, LIST, MAP, SET = TType.STRUCT, TType.LIST, TType.MAP, TType.SET
READ = {STRING: "readString", I32: "readI32", I64: "readI64", BOOL: "readBool", DOUBLE: "readDouble"}
WRITE = {STRING: "writeString", I32: "writeI32", I64: "writeI64", BOOL: "writeBool", DOUBLE: "writeDouble"}

ITEM = [
    (1, I32, 7),
    (2, STRING, "item"),
    (3, LIST, (I64, [1, 2, 3])),
    (4, MAP, (STRING, I32, [("a", 1)])),
    (5, BOOL, True),
    (6, DOUBLE, 1.5),
    (7, SET, (STRING, ["x", "y"])),
]


def read(protocol, kind):
    if kind in READ:
        return getattr(protocol, READ[kind])()
    if kind == STRUCT:
        fields = []
        protocol.readStructBegin()
        while True:
            _, field_type, field_id = protocol.readFieldBegin()
            if field_type == TType.STOP:
                break
            fields.append((field_id, field_type, read(protocol, field_type)))
            protocol.readFieldEnd()
        protocol.readStructEnd()
        return fields
    if kind == MAP:
        key_type, value_type, size = protocol.readMapBegin()
        pairs = [(read(protocol, key_type), read(protocol, value_type)) for _ in range(size)]
        protocol.readMapEnd()
        return key_type, value_type, pairs
    begin, end = ("readListBegin", "readListEnd") if kind == LIST else ("readSetBegin", "readSetEnd")
    element_type, size = getattr(protocol, begin)()
    elements = [read(protocol, element_type) for _ in range(size)]
    getattr(protocol, end)()
    return element_type, elements


def write(protocol, kind, value):
    if kind in WRITE:
        getattr(protocol, WRITE[kind])(value)
    elif kind == STRUCT:
        protocol.writeStructBegin("")
        for field_id, field_type, field in value:
            protocol.writeFieldBegin("", field_type, field_id)
            write(protocol, field_type, field)
            protocol.writeFieldEnd()
        protocol.writeFieldStop()
        protocol.writeStructEnd()
    elif kind == MAP:
        key_type, value_type, pairs = value
        protocol.writeMapBegin(key_type, value_type, len(pairs))
        for key, element in pairs:
            write(protocol, key_type, key)
            write(protocol, value_type, element)
        protocol.writeMapEnd()
    else:
        begin, end = ("writeListBegin", "writeListEnd") if kind == LIST else ("writeSetBegin", "writeSetEnd")
        element_type, elements = value
        getattr(protocol, begin)(element_type, len(elements))
        for element in elements:
            write(protocol, element_type, element)
        getattr(protocol, end)()


def big_text(protocol):
    """Larger than a socket's buffer is read at once; thriftpy2 reads JSON too slowly for that."""
    return "x" * (5000 if "JSON" in protocol else 70000)


def answer(name, arguments):
    values = {field_id: value for field_id, _, value in arguments}
    if name == "echo":
        return [(0, STRING, values[1])]
    if name == "add":
        return [(0, I32, values[1] + values[2])]
    if name == "nested":
        return [(0, LIST, (STRUCT, [values[1]]))]
    if name == "fail":
        return [(1, STRUCT, [(1, STRING, values[1])])]
    return []


class ApacheProcessor(TProcessor):
    begun = None

    def __init__(self):
        self.calls = []

    def on_message_begin(self, function):
        self.begun = function

    def process(self, iprot, oprot):
        name, kind, sequence_id = iprot.readMessageBegin()
        if self.begun:
            self.begun(name, kind, sequence_id)
        arguments = read(iprot, STRUCT)
        iprot.readMessageEnd()
        self.calls.append(name)
        if name == "missing":
            oprot.writeMessageBegin(name, TMessageType.EXCEPTION, sequence_id)
            TApplicationException(TApplicationException.UNKNOWN_METHOD, name).write(oprot)
            oprot.writeMessageEnd()
            oprot.trans.flush()
        elif kind != TMessageType.ONEWAY:
            oprot.writeMessageBegin(name, TMessageType.REPLY, sequence_id)
            write(oprot, STRUCT, answer(name, arguments))
            oprot.writeMessageEnd()
            oprot.trans.flush()


class ZlibFactory:
    def getTransport(self, transport):
        return TZlibTransport.TZlibTransport(TTransport.TBufferedTransport(transport))


class HeaderInFrameFactory:
    def getTransport(self, transport):
        return TTransport.TFramedTransport(transport)


APACHE_TRANSPORTS = {
    "UNFRAMED": TTransport.TBufferedTransportFactory,
    "FRAMED": TTransport.TFramedTransportFactory,
    "ZLIB": ZlibFactory,
    "HEADER": TTransport.TBufferedTransportFactory,
    "HEADER_ZLIB": TTransport.TBufferedTransportFactory,
    "HEADER_IN_FRAME": HeaderInFrameFactory,
}

APACHE_PROTOCOLS = {
    "BINARY": TBinaryProtocol.TBinaryProtocolFactory,
    "OLD_BINARY": lambda: TBinaryProtocol.TBinaryProtocolFactory(strictRead=False, strictWrite=False),
    "COMPACT": TCompactProtocol.TCompactProtocolFactory,
    "JSON": TJSONProtocol.TJSONProtocolFactory,
}


def apache_protocol(transport, protocol):
    if transport.startswith("HEADER"):
        types = THeaderTransport.THeaderClientType
        allowed = (types.HEADERS, types.FRAMED_BINARY, types.UNFRAMED_BINARY, types.FRAMED_COMPACT,
                   types.UNFRAMED_COMPACT)
        ids = THeaderTransport.THeaderSubprotocolID
        return THeaderProtocol.THeaderProtocolFactory(allowed, ids.COMPACT if protocol == "COMPACT" else ids.BINARY)
    return APACHE_PROTOCOLS[protocol]()


def serve_apache(transport, protocol, multiplexed):
    service = processor = ApacheProcessor()
    if multiplexed:
        processor = TMultiplexedProcessor()
        processor.registerProcessor(SERVICE, service)
    if transport == "HTTP":
        server = THttpServer(processor, (HOST, 0), apache_protocol(transport, protocol))
        return run(server, server.httpd.server_address[1], service.calls)
    socket = TSocket.TServerSocket(HOST, 0)
    socket.listen()
    socket.listen = lambda: None
    server = TServer.TThreadedServer(
        processor, socket, APACHE_TRANSPORTS[transport](), apache_protocol(transport, protocol), daemon=True)
    return run(server, socket.handle.getsockname()[1], service.calls)


def connect_apache(transport, protocol, port):
    if transport == "HTTP":
        channel = THttpClient.THttpClient("http://%s:%d/live" % (HOST, port))
    else:
        channel = APACHE_TRANSPORTS[transport]().getTransport(TSocket.TSocket(HOST, port))
    client = apache_protocol(transport, protocol).getProtocol(channel)
    if transport == "HEADER_ZLIB":
        client.add_transform(THeaderTransport.THeaderTransformID.ZLIB)
    if transport.startswith("HEADER"):
        client.set_header(b"key", b"value")
    channel.open()
    return client, channel


def call_apache(transport, protocol, multiplexed, port, reconnect):
    client, channel = connect_apache(transport, protocol, port)
    sequence_id = 0

    def call(name, arguments, kind=TMessageType.CALL):
        nonlocal client, channel, sequence_id
        if reconnect and sequence_id > 0:
            channel.close()
            client, channel = connect_apache(transport, protocol, port)
        sequence_id += 1
        outgoing = TMultiplexedProtocol(client, SERVICE) if multiplexed else client
        outgoing.writeMessageBegin(name, kind, sequence_id)
        write(outgoing, STRUCT, arguments)
        outgoing.writeMessageEnd()
        client.trans.flush()
        if kind == TMessageType.ONEWAY:
            return
        found = client.readMessageBegin()
        if name == "missing":
            expect(found, (name, TMessageType.EXCEPTION, sequence_id))
            exception = TApplicationException()
            exception.read(client)
            client.readMessageEnd()
            expect(exception.type, TApplicationException.UNKNOWN_METHOD)
            return
        expect(found, (name, TMessageType.REPLY, sequence_id))
        found = read(client, STRUCT)
        if name == "nested":
            expect(found[0][2][1][0][:2], ITEM[:2])
        else:
            expect(found, answer(name, arguments))
        client.readMessageEnd()

    try:
        call("ping", [])
        call("echo", [(1, STRING, "hello")])
        call("add", [(1, I32, 2), (2, I32, 3)])
        call("log", [(1, STRING, "one")], TMessageType.ONEWAY)
        call("log", [(1, STRING, "two")], TMessageType.ONEWAY)
        call("echo", [(1, STRING, big_text(protocol))])
        call("nested", [(1, STRUCT, ITEM)])
        call("fail", [(1, STRING, "because")])
        if not multiplexed:
            call("missing", [])
        call("log", [(1, STRING, "three")], TMessageType.ONEWAY)
        call("ping", [])
    finally:
        channel.close()


# ---- thriftpy2: reads the service's definition ----

class Handler:
    def __init__(self):
        self.calls = []

    def ping(self):
        self.calls.append("ping")

    def echo(self, text):
        self.calls.append("echo")
        return text

    def add(self, a, b):
        self.calls.append("add")
        return a + b

    def log(self, line):
        self.calls.append("log")

    def nested(self, item):
        self.calls.append("nested")
        return [item]

    def fail(self, why):
        self.calls.append("fail")
        raise IDL.Failure(why=why)


THRIFTPY2_TRANSPORTS = {
    "UNFRAMED": thriftpy2.transport.TBufferedTransportFactory,
    "FRAMED": thriftpy2.transport.TFramedTransportFactory,
    "HTTP": thriftpy2.transport.TBufferedTransportFactory,
}

THRIFTPY2_PROTOCOLS = {
    "BINARY": thriftpy2.protocol.TBinaryProtocolFactory,
    "OLD_BINARY": lambda: thriftpy2.protocol.TBinaryProtocolFactory(strict_read=False, strict_write=False),
    "COMPACT": thriftpy2.protocol.TCompactProtocolFactory,
    "JSON": thriftpy2.protocol.TApacheJSONProtocolFactory,
    "OWN_JSON": thriftpy2.protocol.TJSONProtocolFactory,
}


def serve_thriftpy2(transport, protocol, multiplexed):
    handler = Handler()
    processor = thriftpy2.thrift.TProcessor(IDL.Live, handler)
    if multiplexed:
        service = processor
        processor = thriftpy2.thrift.TMultiplexedProcessor()
        processor.register_processor(SERVICE, service)
    protocols = THRIFTPY2_PROTOCOLS[protocol]()
    transports = THRIFTPY2_TRANSPORTS[transport]()
    if transport == "HTTP":
        server = thriftpy2.http.THttpServer(processor, (HOST, 0), transports, protocols)
        return run(server, server.httpd.server_address[1], handler.calls)
    socket = thriftpy2.transport.TServerSocket(HOST, 0, client_timeout=60000)
    socket.listen()
    socket.listen = lambda: None
    server = thriftpy2.server.TThreadedServer(
        processor, socket, iprot_factory=protocols, itrans_factory=transports, daemon=True)
    return run(server, socket.sock.getsockname()[1], handler.calls)


def connect_thriftpy2(transport, protocol, multiplexed, port):
    protocols = THRIFTPY2_PROTOCOLS[protocol]()
    if multiplexed:
        protocols = thriftpy2.protocol.TMultiplexedProtocolFactory(protocols, SERVICE)
    transports = THRIFTPY2_TRANSPORTS[transport]()
    if transport == "HTTP":
        return thriftpy2.http.make_client(
            IDL.Newer, HOST, port, path="/live", proto_factory=protocols, trans_factory=transports, timeout=60000)
    return thriftpy2.rpc.make_client(
        IDL.Newer, HOST, port, proto_factory=protocols, trans_factory=transports, timeout=60000)


def call_thriftpy2(transport, protocol, multiplexed, port, reconnect):
    client = connect_thriftpy2(transport, protocol, multiplexed, port)
    first = True

    def call(name, *arguments):
        nonlocal client, first
        if reconnect and not first:
            client.close()
            client = connect_thriftpy2(transport, protocol, multiplexed, port)
        first = False
        return getattr(client, name)(*arguments)

    item = IDL.Item(id=7, name="item", values=[1, 2, 3], counts={"a": 1}, good=True, weight=1.5, tags={"x", "y"})
    try:
        expect(call("ping"), None)
        expect(call("echo", "hello"), "hello")
        expect(call("add", 2, 3), 5)
        call("log", "one")
        call("log", "two")
        expect(call("echo", big_text(protocol)), big_text(protocol))
        expect(call("nested", item)[0].name, "item")
        try:
            call("fail", "because")
            raise AssertionError("no exception")
        except IDL.Failure as failure:
            expect(failure.why, "because")
        try:
            if not multiplexed:
                call("missing")
                raise AssertionError("no exception")
        except thriftpy2.thrift.TApplicationException as exception:
            expect(exception.type, thriftpy2.thrift.TApplicationException.UNKNOWN_METHOD)
        call("log", "three")
        expect(call("ping"), None)
    finally:
        client.close()


# ---- both ----

def expect(found, expected):
    if found != expected:
        raise AssertionError("expected %r, found %r" % (expected, found))


CALLS_BY_PORT = {}


def run(server, port, calls):
    CALLS_BY_PORT[port] = calls
    threading.Thread(target=server.serve, daemon=True).start()
    return "port %d" % port


def main():
    # Their servers log each request to standard error.
    http.server.BaseHTTPRequestHandler.log_message = lambda *_: None
    print("ready", flush=True)
    for line in sys.stdin:
        if line.startswith("calls "):
            print("calls " + ",".join(CALLS_BY_PORT[int(line.split()[1])]), flush=True)
            continue
        command, library, transport, protocol, multiplexed, *rest = line.split()
        apache = library == "PYTHON"
        try:
            if command == "serve":
                serve = serve_apache if apache else serve_thriftpy2
                print(serve(transport, protocol, multiplexed == "true"), flush=True)
            else:
                call = call_apache if apache else call_thriftpy2
                call(transport, protocol, multiplexed == "true", int(rest[0]), rest[1] == "true")
                print("ok", flush=True)
        except Exception:
            print(traceback.format_exc().strip().replace("\n", " | "), flush=True)


main()
