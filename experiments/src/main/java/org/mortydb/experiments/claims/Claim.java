package org.mortydb.experiments.claims;

import java.util.List;

/**
 * A claim of the paper, and how this project examines it.
 *
 * @param name its name, and the name of its file
 * @param title a short title
 * @param statement what the paper says
 * @param remarks what limits the comparison; empty for nothing
 * @param minutes the expected duration of its runs on two cores
 * @param needs what the machine must have
 * @param runs the runs that it follows from
 * @param figures the figures; all of them must hold
 */
public record Claim(
    String name,
    String title,
    String statement,
    String remarks,
    int minutes,
    Needs needs,
    ClaimRuns runs,
    List<ClaimFigure> figures) {

  /** Copies the list. */
  public Claim {
    figures = List.copyOf(figures);
  }
}
