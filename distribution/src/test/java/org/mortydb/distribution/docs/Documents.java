package org.mortydb.distribution.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.Heading;
import org.commonmark.node.IndentedCodeBlock;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.parser.IncludeSourceSpans;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.text.TextContentRenderer;
import org.mortydb.cli.Checkout;

/** The documents of the checkout, and what is in them for people to type or to follow. */
final class Documents {
  /** The info string of a fenced block of commands; indented blocks are of commands too. */
  static final String COMMANDS = "sh";

  /**
   * The folders and files that documents are in; generated ones and those for developers alone are
   * left out.
   */
  private static final List<String> PLACES =
      List.of(
          "README.md",
          "ARCHITECTURE.md",
          "CONTRIBUTING.md",
          "docs",
          "deploy",
          "examples",
          "jepsen",
          "paper",
          "peers",
          "ycsb");

  private static final Pattern LOOP = Pattern.compile("(for|while|until|if) .*");
  private static final Pattern LOOP_END = Pattern.compile("(done|fi)\\b.*");

  /** They do not change while tests run. */
  private static final Map<String, Node> PARSED = new ConcurrentHashMap<>();

  private Documents() {}

  /**
   * A block of code.
   *
   * @param info what its fence says it is; {@link #COMMANDS} for indented ones
   */
  record Block(String page, int line, String info, String text) {}

  /** A piece of a line: code, or where a link leads. */
  record Piece(String page, int line, String text) {
    @Override
    public String toString() {
      return page + ":" + line + " " + text;
    }
  }

  /** The root of the checkout. */
  static Path root() {
    return Checkout.find("ARCHITECTURE.md").orElseThrow().getParent();
  }

  /** All documents, from the root of the checkout. */
  static List<String> pages() {
    List<String> pages = new ArrayList<>();
    for (String place : PLACES) {
      try (Stream<Path> files = Files.walk(root().resolve(place))) {
        files
            .map(file -> root().relativize(file).toString())
            .filter(name -> name.endsWith(".md"))
            .filter(name -> !name.contains("target/") && !name.contains("node_modules/"))
            .sorted()
            .forEach(pages::add);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return pages;
  }

  /** The blocks of code of a document, in their order. */
  static List<Block> blocks(String page) {
    List<Block> blocks = new ArrayList<>();
    parse(page)
        .accept(
            new AbstractVisitor() {
              @Override
              public void visit(FencedCodeBlock block) {
                int first = line(block) + 1;
                blocks.add(new Block(page, first, block.getInfo().strip(), block.getLiteral()));
              }

              @Override
              public void visit(IndentedCodeBlock block) {
                blocks.add(new Block(page, line(block), COMMANDS, block.getLiteral()));
              }
            });
    return blocks;
  }

  /** Code amid text. */
  static List<Piece> inlineCode(String page) {
    List<Piece> pieces = new ArrayList<>();
    parse(page)
        .accept(
            new AbstractVisitor() {
              @Override
              public void visit(Code code) {
                pieces.add(new Piece(page, line(code), code.getLiteral()));
              }
            });
    return pieces;
  }

  /** Where links lead. */
  static List<Piece> links(String page) {
    List<Piece> pieces = new ArrayList<>();
    parse(page)
        .accept(
            new AbstractVisitor() {
              @Override
              public void visit(Link link) {
                pieces.add(new Piece(page, line(link), link.getDestination()));
                visitChildren(link);
              }
            });
    return pieces;
  }

  /** The names that GitHub gives to the headings of a document. */
  static List<String> anchors(String page) {
    List<String> anchors = new ArrayList<>();
    parse(page)
        .accept(
            new AbstractVisitor() {
              @Override
              public void visit(Heading heading) {
                String text = TextContentRenderer.builder().build().render(heading).strip();
                anchors.add(
                    text.toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .replace(' ', '-'));
              }
            });
    return anchors;
  }

  /** The commands of all documents, in the order in which they stand there. */
  static List<DocumentedCommand> commands() {
    List<DocumentedCommand> commands = new ArrayList<>();
    for (String page : pages()) {
      List<Block> blocks = blocks(page);
      for (int i = 0; i < blocks.size(); i++) {
        if (blocks.get(i).info().equals(COMMANDS)) {
          Block next = i + 1 < blocks.size() ? blocks.get(i + 1) : blocks.get(i);
          addCommands(blocks.get(i), shownBy(blocks.get(i), next), commands);
        }
      }
    }
    return commands;
  }

  /** What stands right after a block, if that is what it prints. */
  private static String shownBy(Block commands, Block next) {
    long end = commands.line() + commands.text().lines().count();
    return next.info().equals("text") && next.line() <= end + 3 ? next.text() : "";
  }

  private static void addCommands(Block block, String shown, List<DocumentedCommand> commands) {
    List<String> lines = block.text().lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      int begin = i;
      StringBuilder text = new StringBuilder();
      boolean loop = LOOP.matcher(line).matches();
      while (line.endsWith("\\") || (loop && !LOOP_END.matcher(line).matches())) {
        text.append(line.endsWith("\\") ? line.substring(0, line.length() - 1) : line + "\n");
        i++;
        line = lines.get(i).strip();
      }
      text.append(line);
      boolean last = i == lines.size() - 1;
      commands.add(
          new DocumentedCommand(
              block.page(), block.line() + begin, text.toString(), last ? shown : ""));
    }
  }

  private static Node parse(String page) {
    return PARSED.computeIfAbsent(page, Documents::read);
  }

  private static Node read(String page) {
    try {
      return Parser.builder()
          .includeSourceSpans(IncludeSourceSpans.BLOCKS_AND_INLINES)
          .extensions(List.of(TablesExtension.create()))
          .build()
          .parse(Files.readString(root().resolve(page)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int line(Node node) {
    return node.getSourceSpans().getFirst().getLineIndex() + 1;
  }
}
