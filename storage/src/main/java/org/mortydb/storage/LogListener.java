package org.mortydb.storage;

/** Hears how far a log is kept. Called on the log's own thread; must not block it. */
public interface LogListener {
  /**
   * Everything before a position is kept, as the log's {@link Durability} says; the same as {@link
   * Log#keptPosition()}.
   */
  void onKept(long position);

  /**
   * The operating system has everything before a position, and the force follows. Only with {@link
   * Durability#SYNC}; otherwise {@link #onKept} says so.
   */
  default void onWritten(long position) {}

  /**
   * A force of the medium ended.
   *
   * @param nanos how long it took, in nanoseconds
   */
  default void onForced(long nanos) {}

  /** A write failed, and the log has stopped for good. Records not kept by now are lost. */
  void onFailed(StorageException failure);
}
