package dev.lockstep.results;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** What the Javadoc of some sources says about the members of their classes, as Markdown. */
final class SourceComments {
    private static final Pattern TAG = Pattern.compile("(?m)^\\s*@");
    private static final Pattern PARAMETER = Pattern.compile("(?s)param (\\w+) (.*)");
    private static final Pattern INLINE =
            Pattern.compile("\\{@(?:code|link) #?((?:[^{}]|\\{(?:[^{}]|\\{[^{}]*})*})+)}");
    private static final Pattern PAGE = Pattern.compile("`?docs/([a-z-]+\\.md)`?");

    private final Map<String, String> texts = new HashMap<>();

    /** @param folders whose Java files are read, without folders below */
    SourceComments(List<Path> folders) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            List<Path> sources =
                    folders.stream().flatMap(SourceComments::sources).collect(Collectors.toList());
            JavacTask task = (JavacTask) compiler.getTask(
                    null, files, null, List.of("-proc:none"), null, files.getJavaFileObjectsFromPaths(sources));
            for (CompilationUnitTree source : task.parse()) {
                new Members(DocTrees.instance(task)).scan(source, null);
            }
        }
    }

    private static Stream<Path> sources(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".java")).collect(Collectors.toList()).stream();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns what is written at a field, else at the method of its name, else of a constructor's parameter. */
    Optional<String> of(Class<?> type, String member) {
        String name = type.getName().substring(type.getPackageName().length() + 1) + "." + member;
        return Stream.of(name, name + "()", name + "@")
                .map(texts::get)
                .filter(text -> text != null && !text.isEmpty())
                .findFirst();
    }

    private static String markdown(String text) {
        String code = INLINE.matcher(text).replaceAll("`$1`");
        String line = PAGE.matcher(code)
                .replaceAll("[$1]($1)")
                .replaceFirst("^\\s*Returns ", "")
                .replaceAll("\\s+", " ")
                .strip();
        return line.isEmpty()
                ? ""
                : line.substring(0, 1).toUpperCase(Locale.ROOT) + line.substring(1) + (line.endsWith(".") ? "" : ".");
    }

    private final class Members extends TreePathScanner<Void, String> {
        private final DocTrees docs;

        Members(DocTrees docs) {
            this.docs = docs;
        }

        @Override
        public Void visitClass(ClassTree type, String outer) {
            return super.visitClass(
                    type, outer == null ? type.getSimpleName().toString() : outer + "$" + type.getSimpleName());
        }

        @Override
        public Void visitVariable(VariableTree field, String type) {
            put(type + "." + field.getName());
            return null;
        }

        @Override
        public Void visitMethod(MethodTree method, String type) {
            put(method.getParameters().isEmpty() ? type + "." + method.getName() + "()" : type);
            return null;
        }

        private void put(String name) {
            String comment = docs.getDocComment(getCurrentPath());
            if (comment == null) {
                return;
            }
            String[] parts = TAG.split(comment);
            texts.put(name, markdown(parts[0]));
            for (String tag : List.of(parts).subList(1, parts.length)) {
                Matcher parameter = PARAMETER.matcher(tag);
                if (parameter.matches()) {
                    String type = name.replaceFirst("\\..*", "");
                    texts.putIfAbsent(type + "." + parameter.group(1) + "@", markdown(parameter.group(2)));
                }
            }
        }
    }
}
