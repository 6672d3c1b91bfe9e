package org.mortydb.server.status;

/** Observes the cost of storage. Any thread may call it; it must not block. */
public interface StorageObserver {
  /** Observes nothing. */
  StorageObserver NONE =
      new StorageObserver() {
        @Override
        public boolean isObserving() {
          return false;
        }

        @Override
        public void forced(long nanos) {}

        @Override
        public void held(long nanos) {}

        @Override
        public void checkpointed(boolean complete, long nanos) {}
      };

  /** Whether the observer needs times; without it, the server takes none. */
  default boolean isObserving() {
    return true;
  }

  /** The log was forced to disk. */
  void forced(long nanos);

  /** A message has waited for the log. */
  void held(long nanos);

  /** A checkpoint has completed or failed. */
  void checkpointed(boolean complete, long nanos);
}
