package example;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/** Answers every message of a client that expects an answer, with the least work. */
final class FloorReplica implements StateMachine<Effects> {
  private static final PrepareAnswer COMMIT = new PrepareAnswer.Voted(Vote.COMMIT);

  /** An installed version. A client refuses a version above its own id, so older ones are kept. */
  private record Version(WriteId id, Value value) {}

  private static final Version INITIAL = new Version(WriteId.INITIAL, Value.ABSENT);

  /** The versions that a key keeps. A reader that is older than all of them gets none. */
  private static final int KEPT = 8;

  private final Map<Key, Version[]> versions = new HashMap<>();
  private final Map<TxnId, List<Write>> prepared = new HashMap<>();

  @Override
  public void step(long nowMicros, Event event, Effects out) {
    if (event instanceof Event.Received(Endpoint from, Message message)) {
      handle(from, message, out);
    }
  }

  private void handle(Endpoint from, Message message, Effects out) {
    switch (message) {
      case Message.Get m -> {
        Version read = below(m.txn(), m.key());
        out.send(from, new Message.GetReply(m.txn(), m.request(), 0, read.id, read.value, true));
      }
      case Message.Prepare m -> {
        if (!m.writes().isEmpty()) {
          prepared.put(m.txn(), m.writes());
        }
        out.send(from, new Message.PrepareReply(m.execution(), COMMIT));
      }
      case Message.Register m -> out.send(from, new Message.PrepareReply(m.execution(), COMMIT));
      case Message.Decide m -> {
        List<Write> writes = prepared.remove(m.txn());
        if (writes != null && m.outcome() instanceof Outcome.Commit) {
          writes.forEach(write -> install(m.txn(), write));
        }
      }
      default -> {
        // Puts, retractions, drops and what recovery sends need no answer here.
      }
    }
  }

  private Version below(TxnId reader, Key key) {
    Version[] all = versions.get(key);
    if (all == null) {
      return INITIAL;
    }
    for (Version version : all) {
      if (version != null && version.id.writer().isBefore(reader)) {
        return version;
      }
    }
    return INITIAL;
  }

  private void install(TxnId writer, Write write) {
    Version[] all = versions.computeIfAbsent(write.key(), key -> new Version[KEPT]);
    Version moved = new Version(new WriteId(writer, write.valueId()), write.value());
    for (int at = 0; at < KEPT && moved != null; at++) {
      if (all[at] == null || moved.id.isNewerThan(all[at].id)) {
        Version replaced = all[at];
        all[at] = moved;
        moved = replaced;
      }
    }
  }
}
