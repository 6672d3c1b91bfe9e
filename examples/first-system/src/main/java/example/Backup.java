package example;

import example.PrimaryCopyMessage.Append;
import example.PrimaryCopyMessage.Appended;
import java.util.List;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.system.Inspectable;

/** A replica that holds the log of its partition's primary: the first log that it hears of. */
final class Backup implements StateMachine<Effects>, Inspectable {
  private final ReplicaId primary;
  private final Store store = new Store();

  /** The log, 0 before the first message. */
  private long startMicros;

  /** The index of the last entry. */
  private long last;

  Backup(ReplicaId primary) {
    this.primary = primary;
  }

  @Override
  public void step(long nowMicros, Event event, Effects out) {
    if (event instanceof Event.Received(Endpoint from, Append append) && from.equals(primary)) {
      if (startMicros == 0) {
        startMicros = append.startMicros();
      }
      // After a gap, the primary sends the missing entries again.
      if (startMicros == append.startMicros() && append.index() == last + 1) {
        last++;
        store.apply(append.entry());
      }
      out.send(primary, new Appended(startMicros, last));
    }
  }

  @Override
  public List<TxnId> undecided() {
    return store.prepared();
  }

  @Override
  public VersionedValue newestCommitted(Key key) {
    return store.find(key);
  }
}
