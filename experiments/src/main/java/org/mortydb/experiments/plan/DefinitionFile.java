package org.mortydb.experiments.plan;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * Reads definitions in YAML. {@code docs/reference/experiments.md} describes the format. Unknown
 * keys are errors.
 */
public final class DefinitionFile {
  private static final YAMLMapper MAPPER =
      YAMLMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private static final int MOST_ROUNDS = 1_000;
  private static final double MOST_DIFFERENCE = 10;
  private static final double MOST_SECONDS = 1_000_000;

  private final DefinitionSection top;

  private DefinitionFile(DefinitionSection top) {
    this.top = top;
  }

  /**
   * Reads a file.
   *
   * @throws InvalidDefinitionException if it cannot be read or is wrong
   */
  public static Definition read(Path file) {
    try {
      return parse(file.toString(), MAPPER.readTree(file));
    } catch (JacksonException e) {
      throw new InvalidDefinitionException(file + ": " + e.getOriginalMessage() + at(e), e);
    }
  }

  /**
   * Reads a text.
   *
   * @param file the name of the file in messages
   * @throws InvalidDefinitionException if it is wrong
   */
  public static Definition parse(String file, String text) {
    return parse(file, tree(file, text));
  }

  /**
   * The YAML of a text.
   *
   * @throws InvalidDefinitionException if it is none
   */
  static JsonNode tree(String file, String text) {
    try {
      return MAPPER.readTree(text);
    } catch (JacksonException e) {
      throw new InvalidDefinitionException(file + ": " + e.getOriginalMessage() + at(e), e);
    }
  }

  private static String at(JacksonException e) {
    return e.getLocation() == null ? "" : ", in line " + e.getLocation().getLineNr();
  }

  private static Definition parse(String file, JsonNode root) {
    return new DefinitionFile(DefinitionSection.of(file + ":", root)).definition();
  }

  private Definition definition() {
    String name = top.text("name");
    if (!name.matches("[a-z0-9-]+")) {
      throw top.wrong("name", "must have only small letters, digits and '-', not '" + name + "'");
    }
    String title = top.text("title");
    String about = top.optionalText("about");
    int rounds = top.whole("rounds", 1, 1, MOST_ROUNDS);
    double preheat = top.number("preheat", 0, 0, MOST_SECONDS);
    boolean shared = top.flag("sharedClusters", true);
    List<Point> points = excluded(points());
    List<FigureSpec> figures = figures(points);
    Map<String, Double> agreement = agreement(points);
    top.refuseOthers();
    if (points.isEmpty()) {
      throw top.wrong("points", "the experiment has no points");
    }
    return new Definition(
        name,
        title,
        about == null ? "" : about.strip(),
        points,
        rounds,
        preheat,
        shared,
        figures,
        agreement);
  }

  private Map<String, Double> agreement(List<Point> points) {
    Map<String, Double> agreement = new LinkedHashMap<>();
    JsonNode given = top.get("agreement");
    if (given != null) {
      DefinitionSection section = DefinitionSection.of(top.place("agreement"), given);
      for (String metric : section.values().keySet()) {
        agreement.put(metric, section.number(metric, 0, 0, MOST_DIFFERENCE));
      }
      if (points.stream().map(Point::way).distinct().count() < 2) {
        throw top.wrong("agreement", "compares ways, and all points have the same");
      }
    }
    return agreement;
  }

  private List<Point> points() {
    double warmup = top.number("warmup", 5, 0, MOST_SECONDS);
    double seconds = top.number("seconds", 10, 0.1, MOST_SECONDS);
    int seed = top.whole("seed", 1, 0, Integer.MAX_VALUE);
    Map<String, JsonNode> common = new LinkedHashMap<>();
    JsonNode defaults = top.get("defaults");
    if (defaults != null) {
      common.putAll(DefinitionSection.of(top.place("defaults"), defaults).values());
    }
    JsonNode blocks = top.required("points");
    List<Point> points = new ArrayList<>();
    for (int i = 0; i < (blocks.isArray() ? blocks.size() : 1); i++) {
      String place = top.place("points") + (blocks.isArray() ? "[" + i + "]" : "");
      Map<String, JsonNode> block = new LinkedHashMap<>(common);
      block.putAll(DefinitionSection.of(place, blocks.isArray() ? blocks.get(i) : blocks).values());
      // Systems vary fastest, so that compared systems run one after another.
      JsonNode systems = block.remove("system");
      if (systems != null) {
        block.put("system", systems);
      }
      for (Map<String, JsonNode> combination : combinations(block)) {
        points.add(PointReader.read(place, combination, warmup, seconds, seed));
      }
    }
    refuseRepetitions(points);
    return points;
  }

  private void refuseRepetitions(List<Point> points) {
    Set<Map<String, Object>> seen = new LinkedHashSet<>();
    for (Point point : points) {
      if (!seen.add(point.coordinates())) {
        throw top.wrong("points", "two points are equal: " + point.coordinates());
      }
    }
  }

  /** All combinations of one value from each list; the last key varies fastest. */
  private static List<Map<String, JsonNode>> combinations(Map<String, JsonNode> lists) {
    List<Map<String, JsonNode>> all = List.of(new LinkedHashMap<>());
    for (Map.Entry<String, JsonNode> list : lists.entrySet()) {
      List<Map<String, JsonNode>> longer = new ArrayList<>();
      for (Map<String, JsonNode> one : all) {
        for (JsonNode value : values(list.getValue())) {
          for (JsonNode single : list.getKey().equals("workload") ? inner(value) : List.of(value)) {
            Map<String, JsonNode> extended = new LinkedHashMap<>(one);
            extended.put(list.getKey(), single);
            longer.add(extended);
          }
        }
      }
      all = longer;
    }
    return all;
  }

  private static List<JsonNode> values(JsonNode value) {
    return value.isArray() ? value.valueStream().toList() : List.of(value);
  }

  /** A workload's options may be lists as well. */
  private static List<JsonNode> inner(JsonNode workload) {
    if (!workload.isObject()) {
      return List.of(workload);
    }
    Map<String, JsonNode> options = new LinkedHashMap<>();
    workload.properties().forEach(entry -> options.put(entry.getKey(), entry.getValue()));
    return combinations(options).stream().<JsonNode>map(MAPPER::valueToTree).toList();
  }

  private List<Point> excluded(List<Point> points) {
    List<Point> left = new ArrayList<>(points);
    JsonNode exclusions = top.get("exclude");
    for (int i = 0; exclusions != null && i < exclusions.size(); i++) {
      DefinitionSection exclusion =
          DefinitionSection.of(top.place("exclude") + "[" + i + "]", exclusions.get(i));
      Map<String, String> wanted = new LinkedHashMap<>();
      exclusion.values().forEach((key, value) -> wanted.put(key, exclusion.text(key)));
      if (!left.removeIf(point -> Coordinates.match(point.coordinates(), wanted))) {
        throw new InvalidDefinitionException(
            exclusion.place() + " excludes no point: none has " + wanted);
      }
    }
    return left;
  }

  private List<FigureSpec> figures(List<Point> points) {
    List<FigureSpec> figures = new ArrayList<>();
    Set<String> coordinates = new LinkedHashSet<>();
    points.forEach(point -> coordinates.addAll(point.coordinates().keySet()));
    Set<String> names = new LinkedHashSet<>();
    @Nullable JsonNode list = top.get("figures");
    for (int i = 0; list != null && i < list.size(); i++) {
      DefinitionSection section =
          DefinitionSection.of(top.place("figures") + "[" + i + "]", list.get(i));
      FigureSpec figure = FigureSpec.of(section, List.copyOf(coordinates));
      if (!names.add(figure.name())) {
        throw section.wrong("name", "two figures have the name '" + figure.name() + "'");
      }
      figures.add(figure);
    }
    return figures;
  }

  /**
   * The definitions in a folder.
   *
   * @throws UncheckedIOException if it cannot be read
   */
  public static List<Path> in(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(one -> one.toString().endsWith(".yaml")).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + folder + ": " + e.getMessage(), e);
    }
  }
}
