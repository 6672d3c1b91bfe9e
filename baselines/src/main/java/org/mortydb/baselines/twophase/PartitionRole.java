package org.mortydb.baselines.twophase;

import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;

/** What a replica is to its partition, for ever. */
sealed interface PartitionRole permits Leader, Follower {

  void onMessage(long nowMicros, Endpoint from, Message message, Effects out);

  void onTimer(long nowMicros, Timer timer, Effects out);

  /** What is committed, as far as this replica knows. */
  Versions versions();

  /** How many transactions have no outcome here. */
  int openTransactions();
}
