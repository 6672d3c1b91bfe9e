package org.mortydb.bench.simulated;

import java.util.ArrayList;
import java.util.List;
import org.mortydb.sim.kernel.SimEvent;

/**
 * The log of a server, with its writing thread and its disk. As in {@link org.mortydb.storage.Log},
 * records that are appended during a write or a force are written together with the next write. A
 * force occupies the disk, but no core.
 */
final class SimulatedLog {
  private final VirtualClock clock;
  private final Loop writer;
  private final boolean sync;
  private final long forceIntervalNanos;
  private final Released released;
  private final List<Part> parts = new ArrayList<>();
  private final ForcedDisk disk = new ForcedDisk();
  private StorageCosts costs;

  /** Whether the writing thread or the disk works. */
  private boolean busy;

  private long nextForceNanos;

  /** Learns that the log has got further. */
  interface Released {
    /** Called within a turn of an event loop of the server. */
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
    this.sync = sync;
    this.forceIntervalNanos = forceIntervalNanos;
    this.costs = costs;
    this.released = released;
    loops.forEach(loop -> parts.add(new Part(loop)));
  }

  void costs(StorageCosts other) {
    costs = other;
  }

  /** The part of an event loop. */
  Part of(Loop loop) {
    return parts.stream().filter(part -> part.loop == loop).findFirst().orElseThrow();
  }

  /**
   * The records of an event loop, and how far the log has got with them. Positions count records.
   * They leave the loop at the end of its turn, so the log does not know them before.
   */
  final class Part implements Loop.Outlet {
    private final Loop loop;
    private boolean open;
    private boolean awaitsWritten;
    private long appended;
    private long left;

    /** Up to where the current write goes. */
    private long writing;

    private long written;

    /** Up to where the current force goes. */
    private long forcing;

    private long forced;

    private Part(Loop loop) {
      this.loop = loop;
    }

    /** Appends a record within a turn, and returns the position after it. */
    long append() {
      loop.charge(Math.round(costs.record()));
      if (!open) {
        open = true;
        loop.opened(this);
      }
      return ++appended;
    }

    /** A replica is about to wait until its records are written. */
    void awaitWritten() {
      awaitsWritten = true;
    }

    /** The position before which the operating system has all records. */
    long writtenPosition() {
      return written;
    }

    /** The position before which all records are kept. */
    long keptPosition() {
      return sync ? forced : written;
    }

    @Override
    public void close() {
      open = false;
      if (!busy) {
        loop.charge(Math.round(costs.flush()));
      }
    }

    @Override
    public void leave(long nanos) {
      left = appended;
      if (!busy) {
        busy = true;
        writer.post(SimulatedLog.this::write);
      }
    }

    /** Whether the loop waits for the end of a write. */
    private boolean isToldOfWrites() {
      return !sync || awaitsWritten;
    }
  }

  // ---- the writing thread -------------------------------------------------------------------

  private void write() {
    parts.forEach(part -> part.writing = part.left);
    writer.charge(Math.round(costs.write()));
    writer.opened(
        new WriterTurn() {
          @Override
          boolean tells(Part part) {
            return part.isToldOfWrites();
          }

          @Override
          void made() {
            if (parts.stream().allMatch(part -> part.forced == part.written)) {
              nextForceNanos = clock.nanos() + forceIntervalNanos;
            }
            parts.forEach(part -> part.written = part.writing);
          }
        });
  }

  private void endForce() {
    writer.charge(Math.round(costs.force()));
    writer.opened(
        new WriterTurn() {
          @Override
          boolean tells(Part part) {
            return sync;
          }

          @Override
          void made() {
            parts.forEach(part -> part.forced = part.forcing);
          }
        });
  }

  /** Forces what is written, or writes what was appended meanwhile, or waits. */
  private void goOn() {
    boolean unforced = parts.stream().anyMatch(part -> part.forced < part.written);
    if (unforced && (sync || nextForceNanos <= clock.nanos())) {
      disk.force();
    } else if (parts.stream().anyMatch(part -> part.written < part.left)) {
      writer.post(this::write);
    } else {
      busy = false;
      if (unforced) {
        disk.forceAt(nextForceNanos);
      }
    }
  }

  /** What a turn of the writing thread leads to. It may wake event loops. */
  private abstract class WriterTurn implements Loop.Outlet {
    /** Whether the event loop of a part is told. */
    abstract boolean tells(Part part);

    abstract void made();

    @Override
    public void close() {
      for (Part part : parts) {
        if (tells(part) && part.loop.isAsleep()) {
          writer.charge(writer.costs().handover);
        }
      }
    }

    @Override
    public void leave(long nanos) {
      made();
      for (Part part : parts) {
        if (tells(part)) {
          part.awaitsWritten = false;
          part.loop.post(() -> released.release(part.loop));
        }
      }
      goOn();
    }
  }

  /** The disk: it is idle, waits until a force is due, or forces. */
  private final class ForcedDisk extends SimEvent {
    private boolean waits;

    void force() {
      waits = false;
      parts.forEach(part -> part.forcing = part.written);
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
