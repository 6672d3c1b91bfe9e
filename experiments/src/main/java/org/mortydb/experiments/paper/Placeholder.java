package org.mortydb.experiments.paper;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A placeholder in a text: {@code {{kind key=value key="several words"}}}.
 *
 * @param source the placeholder in the text
 * @param kind the kind of its replacement
 * @param arguments the arguments by name
 */
record Placeholder(String source, String kind, Map<String, String> arguments) {
  /** Finds placeholders. */
  static final Pattern PATTERN =
      Pattern.compile("\\{\\{\\s*([a-z-]+)\\s*(.*?)\\s*}}", Pattern.DOTALL);

  private static final Pattern ARGUMENT =
      Pattern.compile("([A-Za-z0-9]+)=(?:\"([^\"]*)\"|([^\\s\"]+))\\s*");

  static Placeholder of(MatchResult found) {
    String rest = found.group(2);
    Map<String, String> arguments = new LinkedHashMap<>();
    Matcher argument = ARGUMENT.matcher(rest);
    int end = 0;
    while (argument.find() && argument.start() == end) {
      String quoted = argument.group(2);
      arguments.put(argument.group(1), quoted != null ? quoted : argument.group(3));
      end = argument.end();
    }
    if (end < rest.length()) {
      throw new InvalidTextException(
          found.group() + ": expected name=value at '" + rest.substring(end) + "'");
    }
    return new Placeholder(found.group(), found.group(1), arguments);
  }

  InvalidTextException wrong(String message) {
    return new InvalidTextException(source + ": " + message);
  }

  String required(String name) {
    String value = arguments.get(name);
    if (value == null) {
      throw wrong("lacks " + name + "=...");
    }
    return value;
  }

  @Nullable String optional(String name) {
    return arguments.get(name);
  }

  /** All arguments except some. */
  Map<String, String> without(List<String> names) {
    Map<String, String> rest = new LinkedHashMap<>(arguments);
    names.forEach(rest::remove);
    return rest;
  }
}
