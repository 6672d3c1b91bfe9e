package org.mortydb.cli;

import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The constants of an enumeration as options name them: in lower case, with hyphens. */
public abstract class NamedValues<E extends Enum<E>>
    implements ITypeConverter<E>, Iterable<String> {
  private final List<E> values;

  public NamedValues(E[] values) {
    this.values = List.of(values);
  }

  /** The name of a constant, such as {@code long-fork}. */
  public static String name(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  @Override
  public E convert(String text) {
    for (E value : values) {
      if (name(value).equals(text)) {
        return value;
      }
    }
    throw new TypeConversionException("'" + text + "' is none of " + String.join(", ", names()));
  }

  private List<String> names() {
    return values.stream().map(NamedValues::name).toList();
  }

  @Override
  public Iterator<String> iterator() {
    return names().iterator();
  }
}
