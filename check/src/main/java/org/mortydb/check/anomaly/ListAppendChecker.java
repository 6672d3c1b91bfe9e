package org.mortydb.check.anomaly;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.anomaly.Anomaly.Kind;
import org.mortydb.check.anomaly.DependencyGraph.Dependency;
import org.mortydb.check.history.ClientTransaction;
import org.mortydb.check.history.ListHistory;
import org.mortydb.check.history.ListOperation;
import org.mortydb.check.history.Status;

/**
 * A black-box check of list histories, like Elle's. It uses no timestamps or versions. Elements are
 * unique and lists only grow, so reads reveal the order of the writes of each key, and with it all
 * dependencies. A cycle of dependencies means that no serial order explains the history.
 */
public final class ListAppendChecker {
  private final ListHistory history;
  private final List<ClientTransaction<ListOperation>> transactions;
  private final Anomalies anomalies = new Anomalies();
  private final DependencyGraph graph;
  private final boolean[] committed;

  /** The history of each key, in a fixed order. */
  private final Map<String, KeyHistory> keys = new TreeMap<>();

  private final List<KeyHistory> keyList = new ArrayList<>();
  private long reads;

  private ListAppendChecker(ListHistory history) {
    this.history = history;
    transactions = history.transactions();
    graph = new DependencyGraph(transactions.size());
    committed = new boolean[transactions.size()];
  }

  /** Checks a history for plain serializability. */
  public static Verdict check(ListHistory history) {
    return check(history, Order.NONE);
  }

  /**
   * Checks a history.
   *
   * @throws IllegalArgumentException if two operations append the same element to a key, so that
   *     the history cannot be checked
   */
  public static Verdict check(ListHistory history, Order order) {
    return new ListAppendChecker(history).run(order);
  }

  private Verdict run(Order order) {
    for (int t = 0; t < transactions.size(); t++) {
      committed[t] = transactions.get(t).status() == Status.COMMITTED;
      registerAppends(t);
    }
    for (int t = 0; t < transactions.size(); t++) {
      if (committed[t]) {
        replay(t);
      }
    }
    history.finalReads().forEach((key, elements) -> key(key).finalRead(elements));
    for (KeyHistory key : keys.values()) {
      key.check();
      key.addEdges();
    }
    OrderEdges.add(
        graph,
        order,
        IntStream.range(0, committed.length).filter(t -> committed[t]).toArray(),
        t -> transactions.get(t).session(),
        t -> transactions.get(t).beginMicros(),
        t -> transactions.get(t).endMicros());
    CycleReport.addCycles(
        graph,
        anomalies,
        this::name,
        (edge, first, second) -> keyList.get(graph.key(edge)).explain(edge, first, second));
    long count = IntStream.range(0, committed.length).filter(t -> committed[t]).count();
    return anomalies.verdict(new Coverage(committed.length, count, reads, 0, graph.edges()));
  }

  private KeyHistory key(String key) {
    return keys.computeIfAbsent(
        key,
        name -> {
          KeyHistory created = new KeyHistory(name, keyList.size());
          keyList.add(created);
          return created;
        });
  }

  private String name(int t) {
    return transactions.get(t).name();
  }

  private void registerAppends(int t) {
    for (ListOperation operation : transactions.get(t).operations()) {
      if (operation instanceof ListOperation.Append append) {
        key(append.key()).registerAppend(t, append.element());
      }
    }
  }

  /** Checks a transaction's reads against its own operations, and extracts its reads of others. */
  private void replay(int t) {
    Map<String, @Nullable List<String>> seen = new TreeMap<>();
    Map<String, List<String>> appended = new TreeMap<>();
    for (ListOperation operation : transactions.get(t).operations()) {
      switch (operation) {
        case ListOperation.Append(String key, String element) ->
            appended.computeIfAbsent(key, _ -> new ArrayList<>()).add(element);
        case ListOperation.ReadList(String key, List<String> elements) -> {
          reads++;
          List<String> own = appended.getOrDefault(key, List.of());
          List<String> others = seen.get(key);
          int split = elements.size() - own.size();
          if (split < 0 || !elements.subList(split, elements.size()).equals(own)) {
            reportInternal(t, key, elements, "its own appends " + own + " are not at the end");
          } else if (others != null && !elements.subList(0, split).equals(others)) {
            reportInternal(
                t, key, elements, "it had read " + others + " of other transactions before");
          } else {
            seen.put(key, elements.subList(0, split));
          }
        }
      }
    }
    seen.forEach((key, elements) -> key(key).read(t, elements, appended.get(key)));
  }

  private void reportInternal(int t, String key, List<String> elements, String why) {
    anomalies.add(
        Kind.INTERNAL,
        List.of(name(t)),
        () -> name(t) + " read " + key + " = " + elements + ", but " + why);
  }

  /**
   * An observed list.
   *
   * @param observer the transaction; -1 for the final read
   * @param read the number of elements read; the observer itself appended the others
   */
  private record Observation(int observer, List<String> elements, int read) {}

  /** The history of one key. */
  private final class KeyHistory {
    private static final int FINAL = -1;

    private final String key;
    private final int index;
    private final Map<String, Integer> writerOf = new HashMap<>();
    private final Map<Integer, List<String>> appendsOf = new TreeMap<>();
    private final List<Observation> observations = new ArrayList<>();
    private List<String> order = List.of();

    KeyHistory(String key, int index) {
      this.key = key;
      this.index = index;
    }

    void registerAppend(int t, String element) {
      Integer other = writerOf.put(element, t);
      if (other != null) {
        throw new IllegalArgumentException(
            "element '"
                + element
                + "' is appended to key '"
                + key
                + "' more than once, by "
                + name(other)
                + " and "
                + name(t)
                + ": elements must be unique");
      }
      appendsOf.computeIfAbsent(t, _ -> new ArrayList<>()).add(element);
    }

    void read(int t, List<String> elements, @Nullable List<String> appended) {
      if (appended == null) {
        observations.add(new Observation(t, elements, elements.size()));
      } else {
        List<String> all = new ArrayList<>(elements);
        all.addAll(appended);
        observations.add(new Observation(t, all, elements.size()));
      }
    }

    void finalRead(List<String> elements) {
      observations.add(new Observation(FINAL, elements, elements.size()));
    }

    /** Checks each observation by itself, then against the longest one. */
    void check() {
      for (Observation observation : observations) {
        checkDuplicates(observation);
        checkWriters(observation);
        if (observation.elements.size() > order.size()) {
          order = observation.elements;
        }
      }
      List<Observation> agreeing = new ArrayList<>();
      for (Observation observation : observations) {
        if (isPrefix(observation.elements)) {
          agreeing.add(observation);
        } else {
          reportDisagreement(observation);
        }
        if (observation.observer == FINAL) {
          checkNothingLost(observation.elements);
        }
      }
      observations.clear();
      observations.addAll(agreeing);
    }

    private void checkDuplicates(Observation observation) {
      Set<String> seen = new HashSet<>();
      for (String element : observation.elements) {
        if (!seen.add(element)) {
          report(Kind.DUPLICATE_ELEMENT, observation, "'" + element + "' occurs twice");
        }
      }
    }

    private void checkWriters(Observation observation) {
      List<String> elements = observation.elements;
      for (int i = 0; i < observation.read; i++) {
        String element = elements.get(i);
        Integer writer = writerOf.get(element);
        if (writer == null) {
          report(Kind.UNKNOWN_WRITER, observation, "no transaction appended '" + element + "'");
          continue;
        }
        String by = "'" + element + "' was appended by " + name(writer);
        switch (transactions.get(writer).status()) {
          case ABORTED -> report(Kind.ABORTED_READ, observation, by + ", which aborted");
          case UNKNOWN -> committed[writer] = true;
          case COMMITTED -> {
            if (writer == observation.observer) {
              report(Kind.INTERNAL, observation, by + " only later");
            } else if (!isWholeAppend(elements, i, appendsOf(writer))) {
              String text = by + ", whose appends are " + appendsOf(writer);
              report(Kind.INTERMEDIATE_READ, observation, text);
            }
          }
        }
      }
    }

    private List<String> appendsOf(int writer) {
      return appendsOf.getOrDefault(writer, List.of());
    }

    /** Whether the list contains all appends of an element's writer around it, in order. */
    private static boolean isWholeAppend(List<String> elements, int at, List<String> appends) {
      int start = at - appends.indexOf(elements.get(at));
      int end = start + appends.size();
      return start >= 0 && end <= elements.size() && elements.subList(start, end).equals(appends);
    }

    private boolean isPrefix(List<String> elements) {
      return elements.equals(order.subList(0, elements.size()));
    }

    private void reportDisagreement(Observation observation) {
      int i = 0;
      while (observation.elements.get(i).equals(order.get(i))) {
        i++;
      }
      String element = observation.elements.get(i);
      Integer one = writerOf.get(element);
      Integer other = writerOf.get(order.get(i));
      if (one != null && other != null && replaced(one, i) && replaced(other, i)) {
        report(
            Kind.LOST_UPDATE,
            observation,
            name(one)
                + " and "
                + name(other)
                + " both read "
                + show(order.subList(0, i))
                + ", and appended '"
                + element
                + "' and '"
                + order.get(i)
                + "' to that");
      } else {
        report(
            Kind.INCOMPATIBLE_ORDER,
            observation,
            "other reads saw " + show(order) + "; they differ from element " + i + " on");
      }
    }

    /**
     * Whether a committed transaction read the first {@code size} elements and appended to them.
     */
    private boolean replaced(int t, int size) {
      return observations.stream()
          .anyMatch(o -> o.observer == t && o.read == size && o.elements.size() > size);
    }

    private void checkNothingLost(List<String> elements) {
      Set<String> present = new HashSet<>(elements);
      Set<String> expected = new HashSet<>(order);
      appendsOf.forEach(
          (t, appends) -> {
            if (transactions.get(t).status() == Status.COMMITTED) {
              expected.addAll(appends);
            }
          });
      for (String element : expected.stream().sorted().toList()) {
        if (!present.contains(element)) {
          Integer writer = writerOf.get(element);
          String by = writer == null ? "nobody" : name(writer);
          anomalies.add(
              Kind.LOST_ELEMENT,
              List.of(by),
              () ->
                  "'"
                      + element
                      + "', appended to "
                      + key
                      + " by "
                      + by
                      + ", is missing at the end: "
                      + show(elements));
        }
      }
    }

    private void report(Kind kind, Observation observation, String why) {
      anomalies.add(
          () -> {
            boolean isFinal = observation.observer == FINAL;
            String who = isFinal ? "the final read" : name(observation.observer);
            String verb = observation.read < observation.elements.size() ? " left " : " saw ";
            String text = who + verb + key + " = " + show(observation.elements) + "; " + why;
            return new Anomaly(kind, isFinal ? List.of() : List.of(who), text);
          });
    }

    void addEdges() {
      for (int i = 1; i < order.size(); i++) {
        addEdge(writerOf.get(order.get(i - 1)), writerOf.get(order.get(i)), Dependency.WW, i);
      }
      int unseen = addUnseen();
      for (Observation observation : observations) {
        int t = observation.observer;
        if (t == FINAL) {
          continue;
        }
        int read = observation.read;
        if (read > 0) {
          addEdge(writerOf.get(order.get(read - 1)), t, Dependency.WR, read);
        }
        if (read < order.size()) {
          addEdge(t, writerOf.get(order.get(read)), Dependency.RW, read);
        } else if (unseen >= 0) {
          addEdge(t, unseen, Dependency.RW, read);
        }
      }
    }

    /**
     * Adds committed appends that no read saw. They come after all seen elements and all readers.
     *
     * @return a helper that leads to them; -1 if there are none
     */
    private int addUnseen() {
      Set<String> seen = new HashSet<>(order);
      int helper = -1;
      for (Map.Entry<Integer, List<String>> append : appendsOf.entrySet()) {
        int t = append.getKey();
        if (transactions.get(t).status() == Status.COMMITTED
            && !seen.contains(append.getValue().getLast())) {
          if (helper < 0) {
            helper = graph.addHelper();
          }
          graph.add(helper, t, Dependency.REST, index, order.size());
          if (!order.isEmpty()) {
            addEdge(writerOf.get(order.getLast()), t, Dependency.WW, order.size());
          }
        }
      }
      return helper;
    }

    private void addEdge(
        @Nullable Integer from, @Nullable Integer to, Dependency dependency, int position) {
      if (from != null && to != null) {
        graph.add(from, to, dependency, index, position);
      }
    }

    String explain(int edge, String first, String second) {
      int position = graph.detail(edge);
      String before = show(order.subList(0, position));
      return switch (graph.dependency(edge)) {
        case WW ->
            first
                + " appended the last of "
                + key
                + " = "
                + before
                + ", "
                + second
                + " the next element";
        case WR ->
            first + " appended the last of " + key + " = " + before + ", which " + second + " read";
        case RW ->
            first
                + " read "
                + key
                + " = "
                + before
                + ", to which "
                + second
                + " appended the next element"
                + (position < order.size() ? " '" + order.get(position) + "'" : "");
        case ORDER, REST -> first + " comes before " + second;
      };
    }

    private static String show(List<String> elements) {
      int shown = 12;
      return elements.size() <= shown
          ? elements.toString()
          : "[... "
              + (elements.size() - shown)
              + " more, "
              + String.join(", ", elements.subList(elements.size() - shown, elements.size()))
              + "]";
    }
  }
}
