package dev.lockstep.app;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.zip.CRC32;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;
import javax.xml.transform.OutputKeys;
import javax.xml.transform.Transformer;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.stream.StreamResult;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * Writes an XML document of orders, parses it into a tree, adds it up and serialises the tree again, as the XML
 * benchmarks of SPECjvm2008 do: many short virtual calls and character loops in the JDK's own parser.
 */
final class XmlWork implements CpuWork {
    private XMLOutputFactory writers;
    private DocumentBuilderFactory parsers;
    private TransformerFactory transformers;

    @Override
    public byte[] answer(String query) {
        int n = Query.number(query, "n", 1, 1_000, 100);
        try {
            if (writers == null) {
                // The JDK's own, whatever else may be on the class path: the code under comparison must be the same.
                writers = XMLOutputFactory.newDefaultFactory();
                parsers = DocumentBuilderFactory.newDefaultInstance();
                transformers = TransformerFactory.newDefaultInstance();
            }
            Document document = parsers.newDocumentBuilder().parse(new ByteArrayInputStream(orders(n)));
            long cents = 0;
            NodeList items = document.getElementsByTagName("item");
            // Not items.item(i): its cost grows with i in some versions of the parser.
            for (var node = document.getDocumentElement().getFirstChild(); node != null; node = node.getNextSibling()) {
                for (var child = node.getFirstChild(); child != null; child = child.getNextSibling()) {
                    if (child instanceof Element && "item".equals(child.getNodeName())) {
                        Element item = (Element) child;
                        cents += Long.parseLong(item.getAttribute("cents")) * Long.parseLong(item.getTextContent());
                    }
                }
            }
            int itemCount = items.getLength();
            Transformer transformer = transformers.newTransformer();
            transformer.setOutputProperty(OutputKeys.OMIT_XML_DECLARATION, "yes");
            ByteArrayOutputStream serialised = new ByteArrayOutputStream(256 * n);
            transformer.transform(new DOMSource(document), new StreamResult(serialised));
            CRC32 crc = new CRC32();
            crc.update(serialised.toByteArray());
            long total = cents;
            return Json.object(128, json -> {
                json.writeStringField("kind", "xml");
                json.writeNumberField("n", n);
                json.writeNumberField("items", itemCount);
                json.writeNumberField("cents", total);
                json.writeNumberField("bytes", serialised.size());
                json.writeStringField("crc32", Long.toHexString(crc.getValue()));
            });
        } catch (Exception e) {
            // Five checked types of five factories, none of which a document of our own can cause.
            throw new TargetAppException("this JVM cannot process XML: " + e.getMessage(), e);
        }
    }

    private byte[] orders(int n) throws XMLStreamException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(256 * n);
        XMLStreamWriter xml = writers.createXMLStreamWriter(bytes, "UTF-8");
        xml.writeStartDocument("UTF-8", "1.0");
        xml.writeStartElement("orders");
        for (int i = 0; i < n; i++) {
            long random = PreloadedUsers.mix(i);
            User user = PreloadedUsers.user(i);
            xml.writeStartElement("order");
            xml.writeAttribute("number", Integer.toString(i));
            xml.writeStartElement("customer");
            xml.writeAttribute("id", user.id.toString());
            xml.writeCharacters(user.name + " <" + user.email + "> & partners, " + user.city);
            xml.writeEndElement();
            for (int j = 0; j < 1 + (int) (random & 3); j++) {
                xml.writeStartElement("item");
                xml.writeAttribute("cents", Long.toString(random >>> 8 * j & 0xffff));
                xml.writeCharacters(Integer.toString(1 + j));
                xml.writeEndElement();
            }
            xml.writeEndElement();
        }
        xml.writeEndElement();
        xml.writeEndDocument();
        xml.close();
        return bytes.toByteArray();
    }
}
