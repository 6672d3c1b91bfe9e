package org.mortydb.experiments.plan;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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
public final class DefinitionSection {
  private final String place;
  private final Map<String, JsonNode> values;
  private final KeyLines lines;
  private final Set<String> known = new LinkedHashSet<>();

  private DefinitionSection(String place, Map<String, JsonNode> values, KeyLines lines) {
    this.place = place;
    this.values = values;
    this.lines = lines;
  }

  /**
   * The keys of a YAML file. Errors name the line.
   *
   * @throws InvalidDefinitionException if it cannot be read
   */
  public static DefinitionSection read(Path file) {
    String text;
    try {
      text = Files.readString(file);
    } catch (IOException e) {
      throw new InvalidDefinitionException("cannot read " + file + ": " + e, e);
    }
    JsonNode root = DefinitionFile.tree(file.toString(), text);
    return of(file + ":", root, KeyLines.of(file + ":", text));
  }

  /**
   * @param place the file and the path of keys, for messages
   * @throws InvalidDefinitionException if there are no keys
   */
  static DefinitionSection of(String place, JsonNode node) {
    return of(place, node, KeyLines.NONE);
  }

  private static DefinitionSection of(String place, JsonNode node, KeyLines lines) {
    if (!node.isObject()) {
      throw new InvalidDefinitionException(
          place + lines.text(place) + ": expected keys with values");
    }
    Map<String, JsonNode> values = new LinkedHashMap<>();
    node.properties().forEach(entry -> values.put(entry.getKey(), entry.getValue()));
    return new DefinitionSection(place, values, lines);
  }

  /** A section of given values. */
  static DefinitionSection of(String place, Map<String, JsonNode> values) {
    return new DefinitionSection(place, values, KeyLines.NONE);
  }

  /** The keys and values, in order. */
  Map<String, JsonNode> values() {
    return values;
  }

  /** The names of all keys, in order. */
  public Set<String> keys() {
    return values.keySet();
  }

  /**
   * The section under a key.
   *
   * @return null without the key
   * @throws InvalidDefinitionException if it has no keys
   */
  public @Nullable DefinitionSection section(String key) {
    JsonNode value = get(key);
    return value == null ? null : of(place(key), value, lines);
  }

  /**
   * The section under a required key.
   *
   * @throws InvalidDefinitionException if it is missing or has no keys
   */
  public DefinitionSection requiredSection(String key) {
    return of(place(key), required(key), lines);
  }

  /**
   * The sections of a list under a key.
   *
   * @throws InvalidDefinitionException if there is no such list, or it is empty
   */
  public List<DefinitionSection> sections(String key) {
    JsonNode value = required(key);
    if (!value.isArray() || value.isEmpty()) {
      throw wrong(key, "must be a list with at least one entry");
    }
    List<DefinitionSection> sections = new ArrayList<>();
    for (int i = 0; i < value.size(); i++) {
      sections.add(of(place(key) + "[" + i + "]", value.get(i), lines));
    }
    return sections;
  }

  /**
   * The texts of a list under a key.
   *
   * @return an empty list without the key
   * @throws InvalidDefinitionException if it is no list of single values
   */
  public List<String> texts(String key) {
    JsonNode value = get(key);
    if (value == null) {
      return List.of();
    }
    if (!value.isArray()) {
      throw wrong(key, "must be a list");
    }
    return value.valueStream().map(one -> textOf(key, one)).toList();
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

  /** The error that a key has a wrong value. */
  public InvalidDefinitionException wrong(String key, String message) {
    return new InvalidDefinitionException(
        place(key) + lines.text(place(key), place) + ": " + message);
  }

  /**
   * @throws InvalidDefinitionException if the key is missing
   */
  JsonNode required(String key) {
    JsonNode value = get(key);
    if (value == null) {
      throw new InvalidDefinitionException(
          place + lines.text(place) + " lacks the key '" + key + "'");
    }
    return value;
  }

  /** A required text. */
  public String text(String key) {
    return textOf(key, required(key));
  }

  /** A text, or null. */
  public @Nullable String optionalText(String key) {
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
  public String oneOf(String key, List<String> choices) {
    String value = text(key);
    if (!choices.contains(value)) {
      throw wrong(key, "unknown value '" + value + "'" + DidYouMean.hint(value, choices));
    }
    return value;
  }

  String oneOf(String key, List<String> choices, String fallback) {
    return get(key) == null ? fallback : oneOf(key, choices);
  }

  /** A whole number in a range. */
  public int whole(String key, int fallback, int least, int most) {
    JsonNode value = get(key);
    return value == null ? fallback : wholeOf(key, value, least, most);
  }

  /** A whole number in a range, or null. */
  public @Nullable Integer optionalWhole(String key, int least, int most) {
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

  /** A number in a range, or null. */
  public @Nullable Double optionalNumber(String key, double least, double most) {
    JsonNode value = get(key);
    return value == null ? null : numberOf(key, value, least, most);
  }

  /**
   * A required number in a range.
   *
   * @throws InvalidDefinitionException if it is missing or out of the range
   */
  public double number(String key, double least, double most) {
    return numberOf(key, required(key), least, most);
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
   * Refuses keys that were not read.
   *
   * @throws InvalidDefinitionException if there is one
   */
  public void refuseOthers() {
    for (String key : values.keySet()) {
      if (!known.contains(key)) {
        throw wrong(key, "unknown key" + DidYouMean.hint(key, known));
      }
    }
  }
}
