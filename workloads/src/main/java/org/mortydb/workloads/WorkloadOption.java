package org.mortydb.workloads;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.NumberRange;

/**
 * An option of a workload: its name, type, range, default and help. Immutable.
 *
 * @param <T> {@link Integer}, {@link Double}, {@link Boolean} or an enum
 */
public final class WorkloadOption<T> {
  private static final Pattern NAME = Pattern.compile("[a-z][A-Za-z0-9]*");
  private static final Pattern CAPITAL = Pattern.compile("[A-Z]");
  private static final Map<String, Boolean> FLAGS = Map.of("true", true, "false", false);

  private final String name;
  private final String help;
  private final T fallback;
  private final String defaultText;
  private final String range;
  private final String label;
  private final List<String> choices;
  private final Class<T> type;
  private final Function<String, @Nullable T> parser;
  private final Predicate<T> inRange;
  private final boolean ofLoadAlone;

  private WorkloadOption(
      String name,
      String help,
      T fallback,
      String defaultText,
      String range,
      String label,
      List<String> choices,
      Class<T> type,
      Function<String, @Nullable T> parser,
      Predicate<T> inRange,
      boolean ofLoadAlone) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "the name of an option must be like 'keys' or 'valueBytes', is '" + name + "'");
    }
    this.name = name;
    this.help = help;
    this.fallback = fallback;
    this.defaultText = defaultText;
    this.range = range;
    this.label = label;
    this.choices = choices;
    this.type = type;
    this.parser = parser;
    this.inRange = inRange;
    this.ofLoadAlone = ofLoadAlone;
    require(fallback);
  }

  /**
   * A whole number.
   *
   * @param name as in records and experiments, such as {@code valueBytes}
   * @param help the option's effect, in a sentence without a full stop
   */
  public static WorkloadOption<Integer> whole(
      String name, int fallback, int least, int most, String help) {
    return new WorkloadOption<>(
        name,
        help,
        fallback,
        Integer.toString(fallback),
        least + " to " + most,
        "N",
        List.of(),
        Integer.class,
        Integer::valueOf,
        value -> value >= least && value <= most,
        false);
  }

  /**
   * A number.
   *
   * @param range the allowed values
   * @see #whole
   */
  public static WorkloadOption<Double> number(
      String name, double fallback, NumberRange range, String help) {
    return new WorkloadOption<>(
        name,
        help,
        fallback,
        NumberRange.text(fallback),
        range.toString(),
        "X",
        List.of(),
        Double.class,
        Double::valueOf,
        range::contains,
        false);
  }

  /**
   * One of the constants of an enum. A value is written as the constant's {@link Object#toString
   * text} in lower case; case does not matter when it is read.
   *
   * @see #whole
   */
  public static <E extends Enum<E>> WorkloadOption<E> choice(String name, E fallback, String help) {
    E[] all = fallback.getDeclaringClass().getEnumConstants();
    List<String> texts = Arrays.stream(all).map(WorkloadOption::textOf).toList();
    return new WorkloadOption<>(
        name,
        help,
        fallback,
        textOf(fallback),
        either(texts),
        "KIND",
        texts,
        fallback.getDeclaringClass(),
        text -> {
          int place = texts.indexOf(text.toLowerCase(Locale.ROOT));
          return place < 0 ? null : all[place];
        },
        value -> true,
        false);
  }

  /**
   * A switch, which is off by default. On a command line it needs no value. Records state it only
   * if it is on.
   *
   * @see #whole
   */
  public static WorkloadOption<Boolean> flag(String name, String help) {
    return new WorkloadOption<>(
        name,
        help,
        false,
        "false",
        "true or false",
        "BOOLEAN",
        List.of("true", "false"),
        Boolean.class,
        text -> FLAGS.get(text.toLowerCase(Locale.ROOT)),
        value -> true,
        false);
  }

  /** Whether it is a switch. */
  public boolean isFlag() {
    return type == Boolean.class;
  }

  /** The same option whose help explains the default, such as "0, uniform". */
  public WorkloadOption<T> explainingDefault(String text) {
    return new WorkloadOption<>(
        name, help, fallback, text, range, label, choices, type, parser, inRange, ofLoadAlone);
  }

  /**
   * The same option, of which it is known that it changes only which transactions are drawn: the
   * records that are filled, their names and the check of the workload's own conditions do not
   * depend on it. So loads with different values of it can run one after another on one cluster.
   */
  public WorkloadOption<T> ofLoadAlone() {
    return new WorkloadOption<>(
        name, help, fallback, defaultText, range, label, choices, type, parser, inRange, true);
  }

  /** Whether it is one {@link #ofLoadAlone of the load alone}. */
  public boolean isOfLoadAlone() {
    return ofLoadAlone;
  }

  private static String either(List<String> texts) {
    String all = texts.stream().map(text -> "'" + text + "'").collect(Collectors.joining(", "));
    int last = all.lastIndexOf(", ");
    return last < 0 ? all : all.substring(0, last) + " or " + all.substring(last + 2);
  }

  private static String textOf(Object constant) {
    return constant.toString().toLowerCase(Locale.ROOT);
  }

  /** The name in records and experiments, such as {@code valueBytes}. */
  public String name() {
    return name;
  }

  /** The name on the command line, such as {@code --value-bytes}. */
  public String flag() {
    return "--"
        + CAPITAL.matcher(name).replaceAll(hit -> "-" + hit.group()).toLowerCase(Locale.ROOT);
  }

  /** The placeholder for a value in the help. */
  public String label() {
    return label;
  }

  /** The texts of all values; empty if the values are numbers. */
  public List<String> choices() {
    return choices;
  }

  /** The option's effect, with range and default. */
  public String help() {
    return help + ": " + range + " (default: " + defaultText + ").";
  }

  T fallback() {
    return fallback;
  }

  /**
   * Reads a value.
   *
   * @throws InvalidOptionException if the text is no value, or the value is out of range
   */
  T parse(String text) {
    try {
      T value = parser.apply(text.strip());
      if (value != null && inRange.test(value)) {
        return value;
      }
    } catch (NumberFormatException e) {
      // Reported below.
    }
    throw refused(choices.isEmpty() ? text : "'" + text + "'");
  }

  /**
   * Checks a value.
   *
   * @throws InvalidOptionException if it is out of range
   */
  public T require(T value) {
    if (!inRange.test(value)) {
      throw refused(value.toString());
    }
    return value;
  }

  private InvalidOptionException refused(String value) {
    return new InvalidOptionException(this, "must be " + range + ", is " + value);
  }

  T cast(Object value) {
    return type.cast(value);
  }

  /** A value as records state it: a number, or the text of a constant. */
  static Object recorded(Object value) {
    return value instanceof Enum<?> constant ? textOf(constant) : value;
  }

  @Override
  public String toString() {
    return name;
  }
}
