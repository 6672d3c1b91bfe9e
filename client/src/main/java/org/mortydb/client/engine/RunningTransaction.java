package org.mortydb.client.engine;

import org.jspecify.annotations.Nullable;
import org.mortydb.client.TransactionOptions;

/** A transaction from the call to its result, over all attempts. */
final class RunningTransaction<R extends @Nullable Object> extends EngineTimer {
  final ClientEngine engine;
  final Driver<R> driver;
  final TransactionOptions options;
  final long callMicros;

  int attempts;

  /** Of the attempts before the current one. */
  int reexecutions;

  RunningTransaction(
      ClientEngine engine, Driver<R> driver, TransactionOptions options, long callMicros) {
    this.engine = engine;
    this.driver = driver;
    this.options = options;
    this.callMicros = callMicros;
  }

  /** Microseconds since the call; a clock that jumped back counts as no time. */
  long elapsedMicros(long nowMicros) {
    return Math.max(0, nowMicros - callMicros);
  }

  long remainingMicros(long nowMicros) {
    return options.deadlineMicros() - elapsedMicros(nowMicros);
  }

  /** The wait before the next attempt is over. */
  @Override
  void fire() {
    engine.retry(this);
  }
}
