package org.mortydb.experiments.paper;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.Heading;
import org.commonmark.node.Node;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;
import org.commonmark.renderer.text.TextContentRenderer;
import org.mortydb.experiments.figure.Results;
import org.mortydb.experiments.plan.Definition;

/**
 * A report: a text in Markdown with placeholders that records fill.
 *
 * @param html the report as one self-contained document
 * @param places the number of placeholders
 * @param missing the number of placeholders without a record, marked as not measured
 */
public record PaperReport(String html, int places, int missing) {
  /**
   * Builds a report.
   *
   * @param markdown the text
   * @param definitions the experiments by name
   * @throws InvalidTextException if a placeholder is wrong
   * @throws org.mortydb.experiments.figure.FigureFailedException if this machine cannot draw
   */
  public static PaperReport of(
      String markdown, Map<String, Definition> definitions, Results results) {
    PlaceholderFiller fillings = new PlaceholderFiller(definitions, results);
    List<String> filled = new ArrayList<>();
    Matcher found = Placeholder.PATTERN.matcher(markdown);
    // The Markdown renderer sees only tokens, so it cannot change the replacements.
    String text =
        found.replaceAll(
            match -> {
              filled.add(fillings.of(Placeholder.of(match)));
              return Matcher.quoteReplacement(token(filled.size() - 1));
            });
    List<Extension> extensions = List.of(TablesExtension.create());
    Node document = Parser.builder().extensions(extensions).build().parse(text);
    String body = HtmlRenderer.builder().extensions(extensions).build().render(document);
    for (int i = 0; i < filled.size(); i++) {
      body =
          body.replace("<p>" + token(i) + "</p>", filled.get(i)).replace(token(i), filled.get(i));
    }
    String html = HtmlPage.of(title(document), "", body);
    return new PaperReport(html, filled.size(), fillings.missing());
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
