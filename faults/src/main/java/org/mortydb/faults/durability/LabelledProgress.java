package org.mortydb.faults.durability;

import org.mortydb.workloads.load.Progress;

/** Says in each line what is being measured. For one thread. */
final class LabelledProgress implements Progress {
  private final Progress shown;
  private String label = "";

  LabelledProgress(Progress shown) {
    this.shown = shown;
  }

  /** What the phases from here on belong to. */
  void label(String newLabel) {
    label = newLabel;
  }

  @Override
  public Phase begin(String name, String unit, long total) {
    Phase phase = shown.begin(name, unit, total);
    String prefix = label + ": ";
    return new Phase() {
      @Override
      public void update(long done, String message) {
        phase.update(done, prefix + message);
      }

      @Override
      public void close() {
        phase.close();
      }
    };
  }
}
