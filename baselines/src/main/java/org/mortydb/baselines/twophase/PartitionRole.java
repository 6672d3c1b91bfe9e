package org.mortydb.baselines.twophase;

import java.util.List;
import org.mortydb.baselines.message.LeaderMessage.VersionReply;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;

/** The permanent role of a replica in its partition. */
sealed interface PartitionRole permits Leader, Follower {

  void onMessage(long nowMicros, Endpoint from, Message message, Effects out);

  void onTimer(long nowMicros, Timer timer, Effects out);

  /** The versions that this replica knows to be committed. */
  Versions versions();

  /** The number of transactions without an outcome here. */
  int openTransactions();

  /** The transactions that delay others until they are decided, ascending. */
  List<TxnId> undecided();

  /**
   * Checks the whole state.
   *
   * @throws IllegalStateException when an invariant is broken
   */
  void checkInvariants();

  /** Answers a read with a committed version. */
  static void answer(
      Endpoint to, TxnId txn, int request, Key key, Versions.Version version, Effects out) {
    out.send(to, new VersionReply(txn, request, version.id(), version.value()));
    if (out.probing()) {
      out.probe(new Probe.ReadServed(txn, key, version.id(), true));
    }
  }

  static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalStateException("broken invariant: " + otherwise);
    }
  }
}
