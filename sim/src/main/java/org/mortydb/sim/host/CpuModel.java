package org.mortydb.sim.host;

import org.mortydb.protocol.message.Message;

/**
 * How long a core is busy with what happens to a machine, sending what follows from it included. In
 * nanoseconds, 0 or more.
 */
public interface CpuModel {

  /** Everything is free: hosts are infinitely fast. */
  CpuModel FREE = constant(0);

  /** Where work is done. */
  enum Place {
    /** By a replica. */
    REPLICA,
    /** By a client. */
    CLIENT
  }

  /** The service time of a message that arrived. */
  long messageNanos(Place place, Message message);

  /** The service time of a timer that ran out. */
  long timerNanos(Place place);

  /** The service time of the begin of a transaction at its client. */
  long beginNanos();

  /** Everything takes the same time. */
  static CpuModel constant(long nanos) {
    return new CpuModel() {
      @Override
      public long messageNanos(Place place, Message message) {
        return nanos;
      }

      @Override
      public long timerNanos(Place place) {
        return nanos;
      }

      @Override
      public long beginNanos() {
        return nanos;
      }
    };
  }
}
