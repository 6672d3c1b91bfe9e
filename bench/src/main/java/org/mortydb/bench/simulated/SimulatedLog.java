package org.mortydb.bench.simulated;

import java.util.List;
import org.mortydb.sim.kernel.SimEvent;

/**
 * The log of a server, with its writing thread and its disk. As in {@link org.mortydb.storage.Log},
 * records that are appended during a write or a force are written together with the next write. A
 * force occupies the disk, but no core. Positions count records.
 */
final class SimulatedLog {
  private final VirtualClock clock;
  private final Loop writer;
  private final List<Loop> loops;
  private final boolean sync;
  private final long forceIntervalNanos;
  private final Released released;
  private final ForcedDisk disk = new ForcedDisk();
  private StorageCosts costs;
  private long appended;
  private long written;
  private long forced;
  private boolean awaitsWritten;

  /** Whether the writing thread or the disk works. */
  private boolean busy;

  private long nextForceNanos;

  /** Learns that the log has got further. */
  interface Released {
    /** Called within a turn of each event loop of the server. */
    void release(Loop at);
  }

  /**
   * @param writer the loop of the writing thread, whose turns have no costs of their own
   * @param loops the event loops of the server
   * @param sync whether records are kept once they are forced; otherwise once they are written
   * @param forceIntervalNanos without {@code sync}: how long a record may wait for a force
   */
  SimulatedLog(
      VirtualClock clock,
      Loop writer,
      List<Loop> loops,
      boolean sync,
      long forceIntervalNanos,
      StorageCosts costs,
      Released released) {
    this.clock = clock;
    this.writer = writer;
    this.loops = List.copyOf(loops);
    this.sync = sync;
    this.forceIntervalNanos = forceIntervalNanos;
    this.costs = costs;
    this.released = released;
  }

  void costs(StorageCosts other) {
    costs = other;
  }

  /** The position before which the operating system has all records. */
  long writtenPosition() {
    return written;
  }

  /** The position before which all records are kept. */
  long keptPosition() {
    return sync ? forced : written;
  }

  /**
   * Appends a record within a turn. It is written after the turn.
   *
   * @param flush the output of the loop's turns to this log
   * @return the position after it
   */
  long append(Flush flush) {
    flush.loop.charge(Math.round(costs.record()));
    flush.open();
    return ++appended;
  }

  /** The records of a loop's turn. */
  final class Flush implements Loop.Outlet {
    private final Loop loop;
    private boolean opened;

    Flush(Loop loop) {
      this.loop = loop;
    }

    private void open() {
      if (!opened) {
        opened = true;
        loop.opened(this);
      }
    }

    @Override
    public void close() {
      opened = false;
      if (!busy) {
        loop.charge(Math.round(costs.flush()));
      }
    }

    @Override
    public void leave(long nanos) {
      if (!busy) {
        busy = true;
        writer.post(SimulatedLog.this::write);
      }
    }
  }

  /** A replica is about to wait until its records are written. */
  void awaitWritten() {
    awaitsWritten = true;
  }

  // ---- the writing thread -------------------------------------------------------------------

  private void write() {
    long end = appended;
    writer.charge(Math.round(costs.write()));
    boolean wakes = !sync || awaitsWritten;
    awaitsWritten = false;
    writer.opened(
        new WriterTurn(wakes) {
          @Override
          void made() {
            if (forced == written) {
              nextForceNanos = clock.nanos() + forceIntervalNanos;
            }
            written = end;
          }
        });
  }

  private void endForce() {
    long end = disk.position;
    writer.charge(Math.round(costs.force()));
    writer.opened(
        new WriterTurn(sync) {
          @Override
          void made() {
            forced = end;
          }
        });
  }

  /** Forces what is written, or writes what was appended meanwhile, or waits. */
  private void goOn() {
    boolean due = forced < written && (sync || nextForceNanos <= clock.nanos());
    if (due) {
      disk.force();
    } else if (written < appended) {
      writer.post(this::write);
    } else {
      busy = false;
      if (forced < written) {
        disk.forceAt(nextForceNanos);
      }
    }
  }

  /** What a turn of the writing thread leads to. It may wake all event loops. */
  private abstract class WriterTurn implements Loop.Outlet {
    private final boolean wakes;

    WriterTurn(boolean wakes) {
      this.wakes = wakes;
    }

    abstract void made();

    @Override
    public void close() {
      for (int i = 0; wakes && i < loops.size(); i++) {
        if (loops.get(i).isAsleep()) {
          writer.charge(writer.costs().handover);
        }
      }
    }

    @Override
    public void leave(long nanos) {
      made();
      for (int i = 0; wakes && i < loops.size(); i++) {
        Loop loop = loops.get(i);
        loop.post(() -> released.release(loop));
      }
      goOn();
    }
  }

  /** The disk: it is idle, waits until a force is due, or forces. */
  private final class ForcedDisk extends SimEvent {
    private boolean waits;

    /** Up to where the current or last force goes. */
    private long position;

    void force() {
      waits = false;
      position = written;
      clock.scheduleAt(clock.nanos() + Math.round(costs.device()), this);
    }

    void forceAt(long nanos) {
      waits = true;
      clock.scheduleAt(nanos, this);
    }

    @Override
    protected void run() {
      if (!waits) {
        writer.post(SimulatedLog.this::endForce);
      } else if (!busy) {
        busy = true;
        force();
      } else {
        waits = false; // the writing thread looks itself
      }
    }
  }
}
