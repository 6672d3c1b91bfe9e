package org.mortydb.wire;

import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.system.MalformedMessageException;
import org.mortydb.protocol.system.MessageCodec;
import org.mortydb.protocol.system.TransactionSystem;

/**
 * The encoding of messages in a cluster: Morty's schema, and the codec of the system that the
 * cluster runs. Immutable; safe for use by several threads.
 */
public final class WireFormat {
  /** The envelope's field for a message of a system other than Morty. */
  static final int SYSTEM_FIELD = MessageTable.NUMBERS;

  private final String system;
  private final @Nullable MessageCodec codec;

  /** The encoding of messages in a cluster that runs {@code system}. */
  public WireFormat(TransactionSystem system) {
    this.system = system.name();
    this.codec = system.codec();
  }

  /** Encodes a message for any number of receivers. */
  public EncodedMessage encode(Message message) {
    return message instanceof Message.OfSystem own ? encodeOwn(own) : encodeMorty(message);
  }

  private static EncodedMessage encodeMorty(Message message) {
    MessageFormat<?> format = MessageFormats.MORTY.of(message);
    int size = format.sizeOf(message);
    int fieldSize = EncodedMessage.fieldSize(format.number(), size);
    if (size > EncodedMessage.SHORT_BYTES) {
      return new EncodedMessage(message, fieldSize);
    }
    byte[] bytes = new byte[fieldSize];
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    try {
      format.writeField(out, message, size);
    } catch (IOException e) {
      throw new UncheckedIOException("the size of " + message + " was miscounted", e);
    }
    out.checkNoSpaceLeft();
    return new EncodedMessage(bytes);
  }

  private EncodedMessage encodeOwn(Message.OfSystem message) {
    if (codec == null) {
      throw new IllegalStateException(
          "the system " + system + " has no codec for a " + message.getClass().getName());
    }
    int kind = codec.kind(message);
    byte[] content = codec.encode(message);
    int size =
        PartEncoder.uint32Size(codec.number())
            + PartEncoder.uint32Size(kind)
            + PartEncoder.nestedSize(content.length);
    byte[] bytes = new byte[EncodedMessage.fieldSize(SYSTEM_FIELD, size)];
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    try {
      PartEncoder.nested(out, SYSTEM_FIELD, size);
      PartEncoder.uint32(out, 1, codec.number());
      PartEncoder.uint32(out, 2, kind);
      out.writeByteArray(3, content);
    } catch (IOException e) {
      throw new UncheckedIOException("the size of " + message + " was miscounted", e);
    }
    out.checkNoSpaceLeft();
    return new EncodedMessage(bytes);
  }

  /**
   * Reads the message in the current field of an envelope.
   *
   * @return null if the field is unknown, and was skipped
   */
  @Nullable Message read(WireReader in, MessageFields envelope) throws MalformedFrameException {
    int field = envelope.tag() >>> 3;
    boolean isMessage = (envelope.tag() & 7) == PartDecoder.BYTES;
    if (isMessage && field == SYSTEM_FIELD) {
      return readOwn(in);
    }
    MessageFormat<?> format = isMessage ? MessageFormats.MORTY.of(field) : null;
    if (format == null) {
      envelope.unknown();
      return null;
    }
    return format.reader().read(in);
  }

  private Message readOwn(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("SystemMessage");
    int number = 0;
    int kind = 0;
    byte[] content = new byte[0];
    while (fields.next()) {
      switch (fields.tag()) {
        case 1 << 3 | PartDecoder.VARINT -> number = fields.number("codec");
        case 2 << 3 | PartDecoder.VARINT -> kind = fields.number("kind");
        case 3 << 3 | PartDecoder.BYTES -> content = in.content();
        default -> fields.unknown();
      }
    }
    if (codec == null || codec.number() != number) {
      throw in.malformed(
          "SystemMessage.codec is "
              + number
              + ", but this cluster runs the system "
              + system
              + (codec == null ? ", which has no codec" : ", whose codec is " + codec.number())
              + ": both sides must have the same cluster.system");
    }
    try {
      return codec.decode(kind, content);
    } catch (MalformedMessageException | RuntimeException e) {
      throw in.malformed("a message of the system " + system + " is malformed: " + e.getMessage());
    }
  }
}
