package org.mortydb.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message.Builder;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.UnknownFieldSet.Field;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.system.Morty;
import org.mortydb.wire.proto.Frame;

/** Frames of a sender that speaks a newer version, with fields that this one does not know. */
class NewerFrameTest {
  private static final WireFormat FORMAT = new WireFormat(Morty.SYSTEM);

  /** What decodes the frames of a peer with the same version, and of one with a newer one. */
  private static List<Message> decode(byte[] frame, boolean tolerant) throws IOException {
    FrameDecoder decoder = new FrameDecoder(FORMAT);
    if (tolerant) {
      decoder.tolerateUnknownFields();
    }
    List<Message> messages = new ArrayList<>();
    decoder.decode(ByteBuffer.wrap(frame), (from, to, message) -> messages.add(message));
    return messages;
  }

  private static void assertMalformed(byte[] frame, String what) {
    assertThatExceptionOfType(MalformedFrameException.class)
        .isThrownBy(() -> decode(frame, true))
        .withMessageContaining(what);
  }

  /** Adds unknown fields of all wire types to a message and to all messages within it. */
  private static void grow(Builder message, SplittableRandom random) {
    for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
      if (field.getJavaType() != FieldDescriptor.JavaType.MESSAGE) {
        continue;
      }
      if (field.isRepeated()) {
        for (int i = 0; i < message.getRepeatedFieldCount(field); i++) {
          Builder part =
              ((com.google.protobuf.Message) message.getRepeatedField(field, i)).toBuilder();
          grow(part, random);
          message.setRepeatedField(field, i, part.build());
        }
      } else if (message.hasField(field)) {
        Builder part = ((com.google.protobuf.Message) message.getField(field)).toBuilder();
        grow(part, random);
        message.setField(field, part.build());
      }
    }
    UnknownFieldSet.Builder unknown = UnknownFieldSet.newBuilder();
    int[] numbers = {53 + random.nextInt(11), 65 + random.nextInt(10), 128, 1 << 20};
    for (int number : numbers) {
      unknown.addField(
          number,
          Field.newBuilder()
              .addVarint(random.nextLong())
              .addFixed64(random.nextLong())
              .addFixed32(random.nextInt())
              .addLengthDelimited(ByteString.copyFrom(new byte[random.nextInt(200)]))
              .addLengthDelimited(ByteString.EMPTY)
              .build());
    }
    message.setUnknownFields(unknown.build());
  }

  @Test
  void everyMessageIsReadWithUnknownFieldsInAllItsParts() throws IOException {
    SplittableRandom random = new SplittableRandom(7);
    RandomMessages messages = new RandomMessages(random.split());
    for (int round = 0; round < 50; round++) {
      for (Message message : messages.oneOfEach()) {
        Frame.Builder grown =
            Frame.newBuilder()
                .addEnvelopes(Generated.envelope(new ClientId(1), new ReplicaId(2, 0), message));
        grow(grown.getEnvelopesBuilder(0), random);
        byte[] newer = grown.build().toByteArray();
        assertThat(decode(newer, true)).containsExactly(message);
        assertThatExceptionOfType(MalformedFrameException.class)
            .isThrownBy(() -> decode(newer, false))
            .withMessageContaining("unexpected field");
      }
    }
  }

  private interface Writer {
    void write(CodedOutputStream out) throws IOException;
  }

  private static byte[] bytes(Writer writer) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    writer.write(out);
    out.flush();
    return bytes.toByteArray();
  }

  /** A frame with a Get of a key, whose bytes are followed by others. */
  private static byte[] get(Writer more) throws IOException {
    byte[] txn = bytes(out -> out.writeFixed64(1, 5));
    byte[] get =
        bytes(
            out -> {
              out.writeByteArray(1, txn);
              out.writeUInt32(2, 9);
              out.writeByteArray(3, new byte[] {'k'});
              more.write(out);
            });
    return envelope(out -> out.writeByteArray(5, get));
  }

  private static byte[] envelope(Writer message) throws IOException {
    byte[] replica = {};
    byte[] envelope =
        bytes(
            out -> {
              out.writeFixed64(2, 1);
              out.writeByteArray(3, replica);
              message.write(out);
            });
    return bytes(out -> out.writeByteArray(1, envelope));
  }

  private static final Message GET = new Message.Get(new TxnId(5, 0, 0), 9, Key.of("k"));

  @Test
  void aFieldOfTheNextVersionIsSkipped() throws IOException {
    assertThat(decode(get(out -> out.writeString(4, "a hint")), true)).containsExactly(GET);
    // Field 65 has the same place in a word of 64 bits as field 1, which is given.
    assertThat(decode(get(out -> out.writeBool(65, true)), true)).containsExactly(GET);
    // A wire type that no known field has.
    assertThat(decode(get(out -> out.writeFixed32(4, 7)), true)).containsExactly(GET);
    assertThat(
            decode(
                get(
                    out -> {
                      out.writeUInt32(4, 1);
                      out.writeUInt32(4, 2);
                    }),
                true))
        .containsExactly(GET);
  }

  @Test
  void everythingElseStaysAnError() throws IOException {
    assertMalformed(get(out -> out.writeUInt32(2, 9)), "field 2 of Get is given twice");
    assertMalformed(
        get(
            out -> {
              out.writeTag(4, 2);
              out.writeUInt32NoTag(1_000);
            }),
        "no protobuf message");
    assertMalformed(get(out -> out.writeTag(4, 2)), "no protobuf message");
    assertMalformed(
        get(
            out -> {
              out.writeTag(4, 2);
              out.writeUInt32NoTag(-1);
            }),
        "no protobuf message");
    for (int wireType : new int[] {3, 4, 6, 7}) {
      assertMalformed(get(out -> out.writeTag(4, wireType)), "no protobuf message");
    }
    assertMalformed(get(out -> out.writeRawByte(0)), "no protobuf message");
    assertMalformed(
        envelope(out -> out.writeByteArray(5, bytes(get -> get.writeUInt32(9, 1)))),
        "Get.txn is missing");
    byte[] longKey = new byte[Limits.MAX_KEY_BYTES + 1];
    assertMalformed(
        envelope(out -> out.writeByteArray(5, bytes(get -> get.writeByteArray(3, longKey)))),
        "Get.key has");
  }

  /** It cannot be ignored, so a newer peer must not send it before the cluster uses its version. */
  @Test
  void aMessageOfTheNextVersionIsAnError() throws IOException {
    assertMalformed(
        envelope(out -> out.writeByteArray(63, new byte[] {1, 2})), "Envelope.message is missing");
    assertMalformed(bytes(out -> out.writeByteArray(9, new byte[] {1, 2})), "unexpected field 9");
  }

  @Test
  void rangesHaveAHighestCommonVersion() {
    VersionRange here = new VersionRange(3, 5);
    assertThat(here.highestCommon(new VersionRange(1, 3))).isEqualTo(3);
    assertThat(here.highestCommon(new VersionRange(4, 9))).isEqualTo(5);
    assertThat(here.highestCommon(new VersionRange(1, 2))).isEqualTo(VersionRange.NONE);
    assertThat(here.highestCommon(new VersionRange(6, 9))).isEqualTo(VersionRange.NONE);
    assertThat(here.includes(2)).isFalse();
    assertThat(here.includes(3)).isTrue();
    assertThat(here.includes(5)).isTrue();
    assertThat(here.includes(6)).isFalse();
    assertThat(here).hasToString("3 to 5");
    assertThat(new VersionRange(3, 3)).hasToString("3");
  }
}
