package org.mortydb.experiments.claims;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.experiments.figure.Statistic;

/**
 * The verdict on a claim.
 *
 * @param claim the claim
 * @param verdict the worst verdict of its figures
 * @param reason the reason in a sentence
 * @param figures the figures that the records have; empty if the claim was not run, unless a check
 *     found a violation in a part of the runs
 * @param violations the runs in which a check found a violation
 * @param environment where and when the runs were made; empty without runs
 */
public record Judgement(
    Claim claim,
    Verdict verdict,
    String reason,
    List<JudgedFigure> figures,
    List<String> violations,
    String environment) {

  /** Copies the lists. */
  public Judgement {
    figures = List.copyOf(figures);
    violations = List.copyOf(violations);
  }

  /** This judgement with another reason. */
  public Judgement because(String other) {
    return new Judgement(claim, verdict, other, figures, violations, environment);
  }

  /**
   * A figure with our value.
   *
   * @param verdict the verdict on it
   * @param here our value over all rounds; null if the records lack it
   */
  public record JudgedFigure(ClaimFigure figure, Verdict verdict, @Nullable Statistic here) {}
}
