package org.mortydb.experiments.paper;

import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/**
 * A place of a text, and the records that fill it.
 *
 * @param source its placeholder
 * @param line its line in the text, from 1
 * @param missing whether a value of it is not measured
 * @param wantedRuns the runs that the definition has for it, in all rounds
 * @param foundRuns the runs of these that have a record
 * @param strayRuns the runs with a record whose point the definition does not have, or not any more
 * @param records the records that fill it
 */
public record Place(
    String source,
    int line,
    boolean missing,
    int wantedRuns,
    int foundRuns,
    int strayRuns,
    List<ObjectNode> records) {

  /** Copies the list. */
  public Place {
    records = List.copyOf(records);
  }

  /** Whether it shows all points of the definition, in all rounds, and no others. */
  public boolean isComplete() {
    return !missing && foundRuns >= wantedRuns && strayRuns == 0;
  }
}
