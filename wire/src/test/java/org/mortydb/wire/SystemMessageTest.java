package org.mortydb.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.system.Morty;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.wire.NoteSystem.Note;
import org.mortydb.wire.proto.Frame;

/** Messages of other systems than Morty. */
class SystemMessageTest {
  private static final TransactionSystem NOTES = new NoteSystem("notes", NoteSystem.NUMBER);
  private static final Endpoint CLIENT = new ClientId(7);
  private static final Endpoint REPLICA = new ReplicaId(3, 1);

  @Test
  void areOnTheWireWhatProtobufMakesOfTheSchema() throws Exception {
    for (String text : List.of("", "a", "x".repeat(100_000))) {
      Message note = new Note(text);
      WireFormat format = new WireFormat(NOTES);
      FrameEncoder one = new FrameEncoder(format);
      one.add(CLIENT, REPLICA, note);
      FrameEncoder encodedOnce = new FrameEncoder(format);
      encodedOnce.add(CLIENT, REPLICA, format.encode(note));
      byte[] frame = Envelopes.drain(one);
      assertThat(Envelopes.drain(encodedOnce)).isEqualTo(frame);
      assertThat(Frame.parseFrom(frame).getEnvelopes(0))
          .isEqualTo(Generated.envelope(CLIENT, REPLICA, note));
      assertThat(decode(NOTES, frame)).containsExactly(note);
    }
  }

  @Test
  void ofAnotherSystemAreMalformed() {
    byte[] frame = frame(new Note("a"));
    TransactionSystem others = new NoteSystem("others", 301);
    assertThatThrownBy(() -> decode(others, frame))
        .isInstanceOf(MalformedFrameException.class)
        .hasMessageContaining("300")
        .hasMessageContaining("301")
        .hasMessageContaining("others")
        .hasMessageContaining("cluster.system");
    assertThatThrownBy(() -> decode(Morty.SYSTEM, frame))
        .isInstanceOf(MalformedFrameException.class)
        .hasMessageContaining("300")
        .hasMessageContaining("morty");
  }

  @ParameterizedTest
  @ValueSource(strings = {NoteSystem.MALFORMED, NoteSystem.BROKEN})
  void thatTheirCodecDoesNotKnowAreMalformed(String text) {
    byte[] frame = frame(new Note(text));
    assertThatThrownBy(() -> decode(NOTES, frame))
        .isInstanceOf(MalformedFrameException.class)
        .hasMessageContaining("notes");
  }

  @Test
  void needACodec() {
    assertThatThrownBy(() -> new WireFormat(Morty.SYSTEM).encode(new Note("a")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("morty")
        .hasMessageContaining("Note");
  }

  private static byte[] frame(Message message) {
    FrameEncoder encoder = new FrameEncoder(new WireFormat(NOTES));
    encoder.add(CLIENT, REPLICA, message);
    return Envelopes.drain(encoder);
  }

  private static List<Message> decode(TransactionSystem system, byte[] frame)
      throws MalformedFrameException {
    List<Message> received = new ArrayList<>();
    new FrameDecoder(new WireFormat(system))
        .decode(ByteBuffer.wrap(frame), (from, to, message) -> received.add(message));
    return received;
  }
}
