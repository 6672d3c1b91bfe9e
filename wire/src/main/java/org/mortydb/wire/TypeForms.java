package org.mortydb.wire;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.Value;

/** Derives the form of values on the wire from their types, for {@link RecordCodec}. */
final class TypeForms {
  private static final MethodType CALL = MethodType.methodType(Object.class, Object.class);
  private static final Map<Class<?>, Form> SCALARS = scalars();

  private final MethodHandles.Lookup lookup;

  /** The records whose forms are being made. */
  private final Set<Class<?>> open = new LinkedHashSet<>();

  TypeForms(MethodHandles.Lookup lookup) {
    this.lookup = lookup;
  }

  /** The form of the values of one type. */
  interface Form {
    void write(Object value, CodedOutputStream out) throws IOException;

    /**
     * Reads a value. Any bytes may come.
     *
     * @throws RuntimeException if a constructor refuses the values that were read
     */
    Object read(CodedInputStream in) throws IOException;
  }

  // ---- from types to forms ------------------------------------------------------------------

  /** The forms of the records below a sealed interface, by the names of the records. */
  List<RecordForm> ofRecordsBelow(Class<?> type) {
    // Reflection does not specify the order.
    return recordsBelow(type)
        .distinct()
        .sorted(Comparator.comparing(Class::getName))
        .map(this::ofRecord)
        .toList();
  }

  private static Stream<Class<?>> recordsBelow(Class<?> type) {
    if (type.isRecord()) {
      return Stream.of(type);
    }
    if (!type.isSealed()) {
      throw unknown(type);
    }
    return Stream.of(type.getPermittedSubclasses()).flatMap(TypeForms::recordsBelow);
  }

  private RecordForm ofRecord(Class<?> type) {
    if (!open.add(type)) {
      throw new IllegalArgumentException(type.getName() + " may contain another one of itself");
    }
    RecordComponent[] components = type.getRecordComponents();
    List<Component> forms = new ArrayList<>();
    Class<?>[] types = new Class<?>[components.length];
    try {
      for (int i = 0; i < components.length; i++) {
        types[i] = components[i].getType();
        MethodHandle accessor = lookup.unreflect(components[i].getAccessor()).asType(CALL);
        Form form = of(components[i].getGenericType());
        forms.add(new Component(components[i].getName(), accessor, form));
      }
      MethodHandle constructor = lookup.unreflectConstructor(type.getDeclaredConstructor(types));
      return new RecordForm(
          type, forms, constructor.asSpreader(Object[].class, types.length).asType(CALL));
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException("the codec's lookup does not reach " + type.getName(), e);
    } finally {
      open.remove(type);
    }
  }

  private Form of(Type type) {
    if (type instanceof ParameterizedType list && list.getRawType() == List.class) {
      return new ListForm(of(list.getActualTypeArguments()[0]));
    }
    if (!(type instanceof Class<?> known)) {
      throw unknown(type);
    }
    Form scalar = SCALARS.get(known);
    if (scalar != null) {
      return scalar;
    }
    if (known.isEnum()) {
      return new EnumForm(List.of(known.getEnumConstants()));
    }
    return known.isRecord() ? ofRecord(known) : new SealedForm(ofRecordsBelow(known));
  }

  private static IllegalArgumentException unknown(Type type) {
    return new IllegalArgumentException(
        type.getTypeName() + " has no form: the Javadoc of RecordCodec lists the types that have");
  }

  // ---- forms --------------------------------------------------------------------------------

  private record Component(String name, MethodHandle accessor, Form form) {}

  /**
   * The components of a record, in their order.
   *
   * @param constructor takes an array with one value for each component
   */
  record RecordForm(Class<?> type, List<Component> components, MethodHandle constructor)
      implements Form {

    @Override
    public void write(Object value, CodedOutputStream out) throws IOException {
      for (Component component : components) {
        Object held = call(component.accessor, value);
        if (held == null) {
          throw new NullPointerException(type.getName() + "." + component.name + " is null");
        }
        component.form.write(held, out);
      }
    }

    @Override
    public Object read(CodedInputStream in) throws IOException {
      Object[] values = new Object[components.size()];
      for (int i = 0; i < values.length; i++) {
        values[i] = components.get(i).form.read(in);
      }
      return call(constructor, values);
    }

    private static Object call(MethodHandle handle, Object argument) {
      try {
        return (Object) handle.invokeExact(argument);
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Throwable e) {
        throw new IllegalStateException("a record has thrown a checked exception", e);
      }
    }
  }

  /** One of several records: its place among them, then the record. */
  private record SealedForm(List<RecordForm> records) implements Form {
    @Override
    public void write(Object value, CodedOutputStream out) throws IOException {
      int place = 0;
      while (records.get(place).type != value.getClass()) {
        place++;
      }
      out.writeUInt32NoTag(place);
      records.get(place).write(value, out);
    }

    @Override
    public Object read(CodedInputStream in) throws IOException {
      return pick(records, in).read(in);
    }
  }

  /** A constant of an enum, as its place. */
  private record EnumForm(List<?> constants) implements Form {
    @Override
    public void write(Object value, CodedOutputStream out) throws IOException {
      out.writeUInt32NoTag(constants.indexOf(value));
    }

    @Override
    public Object read(CodedInputStream in) throws IOException {
      return pick(constants, in);
    }
  }

  /** A list: the number of elements, then the elements. */
  private record ListForm(Form element) implements Form {
    @Override
    public void write(Object value, CodedOutputStream out) throws IOException {
      List<?> list = (List<?>) value;
      out.writeUInt32NoTag(list.size());
      for (Object each : list) {
        element.write(each, out);
      }
    }

    @Override
    public Object read(CodedInputStream in) throws IOException {
      int size = within(in.readUInt32(), in.getBytesUntilLimit(), "elements");
      List<Object> list = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        list.add(element.read(in));
      }
      return List.copyOf(list);
    }
  }

  private static <T> T pick(List<T> choices, CodedInputStream in) throws IOException {
    return choices.get(within(in.readUInt32(), choices.size() - 1, "is the number of a choice"));
  }

  private static int within(int number, int most, String what) throws IOException {
    if (number < 0 || number > most) {
      throw new IOException(
          Integer.toUnsignedString(number) + " " + what + ", where at most " + most + " can be");
    }
    return number;
  }

  // ---- scalars ------------------------------------------------------------------------------

  private interface Writer<T> {
    void write(CodedOutputStream out, T value) throws IOException;
  }

  private interface Reader<T> {
    T read(CodedInputStream in) throws IOException;
  }

  private record Scalar<T>(Class<T> type, Writer<T> writer, Reader<T> reader) implements Form {
    @Override
    public void write(Object value, CodedOutputStream out) throws IOException {
      writer.write(out, type.cast(value));
    }

    @Override
    public Object read(CodedInputStream in) throws IOException {
      return reader.read(in);
    }
  }

  private static Map<Class<?>, Form> scalars() {
    Map<Class<?>, Form> all = new HashMap<>();
    Stream.of(
            new Scalar<>(
                Integer.class, CodedOutputStream::writeSInt32NoTag, CodedInputStream::readSInt32),
            new Scalar<>(
                Long.class, CodedOutputStream::writeSInt64NoTag, CodedInputStream::readSInt64),
            new Scalar<>(
                Boolean.class, CodedOutputStream::writeBoolNoTag, CodedInputStream::readBool),
            new Scalar<>(
                String.class,
                CodedOutputStream::writeStringNoTag,
                CodedInputStream::readStringRequireUtf8),
            new Scalar<>(
                Key.class,
                (out, key) -> out.writeByteArrayNoTag(key.bytes()),
                in -> Key.wrap(bytes(in, in.readUInt32(), Limits.MAX_KEY_BYTES))),
            new Scalar<>(Value.class, TypeForms::writeValue, TypeForms::readValue))
        .forEach(scalar -> all.put(scalar.type, scalar));
    all.put(int.class, all.get(Integer.class));
    all.put(long.class, all.get(Long.class));
    all.put(boolean.class, all.get(Boolean.class));
    return all;
  }

  /** One more than the length, then the bytes; 0 for no value. */
  private static void writeValue(CodedOutputStream out, Value value) throws IOException {
    out.writeUInt32NoTag(value.isAbsent() ? 0 : value.size() + 1);
    out.writeRawBytes(value.bytes());
  }

  private static Value readValue(CodedInputStream in) throws IOException {
    int size = in.readUInt32();
    return size == 0 ? Value.ABSENT : Value.wrap(bytes(in, size - 1, Limits.MAX_VALUE_BYTES));
  }

  private static byte[] bytes(CodedInputStream in, int size, int most) throws IOException {
    return in.readRawBytes(within(size, most, "bytes"));
  }
}
