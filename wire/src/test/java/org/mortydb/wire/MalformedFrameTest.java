package org.mortydb.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchException;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.wire.proto.Drop;
import org.mortydb.wire.proto.Envelope;
import org.mortydb.wire.proto.Frame;
import org.mortydb.wire.proto.Get;
import org.mortydb.wire.proto.Inquire;
import org.mortydb.wire.proto.Prepare;
import org.mortydb.wire.proto.TxnId;

class MalformedFrameTest {
  private static final TxnId TXN = TxnId.newBuilder().setTimeMicros(5).setClientId(6).build();

  private static final org.mortydb.protocol.model.TxnId ID =
      new org.mortydb.protocol.model.TxnId(5, 6, 0);

  @Test
  void aMessageOfUnknownTypeIsNamed() throws IOException {
    assertMalformed(
        frame(fields -> field(fields, 127, "whatever".getBytes(UTF_8))),
        "unexpected field 127 of wire type 2 in Envelope");
  }

  @Test
  void anUnknownFieldIsNamed() throws IOException {
    assertMalformed(
        frame(e -> field(e, 17, concat(txn(), bytes(out -> out.writeUInt32(2, 1))))),
        "unexpected field 2 of wire type 0 in Inquire");
  }

  @Test
  void aFieldOfAnotherWireTypeIsNamed() throws IOException {
    assertMalformed(
        frame(e -> field(e, 5, concat(txn(), bytes(out -> out.writeFixed64(2, 1))))),
        "unexpected field 2 of wire type 1 in Get");
  }

  @Test
  void aFieldGivenTwiceIsNamed() throws IOException {
    assertMalformed(frame(e -> field(e, 5, concat(txn(), txn()))), "field 1 of Get is given twice");
  }

  @Test
  void aSecondMessageInAnEnvelopeIsRefused() throws IOException {
    assertMalformed(
        frame(
            e -> {
              field(e, 17, txn());
              field(e, 18, txn());
            }),
        "Envelope has more than one message");
  }

  @Test
  void whatIsMissingIsNamed() throws IOException {
    assertMalformed(frame(e -> {}), "Envelope.message is missing");
    assertMalformed(frame(e -> field(e, 17, new byte[0])), "Inquire.txn is missing");
    assertMalformed(frame(e -> field(e, 14, txn())), "PrepareReply.answer is missing");
    assertMalformed(
        Frame.newBuilder().addEnvelopes(Envelope.newBuilder().setFromClient(1)).build(),
        "Envelope.to is missing");
    assertMalformed(
        frame(e -> field(e, 11, concat(txn(), new byte[] {2 << 3 | 2, 0}))),
        "Outcome.outcome is missing");
  }

  @Test
  void whatIsWrongWithAMessageOfScansIsNamed() throws IOException {
    byte[] range = nested(3, new byte[0]);
    assertMalformed(frame(e -> field(e, 34, concat(txn(), range))), "Scan.limit is 0");
    byte[] limit = bytes(out -> out.writeUInt32(4, 5));
    assertMalformed(frame(e -> field(e, 34, concat(txn(), limit))), "Scan.range is missing");
    assertMalformed(frame(e -> field(e, 34, concat(range, limit))), "Scan.txn is missing");
    byte[] open = nested(3, bytes(out -> out.writeUInt32(2, 1)));
    assertMalformed(
        frame(e -> field(e, 34, concat(txn(), open))),
        "unexpected field 2 of wire type 0 in KeyRange");
    assertMalformed(frame(e -> field(e, 36, txn())), "PushRow.row is missing");
    byte[] row = nested(4, nested(1, new byte[] {'a'}));
    assertMalformed(
        frame(e -> field(e, 36, concat(txn(), row))), "VersionedValue.version is missing");
    assertMalformed(
        frame(e -> field(e, 35, concat(txn(), concat(limit, limit)))),
        "unexpected field 4 of wire type 0 in ScanReply");
    byte[] next = nested(4, new byte[] {'b'});
    assertMalformed(
        frame(e -> field(e, 35, concat(txn(), concat(next, next)))),
        "field 4 of ScanReply is given twice");
  }

  @Test
  void rowsThatAreNotAscendingAreRefused() {
    for (List<String> keys : List.of(List.of("b", "a"), List.of("a", "a"))) {
      List<VersionedValue> rows =
          keys.stream()
              .map(key -> new VersionedValue(Key.of(key), WriteId.INITIAL, Value.ABSENT, true))
              .toList();
      assertMalformed(
          encoded(new Message.ScanReply(ID, 1, rows, null)), "ScanReply.rows are not ascending");
    }
  }

  @Test
  void aBoundMayBeOneByteLongerThanAKeyAndARangeListHasItsLimit() {
    Key longest = Key.wrap(new byte[Limits.MAX_KEY_BYTES + 1]);
    Key tooLong = Key.wrap(new byte[Limits.MAX_KEY_BYTES + 2]);
    assertThatCode(() -> Envelopes.decode(scan(new KeyRange(longest, longest))))
        .doesNotThrowAnyException();
    String sizes = " has " + (Limits.MAX_KEY_BYTES + 2) + " bytes, at most ";
    assertMalformed(scan(new KeyRange(tooLong, null)), "KeyRange.from" + sizes);
    assertMalformed(scan(new KeyRange(longest, tooLong)), "KeyRange.to" + sizes);
    assertMalformed(
        encoded(new Message.ScanReply(ID, 1, List.of(), tooLong)), "ScanReply.next" + sizes);
    List<KeyRange> ranges = Collections.nCopies(Limits.MAX_SCANS + 1, KeyRange.ALL);
    ExecutionId execution = new ExecutionId(ID, 0);
    assertMalformed(
        encoded(new Message.Prepare(execution, List.of(), ranges, List.of(), List.of(0))),
        "Prepare.ranges has more than " + Limits.MAX_SCANS);
    assertMalformed(
        encoded(new Message.FetchReply(execution, List.of(), ranges, List.of(), List.of(0))),
        "FetchReply.ranges has more than " + Limits.MAX_SCANS);
  }

  private static byte[] scan(KeyRange range) {
    return encoded(new Message.Scan(ID, 1, range, 10));
  }

  private static byte[] encoded(Message message) {
    FrameEncoder encoder = new FrameEncoder(Envelopes.FORMAT);
    encoder.add(new ClientId(1), new ReplicaId(0, 0), message);
    return Envelopes.drain(encoder);
  }

  @Test
  void anEnumOutOfItsRangeIsNamed() throws IOException {
    assertMalformed(
        frame(e -> field(e, 16, concat(txn(), bytes(out -> out.writeEnum(2, 77))))),
        "Refused.reason is 77");
  }

  @Test
  void anOversizedKeyIsNamedWithBothSizes() {
    assertMalformed(
        Frame.newBuilder()
            .addEnvelopes(
                envelope()
                    .setGet(
                        Get.newBuilder()
                            .setTxn(TXN)
                            .setKey(ByteString.copyFrom(new byte[Limits.MAX_KEY_BYTES + 1]))))
            .build(),
        "Get.key has 4097 bytes, at most 4096");
  }

  @Test
  void anOversizedValueIsNamedWithBothSizes() throws IOException {
    byte[] value = new byte[Limits.MAX_VALUE_BYTES + 1];
    assertMalformed(
        frame(
            e -> field(e, 6, concat(txn(), nested(3, bytes(out -> out.writeByteArray(3, value)))))),
        "Write.value has 1048577 bytes, at most 1048576");
  }

  @Test
  void aListBeyondTheLimitIsRefused() {
    Prepare.Builder prepare = Prepare.newBuilder().setTxn(TXN);
    for (int i = 0; i < Limits.MAX_OPERATIONS + 2; i++) {
      prepare.addParticipants(0);
    }
    assertMalformed(
        Frame.newBuilder().addEnvelopes(envelope().setPrepare(prepare)).build(),
        "Prepare.participants has more than 16385 elements");
  }

  @Test
  void numbersOutOfTheirBoundsAreRefused() {
    TxnId.Builder txn = TXN.toBuilder();
    assertMalformed(
        about(txn.setTimeMicros(Limits.MAX_TIME_MICROS + 1).build()), "TxnId.time_micros is ");
    assertMalformed(
        about(TXN.toBuilder().setHome(Limits.MAX_PARTITIONS).build()), "TxnId.home is 16384");
    Prepare.Builder prepare = Prepare.newBuilder().setTxn(TXN);
    assertMalformed(
        Frame.newBuilder()
            .addEnvelopes(envelope().setPrepare(prepare.addParticipants(Limits.MAX_PARTITIONS)))
            .build(),
        "Prepare.participants is 16384");
    Drop.Builder drop = Drop.newBuilder().setTxn(TXN).setExecution(Limits.MAX_NUMBER + 1);
    assertMalformed(
        Frame.newBuilder().addEnvelopes(envelope().setDrop(drop)).build(), "Drop.execution is ");
  }

  private static Frame about(TxnId txn) {
    return Frame.newBuilder()
        .addEnvelopes(envelope().setInquire(Inquire.newBuilder().setTxn(txn)))
        .build();
  }

  @Test
  void aLockHasAtMost64Incarnations() {
    assertMalformed(
        encoded(new Message.Found(Collections.nCopies(65, 1L), true, false)),
        "Found.incarnations has more than 64");
  }

  @Test
  void theLastNumberOfAListEndsWithinTheList() throws IOException {
    byte[] incarnations =
        bytes(
            out -> {
              out.writeTag(2, 2);
              out.writeUInt32NoTag(2 * Long.BYTES - 1);
              out.writeFixed64NoTag(1);
              out.writeFixed64NoTag(2);
            });
    int found = 31;
    assertMalformed(frame(e -> field(e, found, incarnations)), "no protobuf message");
  }

  @Test
  void aNegativeLengthIsNoProtobuf() throws IOException {
    byte[] minusOne = {3 << 3 | 2, -1, -1, -1, -1, 15};
    assertMalformed(frame(e -> field(e, WireFormat.SYSTEM_FIELD, minusOne)), "no protobuf message");
  }

  @Test
  void aVarintOfElevenBytesIsNoProtobuf() throws IOException {
    byte[] eleven = new byte[12];
    Arrays.fill(eleven, (byte) 0x80);
    eleven[0] = 2 << 3;
    eleven[11] = 0;
    assertMalformed(frame(e -> field(e, 5, concat(txn(), eleven))), "no protobuf message");
  }

  @Test
  void aNumberBeyondIntIsNamed() throws IOException {
    assertMalformed(
        frame(e -> field(e, 5, concat(txn(), bytes(out -> out.writeUInt32(2, -1))))),
        "Get.request is 4294967295, at most 1073741824");
  }

  @Test
  void aTransactionNeedsATimeAfterTheBeginning() throws IOException {
    for (long timeMicros : new long[] {0, -1}) {
      TxnId txn = TxnId.newBuilder().setTimeMicros(timeMicros).build();
      assertMalformed(
          frame(e -> field(e, 17, nested(1, txn.toByteArray()))), "TxnId.time_micros is ");
    }
  }

  @Test
  void aWriteIdIsWholeOrInitial() throws IOException {
    byte[] withoutWriter = nested(4, bytes(out -> out.writeUInt32(2, 3)));
    for (byte[] half : List.of(withoutWriter, nested(4, txn()))) {
      assertMalformed(
          frame(e -> field(e, 12, concat(txn(), half))),
          "WriteId has one of writer and value_id, must have both or none");
    }
  }

  @Test
  void aWriteHasANumber() {
    Prepare.Builder prepare = Prepare.newBuilder().setTxn(TXN);
    prepare.addWrites(org.mortydb.wire.proto.Write.getDefaultInstance());
    assertMalformed(
        Frame.newBuilder().addEnvelopes(envelope().setPrepare(prepare)).build(),
        "Write.value_id is 0");
  }

  @Test
  void hugeAndNegativeLengthsTakeNoMemory() throws IOException {
    for (int length : new int[] {Integer.MAX_VALUE, -1, Integer.MIN_VALUE, 1 << 30}) {
      byte[] key =
          bytes(
              out -> {
                out.writeTag(3, 2);
                out.writeUInt32NoTag(length);
              });
      assertMalformed(frame(e -> field(e, 5, concat(txn(), key))), "Get.key has ");
      byte[] envelope =
          bytes(
              out -> {
                out.writeTag(1, 2);
                out.writeUInt32NoTag(length);
              });
      assertMalformed(envelope, "no protobuf message");
    }
  }

  @Test
  void trailingGarbageIsRefused() throws IOException {
    byte[] good = frame(e -> field(e, 17, txn()));
    assertThat(Envelopes.decode(good)).hasSize(1);
    assertMalformed(
        concat(good, new byte[] {0}), "no protobuf message, at byte " + (good.length + 1));
    assertMalformed(concat(good, new byte[] {0x55}), "unexpected field 10 of wire type 5 in Frame");
  }

  @Test
  void everyTruncationIsRefused() throws IOException {
    RandomMessages random = new RandomMessages(new SplittableRandom(2));
    for (var message : random.oneOfEach()) {
      FrameEncoder encoder = new FrameEncoder(Envelopes.FORMAT);
      encoder.add(random.endpoint(), random.endpoint(), message);
      byte[] good = Envelopes.drain(encoder);
      for (int length = 1; length < good.length; length++) {
        byte[] cut = Arrays.copyOf(good, length);
        assertThat(catchException(() -> Envelopes.decode(cut)))
            .isInstanceOf(MalformedFrameException.class);
      }
    }
  }

  @Test
  void aHandshakeIsNoEnvelope() {
    Frame.Builder hello = Frame.newBuilder();
    hello.getHelloBuilder().setCluster("c");
    assertMalformed(hello.build(), "unexpected field 2 of wire type 2 in Frame");
  }

  /** Any bytes are a frame or malformed. */
  @Test
  void mutatedAndRandomBytesAreDecodedOrRefused() {
    SplittableRandom seeds = new SplittableRandom(3);
    int refused = 0;
    int decoded = 0;
    for (int round = 0; round < 30_000; round++) {
      long seed = seeds.nextLong();
      SplittableRandom random = new SplittableRandom(seed);
      byte[] bytes = round % 10 == 0 ? noise(random) : mutated(random);
      try {
        Envelopes.decode(bytes);
        decoded++;
      } catch (MalformedFrameException e) {
        if (e.getMessage() == null || !e.getMessage().contains("at byte ")) {
          throw new AssertionError("seed " + seed + " was refused without a place", e);
        }
        refused++;
      } catch (Throwable e) {
        throw new AssertionError("seed " + seed + " of round " + round + " escaped", e);
      }
    }
    // Both must happen; otherwise the generator tests nothing.
    assertThat(refused).isGreaterThan(10_000);
    assertThat(decoded).isGreaterThan(2_000);
  }

  private static byte[] noise(SplittableRandom random) {
    byte[] bytes = new byte[random.nextInt(64)];
    random.nextBytes(bytes);
    return bytes;
  }

  private static byte[] mutated(SplittableRandom random) {
    RandomMessages messages = new RandomMessages(random);
    FrameEncoder encoder = new FrameEncoder(Envelopes.FORMAT);
    for (int i = random.nextInt(3); i >= 0; i--) {
      encoder.add(messages.endpoint(), messages.endpoint(), messages.message());
    }
    byte[] bytes = Envelopes.drain(encoder);
    for (int i = random.nextInt(3); i >= 0; i--) {
      int at = random.nextInt(bytes.length);
      switch (random.nextInt(5)) {
        case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
        case 1 -> bytes[at] = (byte) random.nextInt();
        case 2 -> bytes[at] = (byte) 0xFF;
        case 3 -> bytes = Arrays.copyOf(bytes, Math.max(1, at));
        default -> {
          int from = random.nextInt(bytes.length);
          System.arraycopy(bytes, from, bytes, at, bytes.length - Math.max(at, from));
        }
      }
    }
    return bytes;
  }

  // ---- by hand ------------------------------------------------------------------------------

  private interface Writing {
    void to(CodedOutputStream out) throws IOException;
  }

  private static Envelope.Builder envelope() {
    Envelope.Builder envelope = Envelope.newBuilder().setFromClient(1);
    envelope.getToReplicaBuilder().setPartition(2);
    return envelope;
  }

  /**
   * A frame with one envelope that has valid endpoints and the fields that {@code more} appends.
   */
  private static byte[] frame(Consumer<ByteArrayOutputStream> more) throws IOException {
    ByteArrayOutputStream fields = new ByteArrayOutputStream();
    envelope().build().writeTo(fields);
    more.accept(fields);
    return nested(1, fields.toByteArray());
  }

  private static void field(ByteArrayOutputStream out, int number, byte[] content) {
    out.writeBytes(nested(number, content));
  }

  private static byte[] txn() {
    return nested(1, TXN.toByteArray());
  }

  private static byte[] nested(int number, byte[] content) {
    return bytes(out -> out.writeByteArray(number, content));
  }

  private static byte[] bytes(Writing writing) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    try {
      writing.to(out);
      out.flush();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return bytes.toByteArray();
  }

  private static byte[] concat(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  private static void assertMalformed(Frame frame, String what) {
    assertMalformed(frame.toByteArray(), what);
  }

  private static void assertMalformed(byte[] frame, String what) {
    assertThatExceptionOfType(MalformedFrameException.class)
        .isThrownBy(() -> Envelopes.decode(frame))
        .withMessageContaining(what)
        .withMessageContaining("at byte ");
  }
}
