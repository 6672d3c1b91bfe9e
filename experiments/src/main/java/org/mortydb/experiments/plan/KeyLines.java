package org.mortydb.experiments.plan;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The lines of keys in a YAML file, for messages. A tree of values does not know them. */
final class KeyLines {
  /** No lines: messages leave them out. */
  static final KeyLines NONE = new KeyLines(Map.of());

  private static final YAMLMapper MAPPER = new YAMLMapper();

  private final Map<String, Integer> lines;

  private KeyLines(Map<String, Integer> lines) {
    this.lines = lines;
  }

  /**
   * The lines of all keys and entries of lists.
   *
   * @param place the place of the whole text, as in {@link DefinitionSection#place()}
   * @param text YAML without syntax errors
   */
  static KeyLines of(String place, String text) {
    Map<String, Integer> lines = new HashMap<>();
    lines.put(place, 1);
    try (JsonParser parser = MAPPER.createParser(text)) {
      parser.nextToken();
      walk(parser, place, lines);
    }
    return new KeyLines(lines);
  }

  private static void walk(JsonParser parser, String place, Map<String, Integer> lines) {
    JsonToken token = parser.currentToken();
    if (token == JsonToken.START_OBJECT) {
      while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
        String key = place + (place.endsWith(":") ? " " : ".") + parser.currentName();
        lines.put(key, parser.currentTokenLocation().getLineNr());
        parser.nextToken();
        walk(parser, key, lines);
      }
    } else if (token == JsonToken.START_ARRAY) {
      for (int i = 0; parser.nextToken() != JsonToken.END_ARRAY; i++) {
        String entry = place + "[" + i + "]";
        lines.put(entry, parser.currentTokenLocation().getLineNr());
        walk(parser, entry, lines);
      }
    }
  }

  /** The line of the first of some places that has one, to follow it in a message; else empty. */
  String text(String... places) {
    for (String place : places) {
      @Nullable Integer line = lines.get(place);
      if (line != null) {
        return " (line " + line + ")";
      }
    }
    return "";
  }
}
