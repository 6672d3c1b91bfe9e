import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Checks or applies google-java-format to every Java file below the current folder. The root's
 * {@code pom.xml} runs it as a single-file program, on the JDK of the build.
 *
 * <p>Digests of texts known to be in shape are kept in {@code target}, so that a build pays only
 * for the files that changed.
 */
final class Format {
  private static final Path KNOWN_GOOD = Path.of("target", "format", "known-good");
  private static final Path NOT_FORMATTED = Path.of("target", "format", "not-formatted.txt");

  private final Formatter formatter = new Formatter();
  private final Set<String> known;
  private final Set<String> good = ConcurrentHashMap.newKeySet();
  private final boolean apply;

  private Format(boolean apply, Set<String> known) {
    this.apply = apply;
    this.known = known;
  }

  public static void main(String[] args) throws IOException {
    String mode = args.length == 1 ? args[0] : "";
    if (!mode.equals("check") && !mode.equals("apply")) {
      System.err.println("-Dformat is either check or apply, not '" + mode + "'.");
      System.exit(2);
    }
    Set<String> known =
        Files.exists(KNOWN_GOOD) ? Set.copyOf(Files.readAllLines(KNOWN_GOOD)) : Set.of();
    Format format = new Format(mode.equals("apply"), known);
    List<Path> misshapen = sources().parallelStream().filter(format::isMisshapen).toList();

    Files.createDirectories(KNOWN_GOOD.getParent());
    Files.write(KNOWN_GOOD, format.good.stream().sorted().toList());
    if (misshapen.isEmpty()) {
      Files.deleteIfExists(NOT_FORMATTED);
    } else {
      misshapen.forEach(path -> System.err.println("Not in google-java-format: " + path));
      Files.write(NOT_FORMATTED, misshapen.stream().map(Path::toString).toList());
    }
  }

  private static List<Path> sources() throws IOException {
    try (Stream<Path> paths = Files.walk(Path.of(""))) {
      return paths
          .filter(path -> path.toString().endsWith(".java") && !isGenerated(path))
          .sorted()
          .toList();
    }
  }

  private static boolean isGenerated(Path path) {
    for (Path name : path) {
      if (name.toString().equals("target")) {
        return true;
      }
    }
    return false;
  }

  /** Whether the file is left out of shape; when applying, only a file that cannot be parsed is. */
  private boolean isMisshapen(Path path) {
    try {
      String text = Files.readString(path);
      String digest = digest(text);
      if (known.contains(digest)) {
        good.add(digest);
        return false;
      }
      String formatted = formatter.formatSourceAndFixImports(text);
      boolean changed = !formatted.equals(text);
      if (changed && apply) {
        Files.writeString(path, formatted);
      }
      if (!changed || apply) {
        good.add(digest(formatted));
        return false;
      }
      return true;
    } catch (FormatterException e) {
      System.err.println(path + " cannot be parsed: " + e.getMessage());
      return true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String digest(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
