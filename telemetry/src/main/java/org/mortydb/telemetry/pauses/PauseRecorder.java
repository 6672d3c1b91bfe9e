package org.mortydb.telemetry.pauses;

import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Keeps the figures of a process's pauses. Safe for use by several threads. */
public final class PauseRecorder implements PausesMXBean {
  /** The time of the figures named "latest". */
  public static final long LATEST_MICROS = 60_000_000;

  private static final int MOST_KEPT = 8_192;
  private static final long LEAST_KEPT_MICROS = 1_000;

  private static final class Figures {
    private long count;
    private long totalMicros;
    private long longestMicros;
  }

  private final List<Consumer<Pause>> listeners = new CopyOnWriteArrayList<>();
  private final Map<Pause.Kind, Figures> figures = new EnumMap<>(Pause.Kind.class);
  private final ArrayDeque<Pause> kept = new ArrayDeque<>();

  /** A recorder without pauses. */
  public PauseRecorder() {
    for (Pause.Kind kind : Pause.Kind.values()) {
      figures.put(kind, new Figures());
    }
  }

  /** Adds a listener, which hears of each further pause on the thread that measured it. */
  public void listen(Consumer<Pause> listener) {
    listeners.add(listener);
  }

  /** Adds a pause that has ended. */
  public void add(Pause pause) {
    synchronized (this) {
      Figures of = figures(pause.kind());
      of.count++;
      of.totalMicros += pause.micros();
      of.longestMicros = Math.max(of.longestMicros, pause.micros());
      if (pause.micros() >= LEAST_KEPT_MICROS) {
        if (kept.size() == MOST_KEPT) {
          kept.removeFirst();
        }
        kept.addLast(pause);
      }
    }
    listeners.forEach(listener -> listener.accept(pause));
  }

  private Figures figures(Pause.Kind kind) {
    Figures of = figures.get(kind);
    if (of == null) {
      throw new IllegalStateException("no figures of " + kind);
    }
    return of;
  }

  @Override
  public synchronized List<Pause> getLatest() {
    return List.copyOf(kept);
  }

  /**
   * Returns the figures of one kind.
   *
   * @param nowMicros the time, in microseconds since 1970
   * @param harmfulMicros pauses that are longer count as harmful
   * @param countedFromMicros harmful pauses that began earlier are not counted as such
   */
  public synchronized PauseSummary summary(
      Pause.Kind kind, long nowMicros, long harmfulMicros, long countedFromMicros) {
    long longest = 0;
    int harmful = 0;
    long harmfulTotal = 0;
    for (Pause pause : kept) {
      if (pause.kind() == kind && nowMicros - pause.endMicros() < LATEST_MICROS) {
        longest = Math.max(longest, pause.micros());
        if (pause.micros() > harmfulMicros && pause.startMicros() >= countedFromMicros) {
          harmful++;
          harmfulTotal += pause.micros();
        }
      }
    }
    Figures of = figures(kind);
    return new PauseSummary(
        of.count, of.totalMicros, of.longestMicros, longest, harmful, harmfulTotal);
  }
}
