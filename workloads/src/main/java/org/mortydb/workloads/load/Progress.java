package org.mortydb.workloads.load;

/** Shows how far a run has come. */
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
   * @param unit what is counted, in a few letters
   * @param total how much there is of it
   */
  Phase begin(String name, String unit, long total);

  /** One phase; closed when it is over. */
  interface Phase extends AutoCloseable {
    /**
     * @param done how much is done
     * @param message what there is to say about it, in one line
     */
    void update(long done, String message);

    @Override
    void close();
  }
}
