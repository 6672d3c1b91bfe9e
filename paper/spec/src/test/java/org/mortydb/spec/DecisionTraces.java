package org.mortydb.spec;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Turns the steps of simulated runs into traces for {@code DecisionTrace.tla}: one for each
 * transaction, up to the first watermark that passes it. Equal traces are kept once.
 *
 * <p>What the model does not have is projected away:
 *
 * <ul>
 *   <li>The number of an execution says which partitions take part in it: {@code 5k + 1 + mask} for
 *       the k-th that was prepared. The model allows executions between them that are never
 *       prepared.
 *   <li>Views are numbered in their order.
 *   <li>A conditional vote counts from the beginning if its condition is known to hold at some
 *       replica of its partition, and otherwise not at all: no process relies on it.
 * </ul>
 */
final class DecisionTraces {
  private static final JsonMapper JSON = new JsonMapper();

  /** A trace, and where it comes from. */
  record Trace(int f, List<Step> steps) {}

  /**
   * A step of a trace.
   *
   * @param name the action
   * @param arguments numbers, and names of replicas
   */
  record Step(String name, List<Object> arguments) {
    static Step of(String name, Object... arguments) {
      return new Step(name, List.of(arguments));
    }

    /** As a tuple of TLA+. */
    String tuple() {
      StringBuilder text = new StringBuilder("<<\"").append(name).append('"');
      for (Object argument : arguments) {
        text.append(", ");
        text.append(argument instanceof String word ? '"' + word + '"' : argument);
      }
      return text.append(">>").toString();
    }
  }

  private record TxnKey(long micros, long client) implements Comparable<TxnKey> {
    @Override
    public int compareTo(TxnKey other) {
      return Comparator.comparingLong(TxnKey::micros)
          .thenComparingLong(TxnKey::client)
          .compare(this, other);
    }

    static TxnKey of(JsonNode step) {
      return new TxnKey(step.get("txn").get(0).asLong(), step.get("txn").get(1).asLong());
    }
  }

  /** The different traces, each with the name of the first transaction that has it. */
  private final Map<Trace, String> traces = new LinkedHashMap<>();

  private int transactions;

  /** The number of transactions read. */
  int transactions() {
    return transactions;
  }

  /** The different traces for clusters with this f. */
  List<Trace> of(int f) {
    return traces.keySet().stream().filter(trace -> trace.f == f).toList();
  }

  /** Which transaction has taken these steps. */
  String source(Trace trace) {
    return Objects.requireNonNull(traces.get(trace));
  }

  /** Adds the transactions of a run. */
  void read(Path file) throws IOException {
    TreeMap<TxnKey, List<JsonNode>> open = new TreeMap<>();
    Map<TxnKey, List<JsonNode>> all = new LinkedHashMap<>();
    Set<TxnKey> closed = new HashSet<>();
    TxnKey watermark = new TxnKey(0, 0);
    JsonNode first;
    try (BufferedReader lines = Files.newBufferedReader(file)) {
      first = JSON.readTree(lines.readLine());
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        JsonNode step = JSON.readTree(line);
        TxnKey txn = TxnKey.of(step);
        if (step.get("step").asString().equals("truncate")) {
          Map<TxnKey, List<JsonNode>> below = open.headMap(txn, true);
          closed.addAll(below.keySet());
          below.clear();
          watermark = txn.compareTo(watermark) > 0 ? txn : watermark;
        } else if (!closed.contains(txn) && txn.compareTo(watermark) > 0) {
          List<JsonNode> steps = all.computeIfAbsent(txn, t -> new ArrayList<>());
          steps.add(step);
          open.putIfAbsent(txn, steps);
        }
      }
    }
    all.forEach(
        (txn, steps) -> {
          if (steps.stream().anyMatch(step -> step.get("step").asString().equals("prepare"))) {
            transactions++;
            traces.putIfAbsent(
                new Trace(first.get("f").asInt(), new Projection(steps).steps()),
                "seed " + first.get("seed").asLong() + ", " + txn);
          }
        });
  }

  /** The steps of one transaction in the terms of the model. */
  private static final class Projection {
    private final int home;
    private final List<Integer> others;
    private final TreeMap<Integer, Integer> codes = new TreeMap<>();
    private final List<List<Long>> views;
    private final List<Step> projected = new ArrayList<>();
    private final Set<Step> once = new HashSet<>();

    /** The executions that some replica of a partition has voted to commit unconditionally. */
    private final Set<List<Integer>> unconditional = new HashSet<>();

    /** The replicas whose standing vote is conditional and never counts. */
    private final Set<String> uncounted = new HashSet<>();

    private int current;

    Projection(List<JsonNode> steps) {
      home = steps.getFirst().get("home").asInt();
      TreeSet<Integer> partitions = new TreeSet<>();
      TreeSet<List<Long>> seen =
          new TreeSet<>(
              Comparator.comparingLong((List<Long> view) -> view.get(0))
                  .thenComparingLong(view -> view.get(1)));
      seen.add(List.of(0L, 0L));
      TreeMap<Integer, JsonNode> prepared = new TreeMap<>();
      for (JsonNode step : steps) {
        if (step.has("participants")) {
          prepared.put(step.get("execution").asInt(), step.get("participants"));
          step.get("participants").forEach(partition -> partitions.add(partition.asInt()));
        }
        if (step.has("view")) {
          seen.add(pair(step.get("view")));
        }
        if (step.has("accepted")) {
          seen.add(pair(step.get("accepted").get("view")));
        }
      }
      partitions.remove(home);
      others = List.copyOf(partitions);
      views = List.copyOf(seen);
      prepared.forEach((number, participants) -> codes.put(number, code(participants)));
      Map<String, JsonNode> votes = new HashMap<>();
      for (JsonNode step : steps) {
        JsonNode vote = null;
        if (step.get("step").asString().equals("commit")) {
          votes.put(replica(step), step);
          vote = step.get("conditional").asBoolean() ? null : step;
        } else if (step.get("step").asString().equals("conditionHeld")) {
          vote = votes.get(replica(step));
        }
        if (vote != null) {
          unconditional.add(partitionAndExecution(vote));
        }
      }
      steps.forEach(this::add);
    }

    private int code(JsonNode participants) {
      int mask = 0;
      for (JsonNode partition : participants) {
        if (partition.asInt() != home) {
          mask |= 1 << others.indexOf(partition.asInt());
        }
      }
      return 5 * codes.size() + 1 + mask;
    }

    private static List<Integer> partitionAndExecution(JsonNode vote) {
      return List.of(vote.get("at").get(0).asInt(), vote.get("execution").asInt());
    }

    private static List<Long> pair(JsonNode view) {
      return List.of(view.get(0).asLong(), view.get(1).asLong());
    }

    List<Step> steps() {
      return List.copyOf(projected);
    }

    private int execution(JsonNode step, String field) {
      int number = step.get(field).asInt();
      if (number == -1) {
        return -1;
      }
      Integer code = codes.get(number);
      return code != null ? code : 5 * codes.headMap(number).size();
    }

    private String replica(JsonNode step) {
      int partition = step.get("at").get(0).asInt();
      int index = step.get("at").get(1).asInt();
      return (partition == home ? "h" : others.indexOf(partition) == 0 ? "o" : "t") + index;
    }

    private int view(JsonNode step) {
      return views.indexOf(pair(step.get("view")));
    }

    private void add(JsonNode step) {
      switch (step.get("step").asString()) {
        case "execution" -> {
          int execution = execution(step, "execution");
          if (execution > current) {
            current = execution;
            projected.add(Step.of("reexecute", execution));
          }
        }
        case "prepare" -> projected.add(Step.of("prepare", execution(step, "execution")));
        case "commit" -> {
          if (unconditional.contains(partitionAndExecution(step))) {
            projected.add(Step.of("commit", replica(step), execution(step, "execution")));
          } else {
            uncounted.add(replica(step));
          }
        }
        case "conditionHeld" -> {}
        case "takeBack" -> {
          if (!uncounted.remove(replica(step))) {
            projected.add(Step.of("takeBack", replica(step), execution(step, "execution")));
          }
        }
        case "final" -> addOnce(Step.of("final", replica(step), execution(step, "execution")));
        case "promise" -> {
          JsonNode accepted = step.get("accepted");
          projected.add(
              Step.of(
                  "promise",
                  replica(step),
                  view(step),
                  execution(step, "execution"),
                  accepted == null ? -1 : view(accepted),
                  accepted == null ? -1 : execution(accepted, "outcome")));
        }
        case "finalize" -> {
          int outcome = execution(step, "outcome");
          if (view(step) == 0 && outcome == -1 && lastIs("reexecute")) {
            projected.removeLast(); // it takes the votes back, and executes nothing again
          }
          projected.add(Step.of("finalize", view(step), outcome));
        }
        case "accept" -> addOnce(Step.of("accept", replica(step), view(step)));
        case "decide" -> projected.add(Step.of("decide", execution(step, "outcome")));
        case "know" -> projected.add(Step.of("know", execution(step, "outcome")));
        default -> throw new IllegalArgumentException("an unknown step: " + step);
      }
    }

    private boolean lastIs(String name) {
      return !projected.isEmpty() && projected.getLast().name.equals(name);
    }

    private void addOnce(Step step) {
      if (once.add(step)) {
        projected.add(step);
      }
    }
  }

  // ---- modules ----------------------------------------------------------------------------------

  /**
   * Writes the module Runs with traces, and a configuration for them.
   *
   * @return the model, whose library is the folder
   */
  static Model write(Path folder, int f, List<Trace> traces) throws IOException {
    int executions = 5;
    int views = 1;
    StringBuilder text = new StringBuilder();
    text.append("---- MODULE Runs ----\nEXTENDS Integers\nTraces == <<\n");
    for (int i = 0; i < traces.size(); i++) {
      text.append(i == 0 ? "  <<" : ",\n  <<");
      text.append(traces.get(i).steps.stream().map(Step::tuple).collect(Collectors.joining(", ")));
      text.append(">>");
      for (Step step : traces.get(i).steps) {
        if (step.name.equals("reexecute")) {
          executions = Math.max(executions, (int) step.arguments.getFirst());
        } else if (step.name.equals("promise") || step.name.equals("accept")) {
          views = Math.max(views, (int) step.arguments.get(1));
        }
      }
    }
    text.append(">>\n====\n");
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("Runs.tla"), text);
    Set<Integer> otherIn = new LinkedHashSet<>();
    Set<Integer> thirdIn = new LinkedHashSet<>();
    for (int e = 1; e <= executions; e++) {
      if (e % 5 == 2 || e % 5 == 4) {
        otherIn.add(e);
      }
      if (e % 5 >= 3) {
        thirdIn.add(e);
      }
    }
    Path configuration = folder.resolve("decisiontrace.cfg");
    Files.writeString(
        configuration,
        """
        SPECIFICATION SpecOfTrace
        INVARIANTS Agreement Held
        CONSTANTS
          Home = %s
          Other = %s
          Third = %s
          OtherIn = %s
          ThirdIn = %s
          MaxExec = %d
          MaxView = %d
          AbortsAtOnceOnlyFirst = TRUE
          PromisesAtOthers = TRUE
          Supersedes = TRUE
          TakesVotesBack = TRUE
          IgnoresVotesForOldExecutions = TRUE
        """
            .formatted(
                group("h", f),
                group("o", f),
                group("t", f),
                set(otherIn),
                set(thirdIn),
                executions,
                views));
    return new Model("DecisionTrace", configuration);
  }

  private static String group(String letter, int f) {
    return IntStream.rangeClosed(0, 2 * f)
        .mapToObj(i -> '"' + letter + i + '"')
        .collect(Collectors.joining(", ", "{", "}"));
  }

  private static String set(Set<Integer> numbers) {
    return numbers.stream().map(String::valueOf).collect(Collectors.joining(", ", "{", "}"));
  }
}
