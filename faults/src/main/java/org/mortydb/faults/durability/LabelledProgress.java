package org.mortydb.faults.durability;

import org.mortydb.workloads.load.Progress;

/** Puts a label before each line. Used by one thread. */
final class LabelledProgress implements Progress {
  private final Progress shown;
  private String label = "";

  LabelledProgress(Progress shown) {
    this.shown = shown;
  }

  /** Sets the label of the phases from now on. */
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
