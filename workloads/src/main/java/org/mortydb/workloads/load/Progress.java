package org.mortydb.workloads.load;

/** Shows the progress of a run. */
@FunctionalInterface
public interface Progress {

  /** Shows nothing. */
  Progress NONE =
      (name, unit, total) ->
          new Phase() {
            @Override
            public void update(long done, String message) {}

            @Override
            public void close() {}
          };

  /**
   * Begins a phase.
   *
   * @param unit the unit, in a few letters
   * @param total the number of units in the phase
   */
  Phase begin(String name, String unit, long total);

  /** One phase. Closed when it ends. */
  interface Phase extends AutoCloseable {
    /**
     * @param done the number of completed units
     * @param message a status in one line
     */
    void update(long done, String message);

    @Override
    void close();
  }
}
