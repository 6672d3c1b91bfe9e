package org.mortydb.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigOrigin;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * An object of a configuration, read setting by setting. After a problem, reading goes on with a
 * default, so that one run finds all problems. The result is valid only without problems.
 */
final class Section {
  private final String path;
  private final Config config;
  private final List<ConfigProblem> problems;
  private final Set<String> known = new TreeSet<>();

  Section(String path, Config config, List<ConfigProblem> problems) {
    this.path = path;
    this.config = config;
    this.problems = problems;
  }

  // ---- problems -----------------------------------------------------------------------------

  /** Returns the full path of a setting of this section. */
  String path(String key) {
    return path.isEmpty() ? key : path + "." + key;
  }

  /** Adds a problem of a setting of this section, present or missing. */
  void problem(String key, String text) {
    ConfigValue value = config.root().get(key);
    problems.add(
        new ConfigProblem(
            path(key), place((value == null ? config.root() : value).origin()), text));
  }

  /** Returns the problems so far of the whole configuration. */
  int problemCount() {
    return problems.size();
  }

  static String place(ConfigOrigin origin) {
    String file = origin.filename();
    if (file == null && origin.lineNumber() > 0 && origin.description().startsWith("String")) {
      return "line " + origin.lineNumber();
    }
    String name = file != null ? file : origin.description();
    return origin.lineNumber() > 0 && file != null ? name + ":" + origin.lineNumber() : name;
  }

  /** Adds a problem for each unknown setting, with the most similar known one. */
  void refuseUnknown() {
    for (String key : new TreeSet<>(config.root().keySet())) {
      if (!known.contains(key)) {
        problem(key, "is no setting" + DidYouMean.hint(key, known));
      }
    }
  }

  // ---- settings -----------------------------------------------------------------------------

  boolean has(String key) {
    known.add(key);
    return config.root().containsKey(key);
  }

  /** Returns a required text; empty, with a problem, if it is missing. */
  String text(String key) {
    if (!has(key)) {
      problem(key, "is missing: it must be given");
      return "";
    }
    return read(key, "", Config::getString, "a text");
  }

  /** A text, or a default. */
  String text(String key, String byDefault) {
    return has(key) ? read(key, byDefault, Config::getString, "a text") : byDefault;
  }

  /** Whether a setting is true; false if it is missing. */
  boolean flag(String key) {
    String text = text(key, "false");
    if (!text.equals("true") && !text.equals("false")) {
      problem(key, "is '" + text + "': it must be true or false");
    }
    return text.equals("true");
  }

  /** A whole number in a range, or a default. */
  int number(String key, int byDefault, int least, int most) {
    return number(key, "", byDefault, least, most);
  }

  /**
   * A whole number in a range, or a default.
   *
   * @param orElse what else the setting may be, for the problem's text: such as "off, or "
   */
  int number(String key, String orElse, int byDefault, int least, int most) {
    if (!has(key)) {
      return byDefault;
    }
    String range = orElse + "a whole number from " + least + " to " + most;
    // Config::getInt would cut a fraction off.
    Double number = read(key, null, Config::getDouble, range);
    if (number != null
        && !(number >= least && number <= most && number.equals(Math.rint(number)))) {
      problem(key, "is " + NumberRange.text(number) + ": it must be " + range);
      return byDefault;
    }
    return number == null ? byDefault : number.intValue();
  }

  /** A number from 0 to 1, or a default. */
  double fraction(String key, double byDefault) {
    if (!has(key)) {
      return byDefault;
    }
    Double number = read(key, null, Config::getDouble, "a number from 0 to 1");
    if (number != null && !(number >= 0 && number <= 1)) {
      problem(key, "is " + number + ": it must be a number from 0 to 1");
      return byDefault;
    }
    return number == null ? byDefault : number;
  }

  /** A number of bytes in a range, or a default. */
  int bytes(String key, int byDefault, int least, int most) {
    if (!has(key)) {
      return byDefault;
    }
    String range = "a size such as 512 KiB, from " + least + " to " + most + " bytes";
    Long bytes = read(key, null, Config::getBytes, range);
    if (bytes != null && (bytes < least || bytes > most)) {
      problem(key, "is " + bytes + " bytes: it must be " + range);
      return byDefault;
    }
    return bytes == null ? byDefault : bytes.intValue();
  }

  /** A time in a range, or a default. */
  Duration duration(String key, Duration byDefault, Duration least, Duration most) {
    return duration(key, "", byDefault, least, most);
  }

  /** A time as above, where words may stand instead, such as {@code 'off' or }. */
  Duration duration(String key, String words, Duration byDefault, Duration least, Duration most) {
    if (!has(key)) {
      return byDefault;
    }
    String range = words + "a time such as 250ms, from " + shown(least) + " to " + shown(most);
    Duration time = read(key, null, Config::getDuration, range);
    if (time != null && (time.compareTo(least) < 0 || time.compareTo(most) > 0)) {
      problem(key, "is " + shown(time) + ": it must be " + range);
      return byDefault;
    }
    return time == null ? byDefault : time;
  }

  private static String shown(Duration time) {
    long micros = time.toNanos() / 1000;
    if (micros % 1_000_000 == 0) {
      return micros / 1_000_000 + " s";
    }
    return micros % 1000 == 0 ? micros / 1000 + " ms" : micros + " us";
  }

  /** Returns a section of this section; empty if it is missing. */
  Section section(String key) {
    if (has(key) && value(key) instanceof ConfigObject object) {
      return new Section(path(key), object.toConfig(), problems);
    }
    if (has(key)) {
      problem(key, "is " + shown(value(key)) + ": it must be a section in braces");
    }
    return new Section(path(key), ConfigFactory.empty(), problems);
  }

  /** Returns a list of sections. */
  List<Section> sections(String key) {
    List<Section> sections = new ArrayList<>();
    for (ConfigValue element : list(key)) {
      String elementPath = path(key) + "[" + sections.size() + "]";
      if (element instanceof ConfigObject object) {
        sections.add(new Section(elementPath, object.toConfig(), problems));
      } else {
        problem(key, "holds " + shown(element) + ": every element must be a section in braces");
      }
    }
    return sections;
  }

  /** Returns a list of texts. */
  List<String> texts(String key) {
    List<String> texts = new ArrayList<>();
    for (ConfigValue element : list(key)) {
      switch (element.valueType()) {
        case STRING, NUMBER, BOOLEAN -> texts.add(String.valueOf(element.unwrapped()));
        case OBJECT, LIST, NULL ->
            problem(key, "holds " + shown(element) + ": every element must be a text");
      }
    }
    return texts;
  }

  /** Returns the sections or values of this section by name, in the order of names. */
  TreeMap<String, ConfigValue> entries() {
    TreeMap<String, ConfigValue> entries = new TreeMap<>(config.root());
    known.addAll(entries.keySet());
    return entries;
  }

  private List<ConfigValue> list(String key) {
    if (!has(key)) {
      return List.of();
    }
    if (value(key) instanceof ConfigList list) {
      return list;
    }
    problem(key, "is " + shown(value(key)) + ": it must be a list in brackets");
    return List.of();
  }

  @Nullable ConfigValue value(String key) {
    return config.root().get(key);
  }

  private interface Getter<T> {
    T get(Config config, String path);
  }

  private <T extends @Nullable Object> T read(
      String key, T byDefault, Getter<? extends T> getter, String wanted) {
    try {
      return getter.get(config, ConfigUtil.quoteString(key));
    } catch (ConfigException e) {
      problem(key, "is " + shown(value(key)) + ": it must be " + wanted);
      return byDefault;
    }
  }

  static String shown(@Nullable ConfigValue value) {
    if (value == null || value.valueType() == ConfigValueType.NULL) {
      return "null";
    }
    return value.valueType() == ConfigValueType.STRING
        ? "'" + value.unwrapped() + "'"
        : value.render(ConfigRenderOptions.concise());
  }
}
