package org.mortydb.experiments.plan;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.DidYouMean;
import tools.jackson.databind.JsonNode;

/**
 * The keys of a part of a definition with their values. It remembers the keys that were read, so
 * that it can refuse the others.
 */
final class DefinitionSection {
  private final String place;
  private final Map<String, JsonNode> values;
  private final Set<String> known = new LinkedHashSet<>();

  private DefinitionSection(String place, Map<String, JsonNode> values) {
    this.place = place;
    this.values = values;
  }

  /**
   * @param place the file and the path of keys, for messages
   * @throws InvalidDefinitionException if there are no keys
   */
  static DefinitionSection of(String place, JsonNode node) {
    if (!node.isObject()) {
      throw new InvalidDefinitionException(place + ": expected keys with values");
    }
    Map<String, JsonNode> values = new LinkedHashMap<>();
    node.properties().forEach(entry -> values.put(entry.getKey(), entry.getValue()));
    return new DefinitionSection(place, values);
  }

  /** A section of given values. */
  static DefinitionSection of(String place, Map<String, JsonNode> values) {
    return new DefinitionSection(place, values);
  }

  /** The keys and values, in order. */
  Map<String, JsonNode> values() {
    return values;
  }

  @Nullable JsonNode get(String key) {
    known.add(key);
    JsonNode value = values.get(key);
    return value == null || value.isNull() ? null : value;
  }

  String place() {
    return place;
  }

  String place(String key) {
    return place + (place.endsWith(":") ? " " : ".") + key;
  }

  InvalidDefinitionException wrong(String key, String message) {
    return new InvalidDefinitionException(place(key) + ": " + message);
  }

  /**
   * @throws InvalidDefinitionException if the key is missing
   */
  JsonNode required(String key) {
    JsonNode value = get(key);
    if (value == null) {
      throw new InvalidDefinitionException(place + " lacks the key '" + key + "'");
    }
    return value;
  }

  String text(String key) {
    return textOf(key, required(key));
  }

  @Nullable String optionalText(String key) {
    JsonNode value = get(key);
    return value == null ? null : textOf(key, value);
  }

  private String textOf(String key, JsonNode value) {
    if (value.isContainer()) {
      throw wrong(key, "expected one value, not " + value);
    }
    return value.asString();
  }

  /** One of several texts. An error suggests the nearest one. */
  String oneOf(String key, List<String> choices) {
    String value = text(key);
    if (!choices.contains(value)) {
      throw wrong(key, "unknown value '" + value + "'" + DidYouMean.hint(value, choices));
    }
    return value;
  }

  String oneOf(String key, List<String> choices, String fallback) {
    return get(key) == null ? fallback : oneOf(key, choices);
  }

  int whole(String key, int fallback, int least, int most) {
    JsonNode value = get(key);
    return value == null ? fallback : wholeOf(key, value, least, most);
  }

  @Nullable Integer optionalWhole(String key, int least, int most) {
    JsonNode value = get(key);
    return value == null ? null : wholeOf(key, value, least, most);
  }

  private int wholeOf(String key, JsonNode value, int least, int most) {
    if (!value.isIntegralNumber() || value.asLong() < least || value.asLong() > most) {
      throw wrong(
          key, "must be a whole number from %d to %d, not %s".formatted(least, most, value));
    }
    return value.asInt();
  }

  double number(String key, double fallback, double least, double most) {
    JsonNode value = get(key);
    return value == null ? fallback : numberOf(key, value, least, most);
  }

  @Nullable Double optionalNumber(String key, double least, double most) {
    JsonNode value = get(key);
    return value == null ? null : numberOf(key, value, least, most);
  }

  private double numberOf(String key, JsonNode value, double least, double most) {
    if (!value.isNumber() || !(value.asDouble() >= least && value.asDouble() <= most)) {
      throw wrong(key, "must be a number from %s to %s, not %s".formatted(least, most, value));
    }
    return value.asDouble();
  }

  boolean flag(String key, boolean fallback) {
    JsonNode value = get(key);
    if (value == null) {
      return fallback;
    }
    if (!value.isBoolean()) {
      throw wrong(key, "must be true or false, not " + value);
    }
    return value.asBoolean();
  }

  /**
   * @throws InvalidDefinitionException if there is an unknown key
   */
  void refuseOthers() {
    for (String key : values.keySet()) {
      if (!known.contains(key)) {
        throw new InvalidDefinitionException(
            place(key) + ": unknown key" + DidYouMean.hint(key, known));
      }
    }
  }
}
