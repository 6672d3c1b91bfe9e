package org.mortydb.bench.jmh;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.CoordinatorEffects;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Row;
import org.mortydb.protocol.model.Value;

/** Effects without cost: keeps the last effect of each kind, and counts messages. */
final class CountingEffects implements CoordinatorEffects {
  long messages;
  @Nullable Message lastMessage;
  @Nullable Completion completion;
  @Nullable List<Value> resumedWith;

  @Override
  public void send(Endpoint to, Message message) {
    messages++;
    lastMessage = message;
  }

  @Override
  public void broadcast(int partition, Message message) {
    messages++;
    lastMessage = message;
  }

  @Override
  public void armTimer(Timer timer, long delayMicros) {}

  @Override
  public void cancelTimer(Timer timer) {}

  @Override
  public void resume(int execution, int operation, List<Value> values) {
    resumedWith = values;
  }

  @Override
  public void resumeScan(int execution, int operation, List<Row> rows) {
    resumedWith = rows.stream().map(Row::value).toList();
  }

  @Override
  public void awaitBatchEnd() {}

  @Override
  public void complete(Completion done) {
    completion = done;
  }

  @Override
  public void retire() {}
}
