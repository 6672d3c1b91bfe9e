import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Copies the README and {@code docs} from a checkout for the archive. Links to files that the
 * archive does not have become links to the project's repository on the web.
 */
final class ArchiveDocs {
  private static final Pattern LINK = Pattern.compile("(]\\()([^)#\\s]+)([^)]*\\))");
  private static final Path README = Path.of("README.md");
  private static final Path RECORDS = Path.of("docs/benchmarks/records");
  private static final Path EXAMPLE = Path.of("deploy/example");

  private final Path checkout;
  private final Path archive;
  private final String repository;

  private ArchiveDocs(Path checkout, Path archive, String repository) {
    this.checkout = checkout;
    this.archive = archive;
    this.repository = repository;
  }

  /** Arguments: the root of the checkout, the folder to write to, the repository's URL. */
  public static void main(String[] args) throws IOException {
    Path checkout = Path.of(args[0]).toRealPath();
    ArchiveDocs docs = new ArchiveDocs(checkout, Path.of(args[1]), args[2]);
    docs.copy(README);
    try (Stream<Path> files = Files.walk(checkout.resolve("docs"))) {
      for (Path file : files.filter(Files::isRegularFile).map(checkout::relativize).toList()) {
        if (isCopied(file)) {
          docs.copy(file);
        }
      }
    }
  }

  private static boolean isCopied(Path file) {
    return file.equals(README) || file.startsWith("docs") && !file.startsWith(RECORDS);
  }

  private void copy(Path file) throws IOException {
    Path target = archive.resolve(file);
    Files.createDirectories(target.getParent());
    if (!file.toString().endsWith(".md")) {
      Files.write(target, Files.readAllBytes(checkout.resolve(file)));
      return;
    }
    String text = Files.readString(checkout.resolve(file));
    Files.writeString(
        target,
        LINK.matcher(text)
            .replaceAll(
                link ->
                    Matcher.quoteReplacement(
                        link.group(1) + linkFrom(file, link.group(2)) + link.group(3))));
  }

  private String linkFrom(Path page, String link) {
    if (link.contains("://")) {
      return link;
    }
    Path linked = page.resolveSibling(link).normalize();
    Path file = checkout.resolve(linked);
    if (!Files.exists(file)) {
      throw new IllegalStateException(page + " links to " + linked + ", which does not exist");
    }
    if (isCopied(linked)) {
      return link;
    }
    if (linked.startsWith(EXAMPLE)) {
      Path folder = page.resolveSibling("");
      return folder.relativize(Path.of("deploy").relativize(linked)).toString();
    }
    return repository + (Files.isDirectory(file) ? "/tree/HEAD/" : "/blob/HEAD/") + linked;
  }
}
