package org.mortydb.protocol.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.message.ClientMessage.Access;
import org.mortydb.protocol.message.Message.PastLevel;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.MapRecord;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Write;

/** What a client must be allowed to do, for each message that it may send. */
class ClientMessageTest {
  private static final TxnId TXN = new TxnId(5, 6, 0);
  private static final ExecutionId EXECUTION = new ExecutionId(TXN, 1);
  private static final Write WRITE = new Write(Key.of("a"), 0, Value.of("1"));

  @Test
  void writesNeedTheRightToWrite() {
    assertAccess(
        Access.WRITE,
        new Message.Put(TXN, 0, WRITE),
        new Message.Retract(TXN, 0, List.of(Key.of("a"))),
        new Message.Prepare(EXECUTION, List.of(), List.of(WRITE), List.of(0)),
        new Message.Prepare(EXECUTION, List.of(), List.of(), List.of(0)),
        new Message.Finalize(TXN, View.CLIENT, Outcome.commit(0, List.of(0))));
  }

  @Test
  void backupsNeedTheRightToAdministrate() {
    assertAccess(
        Access.ADMIN,
        new Message.ReadCut(TXN, KeyRange.ALL, 0),
        new Message.Seal(TXN, ClusterMap.first(1, 1)),
        new Message.CheckPartition(TXN, ClusterMap.first(1, 1)));
  }

  @Test
  void onlyAdministratorsWriteTheRecordsOfMaps() {
    Write write = new Write(MapRecord.key(3), 1, Value.of("x"));
    assertAccess(
        Access.ADMIN,
        new Message.Put(TXN, 0, write),
        new Message.Prepare(EXECUTION, List.of(), List.of(write), List.of(0)));
  }

  @Test
  void allOtherMessagesNeedTheRightToRead() {
    assertAccess(
        Access.READ,
        new Message.Get(TXN, 0, Key.of("a")),
        new Message.Scan(TXN, 0, KeyRange.ALL, 1),
        new Message.Register(EXECUTION, List.of(), List.of()),
        new Message.Drop(EXECUTION),
        new Message.Finalize(TXN, View.CLIENT, Outcome.ABORT),
        new Message.Decide(TXN, Outcome.ABORT),
        new Message.Inquire(TXN),
        new Message.InquireReply(TXN),
        new Message.AskMaps(TXN, 0, 0),
        new Message.ReadPast(TXN, 0, PastLevel.LOCAL, TxnId.INITIAL, List.of()),
        new Message.ScanPast(TXN, 0, PastLevel.LOCAL, TxnId.INITIAL, KeyRange.ALL, 1));
  }

  /** A message that is added must be added above as well. */
  @Test
  void clientsMaySendNoOtherMessages() {
    assertThat(Message.FromClient.class.getPermittedSubclasses()).hasSize(17);
    assertThat(Stream.of(Message.BetweenReplicas.class.getPermittedSubclasses()))
        .noneMatch(ClientMessage.class::isAssignableFrom);
  }

  private static void assertAccess(Access access, Message.FromClient... messages) {
    assertThat(messages).extracting(Message.FromClient::access).containsOnly(access);
  }
}
