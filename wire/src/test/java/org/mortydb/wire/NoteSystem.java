package org.mortydb.wire;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.coordinator.AttemptSpec;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.machine.CoordinatorMachine;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.system.MalformedMessageException;
import org.mortydb.protocol.system.MessageCodec;
import org.mortydb.protocol.system.TransactionSystem;

/** A system with one message of its own. */
record NoteSystem(String name, int number) implements TransactionSystem, MessageCodec {
  static final int NUMBER = 300;
  static final int NOTE = 1;

  /** A text that the codec refuses. */
  static final String MALFORMED = "malformed";

  /** A text at which the codec throws an unexpected exception. */
  static final String BROKEN = "broken";

  record Note(String text) implements Message.OfSystem {
    @Override
    public TxnId txn() {
      return TxnId.INITIAL;
    }
  }

  @Override
  public CoordinatorMachine coordinator(
      AttemptSpec attempt, Topology topology, CoordinatorOptions options) {
    throw new UnsupportedOperationException();
  }

  @Override
  public StateMachine<Effects> replica(ReplicaId self, Topology topology, ReplicaOptions options) {
    throw new UnsupportedOperationException();
  }

  @Override
  public @Nullable MessageCodec codec() {
    return this;
  }

  @Override
  public int kind(Message.OfSystem message) {
    return NOTE;
  }

  @Override
  public byte[] encode(Message.OfSystem message) {
    return ((Note) message).text().getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public Message.OfSystem decode(int kind, byte[] content) throws MalformedMessageException {
    String text = new String(content, StandardCharsets.UTF_8);
    if (kind != NOTE || text.equals(MALFORMED)) {
      throw new MalformedMessageException("no note");
    }
    if (text.equals(BROKEN)) {
      throw new IndexOutOfBoundsException(1);
    }
    return new Note(text);
  }
}
