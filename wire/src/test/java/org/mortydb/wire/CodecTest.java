package org.mortydb.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.Merge;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.wire.Envelopes.Received;
import org.mortydb.wire.proto.Frame;

class CodecTest {
  private static final Endpoint CLIENT = new ClientId(0xC0FFEEL);
  private static final Endpoint REPLICA = new ReplicaId(3, 1);
  private static final TxnId TXN = new TxnId(1_700_000_000_000_000L, 7, 2);

  @Test
  void everyMessageIsOnTheWireWhatProtobufMakesOfTheSchema() throws Exception {
    RandomMessages random = new RandomMessages(new SplittableRandom(1));
    for (int round = 0; round < 300; round++) {
      FrameEncoder one = new FrameEncoder(Envelopes.FORMAT);
      FrameEncoder encodedOnce = new FrameEncoder(Envelopes.FORMAT);
      Frame.Builder expected = Frame.newBuilder();
      List<Received> sent = new ArrayList<>();
      for (Message message : random.oneOfEach()) {
        Endpoint from = random.endpoint();
        Endpoint to = random.endpoint();
        sent.add(new Received(from, to, message));
        assertThat(one.add(from, to, message)).isTrue();
        assertThat(encodedOnce.add(from, to, Envelopes.FORMAT.encode(message))).isTrue();
        expected.addEnvelopes(Generated.envelope(from, to, message));
      }
      byte[] bytes = Envelopes.drain(one);
      assertThat(bytes).isEqualTo(expected.build().toByteArray());
      assertThat(Envelopes.drain(encodedOnce)).isEqualTo(bytes);
      assertThat(Frame.parseFrom(bytes)).isEqualTo(expected.build());
      assertThat(Envelopes.decode(bytes)).isEqualTo(sent);
    }
  }

  @Test
  void coversEveryMessageType() {
    assertThat(
            new RandomMessages(new SplittableRandom(1))
                .oneOfEach().stream().<Class<?>>map(Message::getClass).toList())
        .containsExactlyInAnyOrderElementsOf(records(Message.class).toList());
  }

  /** The records of a sealed hierarchy, each once. */
  private static Stream<Class<?>> records(Class<?> type) {
    return type.isSealed()
        ? Arrays.stream(type.getPermittedSubclasses()).flatMap(CodecTest::records).distinct()
        : Stream.<Class<?>>of(type).filter(Class::isRecord);
  }

  @Test
  void anAbsentValueIsNotAnEmptyOne() throws Exception {
    for (Value value : List.of(Value.ABSENT, Value.of(""))) {
      Message reply = new Message.GetReply(TXN, 1, 1, WriteId.INITIAL, value, true);
      FrameEncoder encoder = new FrameEncoder(Envelopes.FORMAT);
      encoder.add(REPLICA, CLIENT, reply);
      List<Received> received = Envelopes.decode(Envelopes.drain(encoder));
      Value decoded = ((Message.GetReply) received.getFirst().message()).value();
      assertThat(decoded.isAbsent()).isEqualTo(value.isAbsent());
      assertThat(decoded).isEqualTo(value);
    }
  }

  @Test
  void aRangeWithoutAnEndIsNotAnEmptyOne() throws Exception {
    Key empty = Key.of("");
    for (KeyRange range : List.of(KeyRange.ALL, new KeyRange(empty, empty))) {
      Message scan = new Message.Scan(TXN, 1, range, 10);
      FrameEncoder encoder = new FrameEncoder(Envelopes.FORMAT);
      encoder.add(CLIENT, REPLICA, scan);
      assertThat(Envelopes.decode(Envelopes.drain(encoder)).getFirst().message()).isEqualTo(scan);
    }
  }

  /** Replicas keep them, so the lists of most transactions are not lists of their own. */
  @Test
  void decodesParticipantsWithoutAListOfTheirOwnIfThereIsOne() throws Exception {
    for (List<Integer> one : List.of(List.of(0), List.of(255))) {
      assertThat(decodedParticipants(one)).isEqualTo(one).isSameAs(decodedParticipants(one));
    }
    for (List<Integer> other : List.of(List.of(256), List.of(0, 1), List.<Integer>of())) {
      assertThat(decodedParticipants(other)).isEqualTo(other);
    }
  }

  private static List<Integer> decodedParticipants(List<Integer> participants) throws Exception {
    FrameEncoder encoder = new FrameEncoder(Envelopes.FORMAT);
    encoder.add(CLIENT, REPLICA, new Message.Decide(TXN, Outcome.commit(1, participants)));
    Message decoded = Envelopes.decode(Envelopes.drain(encoder)).getFirst().message();
    return ((Outcome.Commit) ((Message.Decide) decoded).outcome()).participants();
  }

  /** The bytes are those of processes without scans. */
  @Test
  void anExecutionThatScannedNothingIsOnTheWireAsEver() throws Exception {
    ExecutionId id = new ExecutionId(new TxnId(5, 6, 1), 2);
    List<Read> reads = List.of(new Read(Key.of("a"), new WriteId(new TxnId(3, 4, 0), 1)));
    List<Write> writes = List.of(new Write(Key.of("b"), 3, Value.of("v")));
    List<Integer> participants = List.of(0, 1);
    String execution =
        "430a14090500000000000000110600000000000000180110021a1b0a016112160a120903000000000000001104"
            + "00000000000000100122080a016210031a01762a020001";
    Message prepare = new Message.Prepare(id, reads, writes, participants);
    Message reply = new Message.FetchReply(id, reads, writes, participants);
    HexFormat hex = HexFormat.of();
    assertThat(field(prepare)).isEqualTo(hex.parseHex("42" + execution));
    assertThat(field(reply)).isEqualTo(hex.parseHex("a201" + execution));
  }

  /** The message's field in the envelope. */
  private static byte[] field(Message message) throws IOException {
    EncodedMessage encoded = Envelopes.FORMAT.encode(message);
    byte[] bytes = new byte[encoded.fieldSize()];
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    encoded.writeTo(out);
    out.checkNoSpaceLeft();
    return bytes;
  }

  @Test
  void longMessagesForSeveralReceiversAreOnTheWireAsOthersAre() throws Exception {
    for (int size : new int[] {0, 1_900, 2_000, 2_100, 60_000}) {
      Message put =
          new Message.Put(TXN, 0, new Write(Key.of("key"), 1, Value.wrap(new byte[size])));
      EncodedMessage encoded = Envelopes.FORMAT.encode(put);
      FrameEncoder encoder = new FrameEncoder(Envelopes.FORMAT);
      assertThat(encoder.add(CLIENT, REPLICA, encoded)).isTrue();
      assertThat(encoder.add(CLIENT, REPLICA, encoded)).isTrue();
      assertThat(encoder.add(CLIENT, REPLICA, put)).isTrue();
      assertThat(Envelopes.decode(Envelopes.drain(encoder)))
          .extracting(Received::message)
          .containsExactly(put, put, put);
    }
  }

  @Test
  void keysAndValuesOwnTheirBytes() throws Exception {
    FrameEncoder encoder = new FrameEncoder(Envelopes.FORMAT);
    Message put = new Message.Put(TXN, 0, new Write(Key.of("key"), 1, Value.of("value")));
    encoder.add(CLIENT, REPLICA, put);
    byte[] frame = Envelopes.drain(encoder);
    List<Received> received = Envelopes.decode(frame);
    Arrays.fill(frame, (byte) 0xFF);
    assertThat(received.getFirst().message()).isEqualTo(put);
  }

  @Test
  void theLargestKeysAndValuesPass() throws Exception {
    Key key = Key.wrap(new byte[Limits.MAX_KEY_BYTES]);
    Value value = Value.wrap(new byte[Limits.MAX_VALUE_BYTES]);
    Message put = new Message.Put(TXN, 0, new Write(key, 1, value));
    FrameEncoder encoder = new FrameEncoder(Envelopes.FORMAT);
    assertThat(encoder.add(CLIENT, REPLICA, put)).isTrue();
    assertThat(encoder.isFull()).isTrue();
    assertThat(Envelopes.decode(Envelopes.drain(encoder)).getFirst().message()).isEqualTo(put);
    assertThat(encoder.isEmpty()).isTrue();
  }

  /**
   * Clients that break the protocol can commit more merges of a key than replicas show. Who reads
   * the key must not lose its connection.
   */
  @Test
  void aValueMayBeMadeOfMoreVersionsThanATransactionCanRead() throws Exception {
    List<WriteId> below = new ArrayList<>();
    for (int i = 1; i <= 2 * Limits.MAX_OPERATIONS; i++) {
      below.add(new WriteId(new TxnId(i, 1, 0), 1));
    }
    WriteId newest = new WriteId(new TxnId(Limits.MAX_TIME_MICROS, 1, 0), 1);
    VersionedValue row = new VersionedValue(Key.of("k"), newest, Value.of("5"), true, below);
    Message reply = new Message.GetReply(TXN, 1, 1, newest, row.value(), true, below);
    Message push = new Message.PushRow(TXN, 1, 1, row);
    FrameEncoder encoder = new FrameEncoder(Envelopes.FORMAT);
    assertThat(encoder.add(REPLICA, CLIENT, reply)).isTrue();
    assertThat(encoder.add(REPLICA, CLIENT, push)).isTrue();
    assertThat(Envelopes.decode(Envelopes.drain(encoder)))
        .extracting(Received::message)
        .containsExactly(reply, push);
  }

  /** What a replica has voted on, its peers must be able to fetch. */
  @Test
  void theLongestExecutionThatReplicasTakeFitsIntoAFrame() {
    Key key = Key.wrap(new byte[Limits.MAX_KEY_BYTES]);
    TxnId latest = new TxnId(Limits.MAX_TIME_MICROS, -1, Limits.MAX_PARTITIONS - 1);
    Read read = new Read(key, new WriteId(latest, Limits.MAX_NUMBER));
    Write write = new Write(key, Limits.MAX_NUMBER, Merge.add(1));
    Key bound = KeyRange.after(key);
    List<KeyRange> ranges = Collections.nCopies(Limits.MAX_SCANS, new KeyRange(bound, bound));
    List<Integer> participants = IntStream.range(0, Limits.MAX_PARTITIONS).boxed().toList();
    int readBytes = key.size() + Limits.ENTRY_BYTES;
    int writeBytes = readBytes + write.value().size();
    int writes = Limits.MAX_WRITE_SET_BYTES / (key.size() + write.value().size());
    int reads = (Limits.MAX_REQUEST_BYTES - writes * writeBytes) / readBytes;
    Message longest =
        new Message.FetchReply(
            new ExecutionId(latest, Limits.MAX_NUMBER),
            Collections.nCopies(reads, read),
            ranges,
            Collections.nCopies(writes, write),
            participants);
    FrameEncoder encoder = new FrameEncoder(Envelopes.FORMAT);
    assertThat(encoder.add(REPLICA, REPLICA, longest)).isTrue();
    assertThat(encoder.size()).isGreaterThan(15_500_000);
  }

  @Test
  void anEnvelopeThatFitsIntoNoFrameIsNotAdded() {
    List<Key> keys = new ArrayList<>();
    for (int i = 0; i < Limits.MAX_FRAME_BYTES / Limits.MAX_KEY_BYTES; i++) {
      keys.add(Key.wrap(new byte[Limits.MAX_KEY_BYTES]));
    }
    Message retract = new Message.Retract(TXN, 0, keys);
    FrameEncoder encoder = new FrameEncoder(Envelopes.FORMAT);
    assertThat(encoder.add(CLIENT, REPLICA, retract)).isFalse();
    assertThat(encoder.add(CLIENT, REPLICA, Envelopes.FORMAT.encode(retract))).isFalse();
    assertThat(encoder.isEmpty()).isTrue();
  }

  @Test
  void aFrameMayBeEmpty() throws Exception {
    assertThat(Envelopes.decode(new byte[0])).isEmpty();
  }
}
