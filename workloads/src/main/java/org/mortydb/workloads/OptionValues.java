package org.mortydb.workloads;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.DidYouMean;

/** A value for each option of a workload, in the order of their declaration. Immutable. */
public final class OptionValues {
  private final Map<String, Object> values;

  private OptionValues(Map<String, Object> values) {
    this.values = values;
  }

  /**
   * Values that were given, and the defaults of the other options.
   *
   * @param given texts by the options' names
   * @throws InvalidOptionException if a value is out of range
   * @throws IllegalArgumentException if there is no such option; the message suggests one
   */
  public static OptionValues of(List<WorkloadOption<?>> options, Map<String, String> given) {
    List<String> names = options.stream().map(WorkloadOption::name).toList();
    for (String name : given.keySet()) {
      if (!names.contains(name)) {
        throw new IllegalArgumentException(
            "'" + name + "' is no option" + DidYouMean.hint(name, names));
      }
    }
    Map<String, Object> values = new LinkedHashMap<>();
    for (WorkloadOption<?> option : options) {
      String text = given.get(option.name());
      Object value = text == null ? option.fallback() : option.parse(text);
      if (values.put(option.name(), value) != null) {
        throw new IllegalArgumentException("two options are named '" + option.name() + "'");
      }
    }
    return new OptionValues(values);
  }

  /** The value of an option. */
  public <T> T get(WorkloadOption<T> option) {
    return option.cast(
        Objects.requireNonNull(
            values.get(option.name()), () -> "the workload does not declare " + option));
  }

  /**
   * The values by name as records state them: numbers, the texts of constants, and switches that
   * are on.
   */
  public Map<String, Object> recorded() {
    Map<String, Object> all = new LinkedHashMap<>();
    values.forEach(
        (name, value) -> {
          if (!value.equals(false)) {
            all.put(name, WorkloadOption.recorded(value));
          }
        });
    return Collections.unmodifiableMap(all);
  }

  /** As {@link #recorded}, in a map that {@link WorkloadPlugin#settings} may change. */
  public Map<String, @Nullable Object> settings() {
    return new LinkedHashMap<>(recorded());
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof OptionValues that && that.values.equals(values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  @Override
  public String toString() {
    return recorded().toString();
  }
}
