package org.mortydb.sim.host;

import org.mortydb.protocol.message.Message;

/**
 * Service times of the events of a machine, including the messages it sends in response. In
 * nanoseconds, 0 or more.
 */
public interface CpuModel {

  /** No service times: hosts are infinitely fast. */
  CpuModel FREE = constant(0);

  /** The side of the protocol. */
  enum Place {
    /** By a replica. */
    REPLICA,
    /** By a client. */
    CLIENT
  }

  /** The service time of a received message. */
  long messageNanos(Place place, Message message);

  /** The service time of an expired timer. */
  long timerNanos(Place place);

  /** The service time of the begin of a transaction at its client. */
  long beginNanos();

  /** A model with one service time for all. */
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
