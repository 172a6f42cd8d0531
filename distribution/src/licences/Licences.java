import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Writes THIRD-PARTY.txt and the folder licences of the archive: for each packed jar that is not Lockstep's the licences
 * that it declares (from the CycloneDX list) and the text of one at least, its own or that of of-jars.txt beside this.
 * Ends with exit code 1, naming them, if jars are in neither: an archive without a licence's text is not made.
 *
 * <p>Run as {@code java -cp JACKSON Licences.java SBOM OUT APACHE HERE FOLDER...}: APACHE is the text of Apache-2.0, HERE
 * the folder of this, and the others have the jars.
 */
final class Licences {
    /** A licence's or notice's place in a jar; its last name becomes the file's. */
    private static final Pattern TEXT = Pattern.compile(
            "(META-INF/|META-INF/licenses?/|META-INF/resources/webjars/[^/]+/[^/]+/)?"
                    + "(?:(?:LICEN[CS]E|NOTICE|COPYING)[^/]*|AL2\\.0|LGPL2\\.1)");

    private static final String HEADING = "The jars of others in this archive: what each is, the licences that it declares,"
            + " and where their texts are.\nOne that declares several is passed on here under the one whose text is named,"
            + " as Vert.x and JNA under Apache-2.0.\n";

    private final Map<String, JsonNode> parts = new HashMap<>();
    private final Map<PathMatcher, String> textOfJars = new LinkedHashMap<>();
    private final List<String> wrong = new ArrayList<>();
    private final Path here;
    private final Path apache;
    private final Path out;

    private Licences(Path here, Path apache, Path out) {
        this.here = here;
        this.apache = apache;
        this.out = out;
    }

    public static void main(String[] arguments) throws Exception {
        Path here = Path.of(arguments[3]);
        Licences licences = new Licences(here, Path.of(arguments[2]), Path.of(arguments[1]));
        for (JsonNode part : new ObjectMapper().readTree(Path.of(arguments[0]).toFile()).path("components")) {
            for (JsonNode hash : part.path("hashes")) {
                licences.parts.put(hash.path("content").asText(), part);
            }
        }
        licences.readTable();
        // By their names: several folders have the same ones.
        Map<String, Path> jars = new TreeMap<>();
        for (int i = 4; i < arguments.length; i++) {
            try (Stream<Path> files = Files.walk(Path.of(arguments[i]))) {
                files.filter(file -> file.toString().endsWith(".jar"))
                        .filter(file -> !file.getFileName().toString().startsWith("lockstep-"))
                        .forEach(file -> jars.putIfAbsent(file.getFileName().toString(), file));
            }
        }
        StringBuilder list = new StringBuilder(HEADING);
        for (Path jar : jars.values()) {
            list.append(licences.entry(jar));
        }
        if (!licences.wrong.isEmpty()) {
            licences.wrong.forEach(System.err::println);
            System.exit(1);
        }
        Files.writeString(licences.out.resolve("THIRD-PARTY.txt"), list);
    }

    private void readTable() throws IOException {
        for (String line : Files.readAllLines(here.resolve("of-jars.txt"))) {
            if (!line.isBlank() && !line.startsWith("#")) {
                String[] words = line.trim().split("\\s+");
                textOfJars.put(FileSystems.getDefault().getPathMatcher("glob:" + words[0]), words[1]);
            }
        }
    }

    private String entry(Path jar) throws Exception {
        String file = jar.getFileName().toString();
        String sha = HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(jar)));
        JsonNode part = parts.get(sha);
        if (part == null) {
            wrong.add(file + ": not in the list of parts, so its licence is not known; name it as a dependency of a module");
            return "";
        }
        Set<String> declared = new LinkedHashSet<>();
        for (JsonNode choice : part.path("licenses")) {
            JsonNode licence = choice.path("license");
            declared.add(choice.path("expression")
                    .asText(licence.path("id").asText(licence.path("name").asText())));
        }
        List<String> texts = own(jar);
        if (texts.stream().allMatch(text -> text.contains("/NOTICE"))) {
            for (Map.Entry<PathMatcher, String> known : textOfJars.entrySet()) {
                if (known.getKey().matches(jar.getFileName())) {
                    texts.add("licences/" + copied(known.getValue()));
                    break;
                }
            }
        }
        if (texts.stream().allMatch(text -> text.contains("/NOTICE"))) {
            wrong.add(file + ": has no text of its licence (" + String.join(", ", declared) + "); name one in "
                    + here.resolve("of-jars.txt"));
        }
        return "\n" + file + "\n    " + part.path("group").asText() + ":" + part.path("name").asText() + ":"
                + part.path("version").asText() + "\n    declared: "
                + (declared.isEmpty() ? "nothing" : String.join(", ", declared)) + "\n    text: "
                + String.join(", ", texts) + "\n";
    }

    private String copied(String text) throws IOException {
        Path copy = out.resolve("licences").resolve(text);
        if (Files.notExists(copy)) {
            Files.createDirectories(copy.getParent());
            Files.copy(text.equals("Apache-2.0.txt") ? apache : here.resolve(text), copy);
        }
        return text;
    }

    /** Copies the texts that a jar brings, and returns where they are. */
    private List<String> own(Path jar) throws IOException {
        String folder = jar.getFileName().toString().replaceFirst("\\.jar$", "");
        List<String> texts = new ArrayList<>();
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            Enumeration<? extends ZipEntry> entries = zip.entries();
            while (entries.hasMoreElements()) {
                ZipEntry entry = entries.nextElement();
                if (!entry.isDirectory() && TEXT.matcher(entry.getName()).matches()) {
                    String name = entry.getName().substring(entry.getName().lastIndexOf('/') + 1);
                    Path copy = out.resolve("licences").resolve(folder).resolve(name);
                    Files.createDirectories(copy.getParent());
                    Files.write(copy, zip.getInputStream(entry).readAllBytes());
                    texts.add("licences/" + folder + "/" + name);
                }
            }
        }
        return texts;
    }
}
