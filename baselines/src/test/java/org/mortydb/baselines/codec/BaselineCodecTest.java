package org.mortydb.baselines.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.MessageLite;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.mortydb.baselines.message.LeaderMessage;
import org.mortydb.baselines.proto.TapirFinalize;
import org.mortydb.baselines.proto.TapirPrepareReply;
import org.mortydb.baselines.tapir.TapirMessage;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.system.MalformedMessageException;
import org.mortydb.protocol.system.MessageCodec;
import org.mortydb.wire.parts.GeneratedParts;

class BaselineCodecTest {
  private static final MessageCodec TAPIR = TapirFormats.codec(1);
  private static final MessageCodec LEADERS = LeaderFormats.codec(2);
  private static final int FINALIZE = 5;
  private static final int PREPARE_REPLY = 4;

  @Test
  void everyMessageOfTapirIsWhatProtobufMakesOfTheSchema() throws Exception {
    RandomTapirMessages random = new RandomTapirMessages(new SplittableRandom(1));
    for (int round = 0; round < 300; round++) {
      assertEncoded(TAPIR, random.oneOfEach(), GeneratedTapir::of);
    }
  }

  @Test
  void everyMessageOfTheSystemsWithLeadersIsWhatProtobufMakesOfTheSchema() throws Exception {
    RandomLeaderMessages random = new RandomLeaderMessages(new SplittableRandom(2));
    for (int round = 0; round < 300; round++) {
      assertEncoded(LEADERS, random.oneOfEach(), GeneratedLeader::of);
    }
  }

  private static <M extends Message.OfSystem> void assertEncoded(
      MessageCodec codec, List<M> messages, Function<M, MessageLite.Builder> expected)
      throws MalformedMessageException {
    for (M message : messages) {
      byte[] content = codec.encode(message);
      assertThat(content).isEqualTo(expected.apply(message).build().toByteArray());
      assertThat(codec.decode(codec.kind(message), content)).isEqualTo(message);
    }
    assertThat(messages).extracting(codec::kind).doesNotHaveDuplicates();
  }

  @Test
  void allMessagesAreCovered() {
    SplittableRandom random = new SplittableRandom(3);
    assertThat(new RandomTapirMessages(random).oneOfEach().stream().<Class<?>>map(Object::getClass))
        .containsExactlyInAnyOrderElementsOf(records(TapirMessage.class).toList());
    assertThat(
            new RandomLeaderMessages(random).oneOfEach().stream().<Class<?>>map(Object::getClass))
        .containsExactlyInAnyOrderElementsOf(records(LeaderMessage.class).toList());
  }

  /** The records of a sealed hierarchy, each once. */
  private static Stream<Class<?>> records(Class<?> type) {
    return type.isSealed()
        ? Arrays.stream(type.getPermittedSubclasses())
            .flatMap(BaselineCodecTest::records)
            .distinct()
        : Stream.<Class<?>>of(type);
  }

  @Test
  void whatIsWrongWithAMessageIsNamed() {
    var txn = GeneratedParts.txn(new TxnId(5, 6, 0));
    assertMalformed(
        FINALIZE, TapirFinalize.newBuilder().setTxn(txn), "TapirFinalize.stamp is missing");
    var reply = TapirPrepareReply.newBuilder().setTxn(txn).setStamp(txn);
    assertMalformed(PREPARE_REPLY, reply, "TapirPrepareReply.result is 0");
    assertMalformed(
        PREPARE_REPLY,
        reply.clone().setResult(TapirPrepareReply.Result.RETRY),
        "TapirPrepareReply.retry_micros is 0 with result 4");
    assertMalformed(
        PREPARE_REPLY,
        reply.clone().setResult(TapirPrepareReply.Result.OK).setRetryMicros(9),
        "TapirPrepareReply.retry_micros is 9 with result 1");
    assertMalformed(99, reply, "99");
  }

  private static void assertMalformed(int kind, MessageLite.Builder content, String expected) {
    assertThatThrownBy(() -> TAPIR.decode(kind, content.build().toByteArray()))
        .isInstanceOf(MalformedMessageException.class)
        .hasMessageContaining(expected);
  }

  @Test
  void bytesThatAreCutOffAreDecodedOrRefused() {
    int refused = 0;
    for (LeaderMessage message : new RandomLeaderMessages(new SplittableRandom(4)).oneOfEach()) {
      byte[] content = LEADERS.encode(message);
      for (int length = 0; length < content.length; length++) {
        try {
          LEADERS.decode(LEADERS.kind(message), Arrays.copyOf(content, length));
        } catch (MalformedMessageException e) {
          refused++;
        }
      }
    }
    assertThat(refused).isGreaterThan(100);
  }
}
