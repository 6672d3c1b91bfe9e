package org.mortydb.experiments.paper;

import org.mortydb.experiments.figure.PointTable;

/** Pages of HTML in one file, in the style of the report. */
public final class HtmlPage {
  private static final String STYLE =
      """
      body { font: 16px/1.5 Georgia, serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem;
             color: #222; background: #fff; }
      h1, h2, h3 { font-family: Helvetica, Arial, sans-serif; line-height: 1.2; }
      table { border-collapse: collapse; font: 13px/1.4 Helvetica, Arial, sans-serif; margin: 1rem 0; }
      th, td { padding: 0.2rem 0.6rem; border-bottom: 1px solid #ddd; text-align: left; }
      th { border-bottom: 2px solid #888; vertical-align: bottom; }
      .number { text-align: right; font-variant-numeric: tabular-nums; }
      .missing { color: #a33; font-style: italic; }
      figure { margin: 1.5rem 0; }
      figcaption { font: 13px/1.4 Helvetica, Arial, sans-serif; color: #444; }
      .source a { text-decoration: none; }
      svg { max-width: 100%; height: auto; }
      code { font-size: 0.9em; }
      """;

  private HtmlPage() {}

  /**
   * A page.
   *
   * @param title its title, as text
   * @param style more rules of style
   * @param body its body, as HTML
   */
  public static String of(String title, String style, String body) {
    return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>"
        + PointTable.escaped(title)
        + "</title>\n<style>\n"
        + STYLE
        + style
        + "</style>\n</head>\n<body>\n"
        + body
        + "</body>\n</html>\n";
  }
}
