package org.mortydb.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.wire.parts.GeneratedParts;
import org.mortydb.wire.stored.StoredAcceptance;
import org.mortydb.wire.stored.StoredDecision;
import org.mortydb.wire.stored.StoredDrop;
import org.mortydb.wire.stored.StoredErasure;
import org.mortydb.wire.stored.StoredExecution;
import org.mortydb.wire.stored.StoredFence;
import org.mortydb.wire.stored.StoredFloor;
import org.mortydb.wire.stored.StoredHistory;
import org.mortydb.wire.stored.StoredPromise;
import org.mortydb.wire.stored.StoredRegistering;
import org.mortydb.wire.stored.StoredTruncation;
import org.mortydb.wire.stored.StoredVersion;

class StoredRecordTest {
  private final StoredRecordEncoder encoder = new StoredRecordEncoder();

  @Test
  void everyRecordIsStoredAsProtobufMakesItOfTheSchema() throws Exception {
    RandomMessages random = new RandomMessages(new SplittableRandom(1));
    for (int round = 0; round < 300; round++) {
      for (LogRecord logged : random.oneOfEachRecord()) {
        ReplicaId replica = random.replica();
        byte[] bytes = encoded(replica, logged);
        var expected = generated(replica, logged);
        assertThat(bytes).isEqualTo(expected.toByteArray());
        assertThat(org.mortydb.wire.stored.StoredRecord.parseFrom(bytes)).isEqualTo(expected);
        assertThat(StoredRecordDecoder.decode(ByteBuffer.wrap(bytes).asReadOnlyBuffer()))
            .isEqualTo(new StoredRecord(replica, logged));
        assertThat(StoredRecordDecoder.replica(ByteBuffer.wrap(bytes))).isEqualTo(replica);
      }
    }
  }

  @Test
  void coversEveryRecordType() {
    assertThat(
            new RandomMessages(new SplittableRandom(1))
                .oneOfEachRecord().stream().<Class<?>>map(LogRecord::getClass).toList())
        .containsExactlyInAnyOrder(LogRecord.class.getPermittedSubclasses());
  }

  /** Nothing is encrypted on disk: docs/reference/security.md says so. */
  @Test
  void valuesAreStoredAsTheyAre() {
    Write write = new Write(Key.of("name"), 1, Value.of("in plain text"));
    LogRecord logged =
        new LogRecord.Prepared(
            new ExecutionId(new TxnId(5, 6, 0), 1),
            List.of(),
            List.of(),
            List.of(write),
            List.of(0),
            false);
    byte[] bytes = encoded(new ReplicaId(0, 0), logged);
    assertThat(new String(bytes, StandardCharsets.ISO_8859_1)).contains("name", "in plain text");
  }

  @Test
  void longRecordsPass() throws Exception {
    Value value = Value.wrap(new byte[1024 * 1024]);
    TxnId txn = new TxnId(5, 6, 0);
    LogRecord logged =
        new LogRecord.Prepared(
            new ExecutionId(txn, 1),
            List.of(),
            List.of(new Write(Key.of("a"), 1, value), new Write(Key.of("b"), 2, value)),
            List.of(0),
            true);
    byte[] bytes = encoded(new ReplicaId(0, 0), logged);
    assertThat(StoredRecordDecoder.decode(ByteBuffer.wrap(bytes)).logged()).isEqualTo(logged);
  }

  /** The bytes are those of versions without scans. */
  @Test
  void anExecutionThatScannedNothingIsStoredAsEver() throws Exception {
    ExecutionId id = new ExecutionId(new TxnId(5, 6, 1), 2);
    List<Read> reads = List.of(new Read(Key.of("a"), new WriteId(new TxnId(3, 4, 0), 1)));
    List<Write> writes = List.of(new Write(Key.of("b"), 3, Value.of("v")));
    List<Integer> participants = List.of(0, 1);
    String execution =
        "430a14090500000000000000110600000000000000180110021a1b0a016112160a120903000000000000001104"
            + "00000000000000100122080a016210031a01762a020001";
    assertStored(
        "0a04080110027a" + execution,
        new LogRecord.Prepared(id, reads, writes, participants, true));
    assertStored(
        "0a04080110023a" + execution, new LogRecord.Executed(id, reads, writes, participants));
  }

  private void assertStored(String hex, LogRecord logged) throws IOException {
    ReplicaId replica = new ReplicaId(1, 2);
    byte[] bytes = HexFormat.of().parseHex(hex);
    assertThat(encoded(replica, logged)).isEqualTo(bytes);
    assertThat(StoredRecordDecoder.decode(ByteBuffer.wrap(bytes)))
        .isEqualTo(new StoredRecord(replica, logged));
  }

  @Test
  void whatIsMissingOrTooMuchIsNamed() {
    ReplicaId replica = new ReplicaId(1, 2);
    TxnId txn = new TxnId(5, 6, 0);
    byte[] one = encoded(replica, new LogRecord.Fenced(txn));
    byte[] other = encoded(replica, new LogRecord.Floor(Key.of("a"), txn));
    byte[] replicaOnly = Arrays.copyOf(one, 6);
    assertMalformed(new byte[0], "StoredRecord.replica is missing");
    assertMalformed(replicaOnly, "StoredRecord.record is missing");
    assertMalformed(
        concat(one, Arrays.copyOfRange(other, 6, other.length)), "more than one record");
    assertMalformed(concat(one, new byte[] {(byte) 0xb2, 1, 0}), "unexpected field 22");
    assertMalformed(concat(replicaOnly, new byte[] {6 << 3 | 2, 0}), "StoredDecision.txn");
  }

  /** Damage that the checksum missed causes a MalformedFrameException and no other exception. */
  @Test
  void noBytesAreMoreThanMalformed() {
    SplittableRandom random = new SplittableRandom(7);
    RandomMessages records = new RandomMessages(random);
    int refused = 0;
    int rounds = 2000;
    for (int round = 0; round < rounds; round++) {
      for (LogRecord logged : records.oneOfEachRecord()) {
        byte[] bytes = encoded(records.replica(), logged);
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        if (random.nextBoolean()) {
          bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
        }
        try {
          assertThat(StoredRecordDecoder.decode(ByteBuffer.wrap(bytes))).isNotNull();
        } catch (IOException e) {
          refused++;
        }
      }
    }
    assertThat(refused).isGreaterThan(rounds);
  }

  private byte[] encoded(ReplicaId replica, LogRecord logged) {
    ByteBuffer buffer = encoder.encode(replica, logged);
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }

  private static byte[] concat(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  private static void assertMalformed(byte[] bytes, String what) {
    assertThatThrownBy(() -> StoredRecordDecoder.decode(ByteBuffer.wrap(bytes)))
        .isInstanceOf(MalformedFrameException.class)
        .hasMessageContaining(what);
  }

  // ---- what protobuf makes of it ------------------------------------------------------------

  private static org.mortydb.wire.stored.StoredRecord generated(
      ReplicaId replica, LogRecord logged) {
    var out =
        org.mortydb.wire.stored.StoredRecord.newBuilder().setReplica(Generated.replica(replica));
    switch (logged) {
      case LogRecord.Prepared r -> {
        var execution =
            execution(r.execution(), r.reads(), r.ranges(), r.writes(), r.participants());
        if (r.onCondition()) {
          out.setPreparedOnCondition(execution);
        } else {
          out.setPrepared(execution);
        }
      }
      case LogRecord.Dropped r ->
          out.setDropped(
              StoredDrop.newBuilder()
                  .setTxn(GeneratedParts.txn(r.txn()))
                  .setExecution(r.execution()));
      case LogRecord.Promised r ->
          out.setPromised(
              StoredPromise.newBuilder()
                  .setTxn(GeneratedParts.txn(r.txn()))
                  .setView(Generated.view(r.view())));
      case LogRecord.Accepted r ->
          out.setAccepted(
              StoredAcceptance.newBuilder()
                  .setTxn(GeneratedParts.txn(r.txn()))
                  .setView(Generated.view(r.view()))
                  .setValue(Generated.outcome(r.value())));
      case LogRecord.Decided r ->
          out.setDecided(
              StoredDecision.newBuilder()
                  .setTxn(GeneratedParts.txn(r.txn()))
                  .setOutcome(Generated.outcome(r.outcome())));
      case LogRecord.Settled r ->
          out.setSettled(
              StoredDecision.newBuilder()
                  .setTxn(GeneratedParts.txn(r.txn()))
                  .setOutcome(Generated.outcome(r.outcome())));
      case LogRecord.Serving r ->
          out.setServing(
              org.mortydb.wire.stored.StoredServing.newBuilder().setServing(r.serving()));
      case LogRecord.Locked r ->
          out.setLocked(
              org.mortydb.wire.stored.StoredLock.newBuilder()
                  .addAllIncarnations(r.incarnations())
                  .setFounded(r.founded()));
      case LogRecord.Executed r ->
          out.setExecuted(
              execution(r.execution(), r.reads(), r.ranges(), r.writes(), r.participants()));
      case LogRecord.HistoryFrom r -> {
        StoredHistory.Builder history = StoredHistory.newBuilder();
        if (!r.cut().equals(TxnId.INITIAL)) {
          history.setCut(GeneratedParts.txn(r.cut()));
        }
        out.setHistoryFrom(history);
      }
      case LogRecord.Erased r -> {
        StoredErasure.Builder erased = StoredErasure.newBuilder();
        if (!r.upTo().equals(TxnId.INITIAL)) {
          erased.setUpTo(GeneratedParts.txn(r.upTo()));
        }
        r.keys().forEach(key -> erased.addKeys(GeneratedParts.bytes(key)));
        out.setErased(erased);
      }
      case LogRecord.MapsKnown r ->
          out.getMapsKnownBuilder()
              .addAllMaps(r.maps().stream().map(Generated::map).toList())
              .setClosed(r.closed())
              .setDropped(r.dropped());
      case LogRecord.Sealed r ->
          out.getSealedBuilder().setMap(Generated.map(r.map())).setAcknowledged(r.acknowledged());
      case LogRecord.Hosted r -> out.getHostedBuilder().setMap(Generated.map(r.map()));
      case LogRecord.Registering r -> {
        StoredRegistering.Builder registering = StoredRegistering.newBuilder();
        if (!r.upTo().equals(TxnId.INITIAL)) {
          registering.setUpTo(GeneratedParts.txn(r.upTo()));
        }
        out.setRegistering(registering.setWritten(r.written()));
      }
      case LogRecord.Fenced r -> {
        StoredFence.Builder fence = StoredFence.newBuilder();
        if (!r.fence().equals(TxnId.INITIAL)) {
          fence.setFence(GeneratedParts.txn(r.fence()));
        }
        out.setFenced(fence);
      }
      case LogRecord.Truncated r -> {
        StoredTruncation.Builder truncation = StoredTruncation.newBuilder();
        if (!r.watermark().equals(TxnId.INITIAL)) {
          truncation.setWatermark(GeneratedParts.txn(r.watermark()));
        }
        if (!r.forgotten().equals(TxnId.INITIAL)) {
          truncation.setForgotten(GeneratedParts.txn(r.forgotten()));
        }
        out.setTruncated(truncation);
      }
      case LogRecord.Version r -> out.setVersion(version(r.key(), r.version(), r.value()));
      case LogRecord.Floor r -> {
        StoredFloor.Builder floor = StoredFloor.newBuilder().setKey(GeneratedParts.bytes(r.key()));
        if (!r.floor().equals(TxnId.INITIAL)) {
          floor.setFloor(GeneratedParts.txn(r.floor()));
        }
        out.setFloor(floor);
      }
    }
    return out.build();
  }

  private static StoredVersion.Builder version(Key key, WriteId version, Value value) {
    StoredVersion.Builder out =
        StoredVersion.newBuilder()
            .setKey(GeneratedParts.bytes(key))
            .setVersion(GeneratedParts.version(version))
            .setForm(Generated.form(value));
    return value.isAbsent() ? out : out.setValue(GeneratedParts.bytes(value));
  }

  private static StoredExecution.Builder execution(
      ExecutionId id,
      List<Read> reads,
      List<KeyRange> ranges,
      List<Write> writes,
      List<Integer> participants) {
    StoredExecution.Builder out =
        StoredExecution.newBuilder()
            .setTxn(GeneratedParts.txn(id.txn()))
            .setExecution(id.number())
            .addAllParticipants(participants);
    reads.forEach(read -> out.addReads(GeneratedParts.read(read)));
    writes.forEach(write -> out.addWrites(GeneratedParts.write(write)));
    ranges.forEach(range -> out.addRanges(Generated.range(range)));
    return out;
  }
}
