package org.mortydb.protocol.cut;

import java.util.List;
import java.util.TreeMap;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.CutReply;
import org.mortydb.protocol.message.Message.ReadCut;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.message.Message.ToCutReader;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.VersionedValue;

/**
 * Reads everything in a range that is committed at or below a cut of the serial order
 * (docs/protocol.md, section 11): one consistent state of the whole store, which serves meanwhile.
 *
 * <p>The reader asks all replicas to hold the cut, so that any replica can be read later. It reads
 * each partition from one replica, in parts that the host takes one after the other. If this
 * replica does not answer or has lost the cut, the reader goes on at the same key with the next
 * one.
 *
 * <p>A pure machine: it has no clock and sends through its host. Not thread-safe: its owner calls
 * it from one thread, with a time that may jump.
 */
public final class CutReader {

  /** The host of a reader: it sends messages and takes what was read. */
  public interface Host {
    /** Sends a message to a replica; it may be lost. */
    void send(ReplicaId to, Message message);

    /**
     * Takes the next part of a partition's state. The reader goes on with it when {@link #more} is
     * called, at once or later.
     *
     * @param rows ascending, above those of earlier parts; deletions have absent values
     * @param last whether this is the last part of the partition
     */
    void rows(int partition, List<VersionedValue> rows, boolean last);

    /**
     * The cut cannot be read, because no replica of a partition holds it. Called once; then the
     * reader has ended. A later cut may succeed.
     */
    void lost(int partition);

    /**
     * The map at the cut is a later one than that of the reader. Called once; then the reader has
     * ended. Another reader with the later map may succeed.
     */
    void outdated();
  }

  /** The last answer of a replica about the cut. */
  private enum Source {
    UNKNOWN,
    HELD,
    READABLE,
    /** It holds too many other cuts at the moment. */
    BUSY,
    NOT_SERVING,
    GONE
  }

  private static final int PART_BYTES = 1 << 20;

  private final TxnId cut;
  private final KeyRange range;
  private final Topology topology;
  private final Host host;
  private final long patienceMicros;
  private final long holdAgainAfterMicros;
  private final TreeMap<Integer, Partition> partitions = new TreeMap<>();
  private boolean ended;

  /**
   * A reader that has not asked yet.
   *
   * @param cut with the id of the client that asks; above the watermarks of all partitions
   * @param range the keys to read
   * @param topology the map at the cut, as far as is known; the closest replicas are read from
   *     first
   * @param patienceMicros how long a replica may take to answer, positive
   * @param holdMicros how long a replica holds the cut after a question; the reader asks again at
   *     least four times as often, so that a few late or lost questions do not lose the cut
   */
  public CutReader(
      TxnId cut,
      KeyRange range,
      Topology topology,
      long patienceMicros,
      long holdMicros,
      Host host) {
    this.cut = cut;
    this.range = range;
    this.topology = topology;
    this.patienceMicros = patienceMicros;
    this.holdAgainAfterMicros = Math.min(patienceMicros, holdMicros / 4);
    this.host = host;
    for (int rank = 0; rank < topology.partitions(); rank++) {
      int partition = topology.partition(rank);
      partitions.put(partition, new Partition(partition));
    }
  }

  /** Asks, asks again, and turns to other replicas. To be called at once, and then regularly. */
  public void onTick(long nowMicros) {
    for (Partition partition : partitions.values()) {
      if (!ended && !partition.done) {
        partition.onTick(nowMicros);
      }
    }
  }

  /** Handles a message. The reader ignores those that answer none of its requests. */
  public void onMessage(long nowMicros, Endpoint from, Message message) {
    if (ended
        || !(message instanceof ToCutReader answer)
        || !(from instanceof ReplicaId(int partition, int index))
        || !message.txn().equals(cut)
        || index < 0
        || index >= topology.replicas()) {
      return;
    }
    Partition told = partitions.get(partition);
    if (told == null || told.done) {
      return;
    }
    switch (answer) {
      case CutReply reply -> told.onReply(nowMicros, index, reply);
      case Refused refused -> told.onSource(nowMicros, index, Source.NOT_SERVING);
    }
  }

  /** The host has taken the last part of a partition, and wants the next one. */
  public void more(long nowMicros, int partition) {
    Partition wanted = partitions.get(partition);
    if (!ended && wanted != null && !wanted.done && wanted.full) {
      wanted.full = false;
      wanted.read(nowMicros);
    }
  }

  /** Whether everything has been read. */
  public boolean isDone() {
    return partitions.values().stream().allMatch(partition -> partition.done);
  }

  /** How many partitions wait for the watermark to reach the cut. */
  public int waiting() {
    return (int) partitions.values().stream().filter(one -> !one.done && one.reading < 0).count();
  }

  /** The partitions without a replica that is known to hold the cut. */
  public List<Integer> unheard() {
    return partitions.values().stream()
        .filter(one -> !one.done && !one.has(Source.HELD) && !one.has(Source.READABLE))
        .map(one -> one.number)
        .toList();
  }

  /**
   * How far the lowest watermark that is known is below the cut, in microseconds; 0 if all known
   * watermarks have reached the cut.
   */
  public long lagMicros() {
    long lag = 0;
    for (Partition partition : partitions.values()) {
      if (!partition.done && partition.reading < 0 && partition.watermarkMicros > 0) {
        lag = Math.max(lag, cut.timeMicros() - partition.watermarkMicros);
      }
    }
    return lag;
  }

  private final class Partition {
    final int number;
    final Source[] sources;

    /** The key at which reading goes on. */
    Key from;

    /** The replica that the partition is read from; -1 while there is none. */
    int reading = -1;

    /** Whether the host has a part that it has not taken yet. */
    boolean full;

    boolean done;
    long watermarkMicros;
    private boolean asked;
    private long holdAgainMicros;
    private long answerDueMicros;

    Partition(int number) {
      this.number = number;
      this.from = range.from();
      this.sources = new Source[topology.replicas()];
      java.util.Arrays.fill(sources, Source.UNKNOWN);
    }

    boolean has(Source source) {
      for (Source one : sources) {
        if (one == source) {
          return true;
        }
      }
      return false;
    }

    void onTick(long nowMicros) {
      if (!asked || nowMicros >= holdAgainMicros || isFar(holdAgainMicros, nowMicros)) {
        asked = true;
        holdAgainMicros = nowMicros + holdAgainAfterMicros;
        for (int index = 0; index < sources.length; index++) {
          if (sources[index] != Source.GONE) {
            ask(index, 0);
          }
        }
      }
      boolean due = nowMicros >= answerDueMicros || isFar(answerDueMicros, nowMicros);
      if (reading >= 0 && !full && due) {
        sources[reading] = sources[reading] == Source.GONE ? Source.GONE : Source.UNKNOWN;
        reading = -1;
        choose(nowMicros);
      }
    }

    /** Whether the clock was set back. */
    private boolean isFar(long dueMicros, long nowMicros) {
      return dueMicros - nowMicros > patienceMicros;
    }

    private void ask(int index, int limit) {
      host.send(
          new ReplicaId(number, index), new ReadCut(cut, new KeyRange(from, range.to()), limit));
    }

    void onReply(long nowMicros, int index, CutReply reply) {
      watermarkMicros = Math.max(watermarkMicros, reply.watermark().timeMicros());
      switch (reply.state()) {
        case HELD -> onSource(nowMicros, index, Source.HELD);
        case BUSY -> onSource(nowMicros, index, Source.BUSY);
        case GONE -> onSource(nowMicros, index, Source.GONE);
        case READ -> {
          // The replica knows all changes of its own partition up to the cut. A lower number than
          // the reader's means that its keys have not moved since.
          if (reply.map() > topology.map().number()) {
            ended = true;
            host.outdated();
            return;
          }
          boolean awaited = reading == index && !full && reply.from().equals(from);
          onSource(nowMicros, index, Source.READABLE);
          if (awaited
              && !from.equals(reply.next())) { // a reply to a question without rows has none
            take(reply);
          }
        }
      }
    }

    private void take(CutReply reply) {
      Key next = reply.next();
      full = true;
      done = next == null;
      if (next != null) {
        from = next;
      }
      host.rows(number, reply.rows(), done);
    }

    void onSource(long nowMicros, int index, Source source) {
      if (sources[index] == Source.GONE) {
        return; // a late answer of an earlier incarnation
      }
      sources[index] = source;
      if (reading == index && source != Source.READABLE) {
        reading = -1;
      }
      if (reading < 0) {
        choose(nowMicros);
      }
      if (isLost()) {
        ended = true;
        host.lost(number);
      }
    }

    private boolean isLost() {
      for (Source source : sources) {
        if (source != Source.GONE) {
          return false;
        }
      }
      return true;
    }

    private void choose(long nowMicros) {
      for (int i = 0; i < sources.length && reading < 0; i++) {
        int index = (topology.closest(number) + i) % sources.length;
        if (sources[index] == Source.READABLE) {
          reading = index;
        }
      }
      if (reading >= 0 && !full) {
        read(nowMicros);
      }
    }

    void read(long nowMicros) {
      if (reading >= 0) {
        answerDueMicros = nowMicros + patienceMicros;
        ask(reading, PART_BYTES);
      }
    }
  }
}
