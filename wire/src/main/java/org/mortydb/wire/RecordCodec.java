package org.mortydb.wire;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.system.MalformedMessageException;
import org.mortydb.protocol.system.MessageCodec;
import org.mortydb.wire.TypeForms.RecordForm;

/**
 * A codec without code: it derives the form of a system's messages from their types. The messages
 * are the records below one sealed interface. Their components may be
 *
 * <ul>
 *   <li>{@code int}, {@code long}, {@code boolean}, {@code String}, and enums;
 *   <li>{@link org.mortydb.protocol.model.Key} and {@link org.mortydb.protocol.model.Value};
 *   <li>records, such as {@link org.mortydb.protocol.model.TxnId}, and sealed interfaces of
 *       records;
 *   <li>{@link List}s of all these.
 * </ul>
 *
 * <p>No component may be null. The form has neither names nor types: a change to a record changes
 * it, so all processes of a cluster must run the same build of the system. It takes little more
 * time than a codec by hand. Write one by hand if the codec shows in a profile, or if the form must
 * outlive a build.
 *
 * <p>Immutable, and safe for use by several threads.
 */
public final class RecordCodec implements MessageCodec {
  private final int number;
  private final List<RecordForm> forms;
  private final Map<Class<?>, Integer> kinds = new HashMap<>();

  /**
   * Derives a codec.
   *
   * @param number the codec's number, see {@link MessageCodec#number}
   * @param lookup {@code MethodHandles.lookup()} of a class that can call the records' constructors
   * @param messages the sealed interface
   * @throws IllegalArgumentException when a type below the interface has no form, or when the
   *     lookup does not reach it; its message names the type
   */
  public RecordCodec(
      int number, MethodHandles.Lookup lookup, Class<? extends Message.OfSystem> messages) {
    this.number = number;
    this.forms = new TypeForms(lookup).ofRecordsBelow(messages);
    forms.forEach(form -> kinds.put(form.type(), kinds.size() + 1));
  }

  @Override
  public int number() {
    return number;
  }

  @Override
  public int kind(Message.OfSystem message) {
    Integer kind = kinds.get(message.getClass());
    if (kind == null) {
      throw new IllegalArgumentException(
          message.getClass().getName() + " is not one of the messages of this codec: " + kinds);
    }
    return kind;
  }

  @Override
  public byte[] encode(Message.OfSystem message) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    try {
      forms.get(kind(message) - 1).write(message, out);
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException("an array of bytes does not fail", e);
    }
    return bytes.toByteArray();
  }

  @Override
  public Message.OfSystem decode(int kind, byte[] content) throws MalformedMessageException {
    if (kind < 1 || kind > forms.size()) {
      throw new MalformedMessageException("there is no kind " + kind);
    }
    RecordForm form = forms.get(kind - 1);
    CodedInputStream in = CodedInputStream.newInstance(content);
    try {
      in.pushLimit(content.length);
      Object message = form.read(in);
      if (!in.isAtEnd()) {
        throw new IOException(in.getBytesUntilLimit() + " bytes are left over");
      }
      return (Message.OfSystem) message;
    } catch (IOException | RuntimeException e) {
      throw new MalformedMessageException(form.type().getSimpleName() + ": " + e.getMessage());
    }
  }
}
