package org.mortydb.server.status;

/** Is told what storing costs. By any thread; must not block. */
public interface StorageObserver {
  /** Is told nothing. */
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

  /** Whether anybody wants to know; asked before a time is taken for it. */
  default boolean isObserving() {
    return true;
  }

  /** The medium was waited for. */
  void forced(long nanos);

  /** A message has waited for the log. */
  void held(long nanos);

  /** A checkpoint has ended. */
  void checkpointed(boolean complete, long nanos);
}
