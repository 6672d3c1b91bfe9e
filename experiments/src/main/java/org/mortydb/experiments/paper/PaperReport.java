package org.mortydb.experiments.paper;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.stream.Stream;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.Heading;
import org.commonmark.node.Node;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;
import org.commonmark.renderer.text.TextContentRenderer;
import org.mortydb.experiments.figure.Results;
import org.mortydb.experiments.growth.GrowthRecord;
import org.mortydb.experiments.paper.PlaceholderFiller.Filled;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.windows.WindowsRecord;

/**
 * A report: a text in Markdown with placeholders that records fill.
 *
 * @param html the report as one self-contained document
 * @param places the placeholders, in the order of the text
 */
public record PaperReport(String html, List<Place> places) {
  /** The kinds of placeholders for records of commands of their own, which name no definition. */
  private static final Set<String> OWN_COMMANDS =
      Set.of(WindowsRecord.EXPERIMENT, GrowthRecord.EXPERIMENT);

  /** Copies the list. */
  public PaperReport {
    places = List.copyOf(places);
  }

  /** The number of placeholders of which a value is marked as not measured. */
  public int missing() {
    return (int) places.stream().filter(Place::missing).count();
  }

  /**
   * Builds a report.
   *
   * @param markdown the text
   * @param definitions the experiments by name
   * @throws InvalidTextException if a placeholder is wrong
   * @throws org.mortydb.bench.figure.FigureFailedException if this machine cannot draw
   */
  public static PaperReport of(
      String markdown, Map<String, Definition> definitions, Results results) {
    PlaceholderFiller filler = new PlaceholderFiller(definitions, results);
    List<Filled> filled = new ArrayList<>();
    Matcher found = Placeholder.PATTERN.matcher(markdown);
    // The Markdown renderer sees only tokens, so it cannot change the replacements.
    String text =
        found.replaceAll(
            match -> {
              int line =
                  1 + (int) markdown.chars().limit(match.start()).filter(c -> c == '\n').count();
              filled.add(filler.fill(Placeholder.of(match), line));
              return Matcher.quoteReplacement(token(filled.size() - 1));
            });
    List<Extension> extensions = List.of(TablesExtension.create());
    Node document = Parser.builder().extensions(extensions).build().parse(text);
    String body = HtmlRenderer.builder().extensions(extensions).build().render(document);
    for (int i = 0; i < filled.size(); i++) {
      String html = filled.get(i).html();
      body = body.replace("<p>" + token(i) + "</p>", html).replace(token(i), html);
    }
    return new PaperReport(
        HtmlPage.of(title(document), "", body + filler.sources()),
        filled.stream().map(Filled::place).toList());
  }

  /**
   * The names of the experiments that a text shows, in the order of the text. Windows and growth
   * count as the experiments of their records.
   *
   * @throws InvalidTextException if a placeholder is wrong
   */
  public static List<String> experiments(String markdown) {
    return Placeholder.PATTERN
        .matcher(markdown)
        .results()
        .map(Placeholder::of)
        .flatMap(
            place ->
                OWN_COMMANDS.contains(place.kind())
                    ? Stream.of(place.kind())
                    : Stream.ofNullable(place.optional("experiment")))
        .distinct()
        .toList();
  }

  private static String token(int place) {
    return "\u2e28" + place + "\u2e29";
  }

  private static String title(Node document) {
    for (Node node = document.getFirstChild(); node != null; node = node.getNext()) {
      if (node instanceof Heading heading) {
        return TextContentRenderer.builder().build().render(heading);
      }
    }
    return "Report";
  }
}
