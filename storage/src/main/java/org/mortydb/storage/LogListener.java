package org.mortydb.storage;

/** Is told how far a log is kept. Called by the log's own thread, which it must not hold up. */
public interface LogListener {
  /**
   * Everything before a position is kept, as the log's {@link Durability} says; the same as {@link
   * Log#keptPosition()}.
   */
  void onKept(long position);

  /**
   * The medium was waited for.
   *
   * @param nanos how long
   */
  default void onForced(long nanos) {}

  /** Writing failed: the log has stopped for good. What was not kept until now never will be. */
  void onFailed(StorageException failure);
}
