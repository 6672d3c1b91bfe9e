package org.mortydb.experiments.claims;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.experiments.claims.Judgement.JudgedFigure;
import org.mortydb.experiments.figure.Statistic;

/**
 * The result of {@code morty reproduce}, as JSON.
 *
 * @param claims the verdicts; empty for a quick check
 * @param quick the kinds of runs that a quick check tried
 * @param warning {@link QuickCheck#WARNING} for a quick check; else null
 */
public record ReproduceResult(
    List<JudgedClaim> claims, List<QuickCheck.Tried> quick, @Nullable String warning) {

  /** Copies the lists. */
  public ReproduceResult {
    claims = List.copyOf(claims);
    quick = List.copyOf(quick);
  }

  /** The result of judging claims. */
  public static ReproduceResult of(List<Judgement> judgements) {
    return new ReproduceResult(judgements.stream().map(JudgedClaim::of).toList(), List.of(), null);
  }

  /** The result of a quick check. */
  public static ReproduceResult ofQuick(List<QuickCheck.Tried> tried) {
    return new ReproduceResult(List.of(), tried, QuickCheck.WARNING);
  }

  /**
   * A claim with its verdict.
   *
   * @param minutes the expected duration on two cores
   * @param runs the number of its runs
   */
  public record JudgedClaim(
      String name,
      String title,
      String statement,
      String experiment,
      int runs,
      int minutes,
      String verdict,
      String reason,
      List<FigureResult> figures,
      List<String> violations,
      String environment) {
    /** Copies the lists. */
    public JudgedClaim {
      figures = List.copyOf(figures);
      violations = List.copyOf(violations);
    }

    static JudgedClaim of(Judgement judgement) {
      Claim claim = judgement.claim();
      return new JudgedClaim(
          claim.name(),
          claim.title(),
          claim.statement(),
          claim.runs().name(),
          claim.runs().count(),
          claim.minutes(),
          judgement.verdict().key(),
          judgement.reason(),
          judgement.figures().stream().map(one -> FigureResult.of(claim, one)).toList(),
          judgement.violations(),
          judgement.environment());
    }
  }

  /**
   * A figure with its verdict. Limits and values are null where they are infinite or unknown.
   *
   * @param paper the paper's figure
   * @param least the lowest value that meets the expectation
   * @param most the highest value that meets the expectation
   * @param here our value, averaged over the rounds
   * @param low the lower end of the 95 % confidence interval over the rounds; null for one round
   * @param high its upper end
   * @param unit the unit; empty for a ratio
   */
  public record FigureResult(
      String name,
      double paper,
      @Nullable Double least,
      @Nullable Double most,
      @Nullable String direction,
      @Nullable Double here,
      @Nullable Double low,
      @Nullable Double high,
      int rounds,
      String unit,
      String verdict) {

    static FigureResult of(Claim claim, JudgedFigure one) {
      ClaimFigure figure = one.figure();
      Statistic here = one.here();
      ClaimFigure.Direction direction = figure.direction();
      return new FigureResult(
          figure.name(),
          figure.paper(),
          finite(figure.least()),
          finite(figure.most()),
          direction == null ? null : direction.toString(),
          here == null ? null : finite(here.mean()),
          here == null || here.margin().isEmpty() ? null : finite(here.low()),
          here == null || here.margin().isEmpty() ? null : finite(here.high()),
          here == null ? 0 : here.rounds(),
          figure.isRatio() ? "" : claim.runs().unit(figure.metric()),
          one.verdict().key());
    }

    private static @Nullable Double finite(double value) {
      return Double.isFinite(value) ? value : null;
    }
  }
}
