package org.mortydb.cli.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.system.Morty;
import org.mortydb.wire.FrameEncoder;
import org.mortydb.wire.WireFormat;

/** The fuzzer of {@link HostileSenderTest} leaves no kind of message out. */
class HostileMessagesTest {
  private static final int MESSAGES = 4_000;
  private static final long CLIENT = 77;

  private final HostileMessages messages =
      new HostileMessages(
          new Random(1), CLIENT, new Topology(1, 0, 0, 0, 0), () -> 1_700_000_000_000_000L);

  @Test
  void everyKindThatClientsMaySendIsSent() {
    Set<Class<?>> sent = new HashSet<>();
    for (int i = 0; i < MESSAGES; i++) {
      Message message = messages.next();
      assertThat(message.txn().clientId()).isEqualTo(CLIENT);
      sent.add(message.getClass());
    }
    assertThat(sent).contains(Message.FromClient.class.getPermittedSubclasses());
  }

  @Test
  void everyKindThatExistsIsSentInFrames() {
    FrameEncoder encoder = new FrameEncoder(new WireFormat(Morty.SYSTEM));
    ByteBuf out = Unpooled.buffer();
    Set<Class<?>> sent = new HashSet<>();
    for (int i = 0; i < MESSAGES; i++) {
      Message message = messages.any();
      encoder.add(new ClientId(CLIENT), new ReplicaId(0, 0), message);
      encoder.drainTo(out.clear());
      assertThat(out.isReadable()).isTrue();
      sent.add(message.getClass());
    }
    assertThat(sent).containsExactlyInAnyOrderElementsOf(AnyMessages.KINDS);
  }
}
