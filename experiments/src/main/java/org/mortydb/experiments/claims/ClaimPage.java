package org.mortydb.experiments.claims;

import static org.mortydb.experiments.figure.PointTable.escaped;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.mortydb.cli.text.TextTable;
import org.mortydb.experiments.claims.Judgement.JudgedFigure;
import org.mortydb.experiments.figure.PointTable;
import org.mortydb.experiments.figure.Statistic;
import org.mortydb.experiments.paper.HtmlPage;
import org.mortydb.experiments.runs.WholeFile;

/** Verdicts for readers: as a page of HTML, and as a table of text. */
public final class ClaimPage {
  private static final String TITLE = "Claims of the Morty paper, reproduced";

  private static final String STYLE =
      """
      .reproduced { color: #17692c; font-weight: bold; }
      .reproduced-in-direction-only { color: #7a5a00; font-weight: bold; }
      .refuted { color: #a11; font-weight: bold; }
      .not-run-here { color: #555; font-style: italic; }
      blockquote { margin: 0.5rem 0; padding-left: 1rem; border-left: 3px solid #bbb; }
      .small { font-size: 0.85em; color: #444; }
      .warning { border: 2px solid #a11; padding: 0.5rem 1rem; font-weight: bold; }
      """;

  private ClaimPage() {}

  /**
   * Writes the page of all claims, atomically.
   *
   * @throws java.io.UncheckedIOException if that fails
   */
  public static void write(Path file, List<Judgement> judgements) {
    WholeFile.write(file, html(judgements));
  }

  /**
   * Writes the page of a quick check, atomically.
   *
   * @param notRun the claims whose needs this machine does not meet, with reasons
   * @param summary the result in a sentence: how many work, where and when
   * @throws java.io.UncheckedIOException if that fails
   */
  public static void writeQuick(
      Path file, List<QuickCheck.Tried> tried, List<String> notRun, String summary) {
    WholeFile.write(file, quickHtml(tried, notRun, summary));
  }

  /** The page of all claims. */
  static String html(List<Judgement> judgements) {
    StringBuilder body = new StringBuilder("<h1>" + TITLE + "</h1>\n");
    body.append("<p>")
        .append(escaped(counts(judgements)))
        .append(
            ". Each verdict follows from records by the rule of its claim, which names the"
                + " expected range beforehand. A claim is as good as its worst figure.</p>\n")
        .append("<table>\n<thead><tr><th>claim</th><th>verdict</th><th>reason</th></tr></thead>\n")
        .append("<tbody>\n");
    for (Judgement one : judgements) {
      body.append("<tr><td><a href=\"#")
          .append(escaped(one.claim().name()))
          .append("\">")
          .append(escaped(one.claim().title()))
          .append("</a></td>")
          .append(cell(one.verdict()))
          .append("<td>")
          .append(escaped(one.reason()))
          .append("</td></tr>\n");
    }
    body.append("</tbody>\n</table>\n");
    judgements.forEach(one -> section(body, one));
    return HtmlPage.of(TITLE, STYLE, body.toString());
  }

  private static String cell(Verdict verdict) {
    return "<td class=\"" + verdict.key() + "\">" + verdict.words() + "</td>";
  }

  private static void section(StringBuilder body, Judgement judgement) {
    Claim claim = judgement.claim();
    body.append("<h2 id=\"")
        .append(escaped(claim.name()))
        .append("\">")
        .append(escaped(claim.title()))
        .append("</h2>\n<blockquote>")
        .append(escaped(claim.statement()))
        .append("</blockquote>\n<p><span class=\"")
        .append(judgement.verdict().key())
        .append("\">")
        .append(judgement.verdict().words())
        .append("</span>: ")
        .append(escaped(judgement.reason()))
        .append(".</p>\n");
    figures(body, judgement);
    if (!claim.remarks().isEmpty()) {
      body.append("<p>").append(escaped(claim.remarks())).append("</p>\n");
    }
    body.append("<p class=\"small\">Runs: ")
        .append(claim.runs().count())
        .append(" of <code>")
        .append(escaped(claim.runs().name()))
        .append("</code>, ")
        .append(escaped(claim.runs().kind()))
        .append(", about ")
        .append(ClaimTexts.minutes(claim.minutes()))
        .append(" on two cores. Repeat with <code>bin/morty reproduce --again --claim ")
        .append(escaped(claim.name()))
        .append("</code>.");
    if (!judgement.environment().isEmpty()) {
      body.append(" Measured: ").append(escaped(judgement.environment())).append('.');
    }
    body.append("</p>\n");
  }

  private static void figures(StringBuilder body, Judgement judgement) {
    Claim claim = judgement.claim();
    body.append("<table>\n<thead><tr><th>figure</th><th class=\"number\">paper</th>")
        .append("<th>expected here</th><th class=\"number\">here</th>")
        .append(
            "<th class=\"number\">95 % interval over rounds</th><th>verdict</th></tr></thead>\n"
                + "<tbody>\n");
    if (judgement.figures().isEmpty()) {
      for (ClaimFigure figure : claim.figures()) {
        row(body, claim, new JudgedFigure(figure, Verdict.NOT_RUN, null));
      }
    }
    judgement.figures().forEach(one -> row(body, claim, one));
    body.append("</tbody>\n</table>\n");
  }

  private static void row(StringBuilder body, Claim claim, JudgedFigure one) {
    ClaimFigure figure = one.figure();
    Statistic here = one.here();
    body.append("<tr><td>")
        .append(escaped(figure.name()))
        .append("</td><td class=\"number\">")
        .append(escaped(ClaimTexts.value(claim, figure, figure.paper())))
        .append("</td><td>")
        .append(escaped(figure.expected()))
        .append(figure.direction() == null ? "" : escaped("; direction: " + figure.direction()))
        .append(here == null ? "</td><td class=\"missing\">" : "</td><td class=\"number\">")
        .append(
            escaped(
                here == null ? PointTable.NOTHING : ClaimTexts.value(claim, figure, here.mean())))
        .append("</td><td class=\"number\">")
        .append(here == null ? "" : escaped(interval(here)))
        .append("</td>")
        .append(cell(one.verdict()))
        .append("</tr>\n");
  }

  private static String interval(Statistic here) {
    return here.margin().isEmpty()
        ? here.rounds() == 1 ? "one round" : ""
        : ClaimFigure.number(here.low()) + " to " + ClaimFigure.number(here.high());
  }

  /** The number of claims with each verdict. */
  public static String counts(List<Judgement> judgements) {
    List<String> parts = new ArrayList<>();
    for (Verdict verdict : Verdict.values()) {
      long count = judgements.stream().filter(one -> one.verdict() == verdict).count();
      if (count > 0) {
        parts.add(count + " " + verdict.words());
      }
    }
    return "%d %s: %s"
        .formatted(
            judgements.size(),
            judgements.size() == 1 ? "claim" : "claims",
            String.join(", ", parts));
  }

  /** The verdicts as text: each claim with the numbers side by side and the reason. */
  public static String text(List<Judgement> judgements) {
    StringBuilder out = new StringBuilder();
    for (Judgement judgement : judgements) {
      Claim claim = judgement.claim();
      out.append(
          "%s: %s%n  %s%n"
              .formatted(claim.name(), judgement.verdict().words(), judgement.reason()));
      if (!judgement.figures().isEmpty()) {
        TextTable table = new TextTable(column -> column <= 1 || column == 5);
        table.row("  ", "figure", "paper", "here", "expected", "verdict");
        for (JudgedFigure one : judgement.figures()) {
          ClaimFigure figure = one.figure();
          Statistic here = one.here();
          table.row(
              "  ",
              figure.name(),
              ClaimTexts.value(claim, figure, figure.paper()),
              here == null ? PointTable.NOTHING : ClaimTexts.value(claim, figure, here.mean()),
              figure.expected(),
              one.verdict().words());
        }
        out.append(table);
      }
      out.append(System.lineSeparator());
    }
    return out.toString();
  }

  /** The page of a quick check. */
  static String quickHtml(List<QuickCheck.Tried> tried, List<String> notRun, String summary) {
    StringBuilder body = new StringBuilder("<h1>Quick check of the claims' runs</h1>\n");
    body.append("<p class=\"warning\">")
        .append(QuickCheck.WARNING)
        .append("</p>\n<p>")
        .append(escaped(summary))
        .append("</p>\n<p>Each kind of run was tried for about a second. <code>bin/morty reproduce")
        .append(" --all</code> makes the runs that verdicts follow from.</p>\n")
        .append("<table>\n<thead><tr><th>kind of run</th><th>experiment</th><th>result</th>")
        .append("<th class=\"number\">transactions/s</th></tr></thead>\n<tbody>\n");
    for (QuickCheck.Tried one : tried) {
      Double rate = one.throughput();
      body.append("<tr><td>")
          .append(escaped(one.kind()))
          .append("</td><td>")
          .append(escaped(one.experiment()))
          .append("</td><td>")
          .append(escaped(one.words()))
          .append("</td><td class=\"number\">")
          .append(rate == null ? "" : String.format(Locale.ROOT, "%,.0f", rate))
          .append("</td></tr>\n");
    }
    body.append("</tbody>\n</table>\n");
    if (!notRun.isEmpty()) {
      body.append("<p>Not run here:</p>\n<ul>\n");
      notRun.forEach(one -> body.append("<li>").append(escaped(one)).append("</li>\n"));
      body.append("</ul>\n");
    }
    return HtmlPage.of("Quick check", STYLE, body.toString());
  }

  /** The result of a quick check as text. */
  public static String quickText(List<QuickCheck.Tried> tried) {
    TextTable table = new TextTable(column -> column < 3);
    table.row("kind of run", "experiment", "result", "transactions/s");
    for (QuickCheck.Tried one : tried) {
      table.row(
          one.kind(), one.experiment(), one.words(), TextTable.number("%,.0f", one.throughput()));
    }
    return table.toString();
  }
}
