package org.mortydb.cli.tls;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.mortydb.protocol.message.Message;

/** Messages of every kind that exists, from random parts: a kind that is added is among them. */
final class AnyMessages {
  /** The kinds of messages, other than those of plug-ins. */
  static final List<Class<?>> KINDS =
      leaves(Message.class).filter(kind -> kind != Message.OfSystem.class).distinct().toList();

  private final Random random;
  private final Map<Class<?>, Supplier<?>> parts;

  /**
   * @param parts how parts of a type are made; the other records and enums are made from theirs
   */
  AnyMessages(Random random, Map<Class<?>, Supplier<?>> parts) {
    this.random = random;
    this.parts = parts;
  }

  Message next() {
    return (Message) of(KINDS.get(random.nextInt(KINDS.size())));
  }

  private static Stream<Class<?>> leaves(Class<?> type) {
    return type.isSealed()
        ? Stream.of(type.getPermittedSubclasses()).flatMap(AnyMessages::leaves)
        : Stream.of(type);
  }

  private Object of(Type type) {
    if (type instanceof ParameterizedType list) {
      List<Object> some = new ArrayList<>();
      for (int i = random.nextInt(3); i > 0; i--) {
        some.add(of(list.getActualTypeArguments()[0]));
      }
      return some;
    }
    Class<?> plain = (Class<?>) type;
    Supplier<?> known = parts.get(plain);
    if (known != null) {
      return known.get();
    }
    if (plain.isSealed()) {
      List<Class<?>> kinds = leaves(plain).toList();
      return of(kinds.get(random.nextInt(kinds.size())));
    }
    return plain.isEnum()
        ? plain.getEnumConstants()[random.nextInt(plain.getEnumConstants().length)]
        : record(plain);
  }

  private Object record(Class<?> type) {
    RecordComponent[] components = type.getRecordComponents();
    try {
      Constructor<?> constructor =
          type.getConstructor(
              Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
      for (int attempt = 0; attempt < 100; attempt++) {
        Object[] made = Arrays.stream(components).map(one -> of(one.getGenericType())).toArray();
        try {
          return constructor.newInstance(made);
        } catch (InvocationTargetException e) {
          if (!(e.getCause() instanceof IllegalArgumentException)) {
            throw e;
          } // these parts do not fit each other
        }
      }
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("a " + type + " cannot be made", e);
    }
    throw new IllegalStateException("no parts fit for a " + type);
  }
}
