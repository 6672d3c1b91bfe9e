package org.mortydb.check.jepsen;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.anomaly.BankChecker;
import org.mortydb.check.anomaly.BankChecker.Balances;
import org.mortydb.check.anomaly.CountersChecker;
import org.mortydb.check.anomaly.CountersChecker.Raise;
import org.mortydb.check.anomaly.CountersChecker.Step;
import org.mortydb.check.anomaly.LevelsChecker;
import org.mortydb.check.anomaly.LevelsChecker.LevelStep;
import org.mortydb.check.anomaly.LinearizabilityChecker;
import org.mortydb.check.anomaly.LinearizabilityChecker.Action;
import org.mortydb.check.anomaly.LinearizabilityChecker.Call;
import org.mortydb.check.anomaly.LinearizabilityChecker.CompareAndSet;
import org.mortydb.check.anomaly.ListAppendChecker;
import org.mortydb.check.anomaly.Order;
import org.mortydb.check.anomaly.PairsChecker;
import org.mortydb.check.anomaly.PairsChecker.Insert;
import org.mortydb.check.anomaly.RegisterOperationsChecker;
import org.mortydb.check.anomaly.SetChecker;
import org.mortydb.check.anomaly.SetChecker.Addition;
import org.mortydb.check.anomaly.SetChecker.SetRead;
import org.mortydb.check.anomaly.Verdict;
import org.mortydb.check.history.ClientTransaction;
import org.mortydb.check.history.ListHistory;
import org.mortydb.check.history.ListOperation;
import org.mortydb.check.history.RegisterOperation;
import org.mortydb.check.history.Status;

/** The workloads of Jepsen histories, and the check of each. */
public enum HistoryCheck {
  /** Transactions of {@code [:append k v]} and {@code [:r k nil]}. */
  APPEND(true, Aspect.PHANTOMS) {
    @Override
    Verdict judge(List<Invocation> invocations, Order order) {
      return lists(invocations, MicroOperation::of, order);
    }
  },

  /** Transactions of {@code [:w k v]} and {@code [:r k nil]}. */
  REGISTER(true, Aspect.PHANTOMS, Aspect.BLIND_WRITES) {
    @Override
    Verdict judge(List<Invocation> invocations, Order order) {
      return RegisterOperationsChecker.check(
          invocations.stream().map(HistoryCheck::registers).toList(), order);
    }
  },

  /** Single writes and group reads, in the form of {@link #REGISTER}. */
  LONG_FORK(true, Aspect.PHANTOMS) {
    @Override
    Verdict judge(List<Invocation> invocations, Order order) {
      return REGISTER.judge(invocations, order);
    }
  },

  /** {@code :transfer}, and {@code :read} of the balances of all accounts. */
  BANK(false, Aspect.INTERNAL_CONSISTENCY, Aspect.PHANTOMS, Aspect.DEPENDENCIES) {
    @Override
    Verdict judge(List<Invocation> invocations, Order order) {
      List<Balances> reads = new ArrayList<>();
      long transfers = 0;
      for (Invocation i : invocations) {
        if (i.committed() && i.f().equals(READ)) {
          reads.add(balances(i));
        } else if (i.f().equals("transfer")) {
          transfers += i.committed() ? 1 : 0;
        } else {
          requireOneOf(i, READ, "transfer");
        }
      }
      return BankChecker.check(reads, null, transfers);
    }
  },

  /** {@code :add} of an element, and {@code :read} of all elements. */
  SET(false, Aspect.INTERNAL_CONSISTENCY, Aspect.PHANTOMS) {
    @Override
    Verdict judge(List<Invocation> invocations, Order order) {
      List<Addition> additions = new ArrayList<>();
      long lastEndMicros = 0;
      for (Invocation i : invocations) {
        if (i.f().equals("add")) {
          long element = Edn.number(i.begin().value(), i, "5");
          additions.add(new Addition(element, i.status(), i.endMicros()));
          lastEndMicros =
              Math.max(
                  lastEndMicros, i.status() == Status.UNKNOWN ? i.beginMicros() : i.endMicros());
        }
      }
      List<SetRead> reads = new ArrayList<>();
      for (Invocation i : invocations) {
        if (i.f().equals(READ) && i.committed()) {
          List<Long> elements = new ArrayList<>();
          for (Object element : Edn.list(i.value(), i, "[1 2 3]")) {
            elements.add(Edn.number(element, i, "[1 2 3]"));
          }
          boolean last = i.beginMicros() > lastEndMicros;
          reads.add(new SetRead(i.name(), elements, i.beginMicros(), last));
        } else {
          requireOneOf(i, READ, "add");
        }
      }
      return SetChecker.check(additions, reads);
    }
  },

  /** {@code :insert} of a row of a pair, and {@code :rows} at the end. */
  G2(false, Aspect.INTERNAL_CONSISTENCY, Aspect.DEPENDENCIES) {
    @Override
    Verdict judge(List<Invocation> invocations, Order order) {
      List<Insert> inserts = new ArrayList<>();
      Set<Long> atEnd = new TreeSet<>();
      boolean looked = false;
      for (Invocation i : invocations) {
        if (i.f().equals("insert")) {
          String form = "{:pair 0, :table :a, :id 0}";
          Map<?, ?> value = Edn.map(i.begin().value(), i, form);
          inserts.add(
              new Insert(
                  Edn.number(Edn.get(value, "pair"), i, form),
                  Edn.number(Edn.get(value, "id"), i, form),
                  i.status()));
        } else if (i.f().equals("rows") && i.committed()) {
          String form = "{:rows {:a [0], :b [3]}}";
          looked = true;
          Object tables = Edn.get(Edn.map(i.value(), i, form), "rows");
          for (Object rows : Edn.map(tables, i, form).values()) {
            for (Object row : Edn.list(rows, i, form)) {
              atEnd.add(Edn.number(row, i, form));
            }
          }
        } else {
          requireOneOf(i, "insert", "rows");
        }
      }
      return PairsChecker.check(inserts, atEnd, looked);
    }
  },

  /** {@code :raise} of a counter above all others, and {@code :look} at all counters. */
  MONOTONIC(true, Aspect.PHANTOMS) {
    @Override
    Verdict judge(List<Invocation> invocations, Order order) {
      List<Step> steps = new ArrayList<>();
      long unknown = 0;
      for (Invocation i : invocations) {
        requireOneOf(i, RAISE, "look");
        if (i.committed()) {
          steps.add(step(i));
        } else if (i.status() == Status.UNKNOWN && i.f().equals(RAISE)) {
          unknown++;
        }
      }
      return CountersChecker.check(steps, unknown, order);
    }
  },

  /**
   * The operations of {@link #MONOTONIC}, with a {@code :level} of reads and perhaps a {@code
   * :session}: {@code {:level "bounded:2s", :began 17, :session "a-3", :guarantees [..], :saw [2
   * 1]}}.
   */
  LEVELS(false, Aspect.PHANTOMS) {
    @Override
    Verdict judge(List<Invocation> invocations, Order order) {
      List<LevelStep> steps = new ArrayList<>();
      long unknown = 0;
      for (Invocation i : invocations) {
        requireOneOf(i, RAISE, "look");
        if (i.committed()) {
          steps.add(levelStep(i));
        } else if (i.status() == Status.UNKNOWN && i.f().equals(RAISE)) {
          unknown++;
        }
      }
      return LevelsChecker.check(steps, unknown);
    }
  },

  /**
   * {@code :read}, {@code :write} and {@code :cas} of single registers, with values of {@code
   * [register value]}, {@code [register [expected value]]} for {@code :cas}.
   */
  LINEAR(false) {
    @Override
    Set<Aspect> omitted(Order order) {
      return EnumSet.of(Aspect.PHANTOMS, Aspect.TRANSACTIONS);
    }

    @Override
    Verdict judge(List<Invocation> invocations, Order order) {
      return LinearizabilityChecker.check(invocations.stream().map(HistoryCheck::call).toList());
    }
  },

  /**
   * {@code :follow} with an element, which becomes {@code [[:r k [..]] [:append k2 element]]}, and
   * {@code :txn} in the form of {@link #APPEND} that only reads.
   */
  FOLLOW(true, Aspect.PHANTOMS) {
    @Override
    Verdict judge(List<Invocation> invocations, Order order) {
      Map<Object, Object> seenIn = seenIn(invocations);
      return lists(invocations, i -> follows(i, seenIn), order);
    }
  };

  private static final String READ = "read";
  private static final String RAISE = "raise";

  /** Whether the check respects the order that it is asked for. */
  private final boolean ordered;

  /** The aspects that the check leaves out with any order. */
  private final List<Aspect> omits;

  HistoryCheck(boolean ordered, Aspect... omits) {
    this.ordered = ordered;
    this.omits = List.of(omits);
  }

  /**
   * Checks a history.
   *
   * @param order the additional order that the serial order must respect; bank, set, g2 and linear
   *     ignore it
   * @throws MalformedHistoryException if it is a history of another workload, or cannot be checked
   */
  public Verdict check(List<Operation> operations, Order order) {
    try {
      return judge(Invocation.of(operations), order);
    } catch (IllegalArgumentException e) {
      throw new MalformedHistoryException("the history cannot be checked: " + e.getMessage(), e);
    }
  }

  /** The aspects of a history that the check leaves out. */
  Set<Aspect> omitted(Order order) {
    Set<Aspect> omitted = EnumSet.noneOf(Aspect.class);
    omitted.addAll(omits);
    if (!ordered || order == Order.NONE) {
      omitted.add(Aspect.SESSION_ORDER);
    }
    if (!ordered || order != Order.REAL_TIME) {
      omitted.add(Aspect.REAL_TIME);
    }
    return omitted;
  }

  abstract Verdict judge(List<Invocation> invocations, Order order);

  /** The name on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static Balances balances(Invocation read) {
    String form = "{0 10, 1 10}";
    Map<String, Long> balances = new TreeMap<>();
    for (Map.Entry<?, ?> account : Edn.map(read.value(), read, form).entrySet()) {
      String name = String.valueOf(account.getKey());
      if (account.getValue() != null) {
        balances.put(name, Edn.number(account.getValue(), read, form));
      }
    }
    return new Balances(read.name(), balances);
  }

  private static Verdict lists(
      List<Invocation> invocations, Function<Invocation, List<MicroOperation>> parts, Order order) {
    ListHistory history = new ListHistory();
    for (Invocation i : invocations) {
      List<ListOperation> operations = new ArrayList<>();
      for (MicroOperation part : parts.apply(i)) {
        String key = String.valueOf(part.key());
        switch (part.f()) {
          case "append" ->
              operations.add(new ListOperation.Append(key, String.valueOf(part.value())));
          case "r" -> {
            if (i.committed()) {
              operations.add(new ListOperation.ReadList(key, elements(part.value(), i)));
            }
          }
          default -> throw Edn.wrong(part, i, "[:append 1 2] or [:r 1 nil]");
        }
      }
      history.add(
          new ClientTransaction<>(
              i.name(),
              i.begin().process(),
              i.beginMicros(),
              i.endMicros(),
              i.status(),
              operations));
    }
    return ListAppendChecker.check(history, order);
  }

  /** The list in which each element was seen. Each element is appended once. */
  private static Map<Object, Object> seenIn(List<Invocation> invocations) {
    Map<Object, Object> seenIn = new HashMap<>();
    for (Invocation i : invocations) {
      requireOneOf(i, "follow", "txn");
      if (i.committed()) {
        for (MicroOperation part : MicroOperation.of(i)) {
          if (part.f().equals("r") && part.value() instanceof List<?> elements) {
            elements.forEach(element -> seenIn.put(element, part.key()));
          }
        }
      }
    }
    return seenIn;
  }

  /**
   * The parts of a {@code :follow}. Its end names the list of the element. Without an end, the
   * readers of the element know the list; without readers the list does not matter.
   */
  private static List<MicroOperation> follows(Invocation i, Map<Object, Object> seenIn) {
    if (i.committed() || i.f().equals("txn")) {
      return MicroOperation.of(i);
    }
    Long element = Edn.number(i.begin().value(), i, "5");
    return List.of(
        new MicroOperation("append", seenIn.getOrDefault(element, "a list unseen"), element));
  }

  private static Call call(Invocation i) {
    boolean cas = i.f().equals("cas");
    String form = cas ? "[17 [1 3]]" : "[17 3]";
    List<?> pair = pair(i.value(), i, form);
    Object value = pair.getLast();
    Action action =
        switch (i.f()) {
          case READ ->
              new LinearizabilityChecker.Read(value == null ? null : Edn.number(value, i, form));
          case "write" -> new LinearizabilityChecker.Write(Edn.number(value, i, form));
          case "cas" -> {
            List<?> values = pair(value, i, form);
            yield new CompareAndSet(
                Edn.number(values.getFirst(), i, form), Edn.number(values.getLast(), i, form));
          }
          default ->
              throw new MalformedHistoryException(
                  "operation %d: :f must be :read, :write or :cas, not :%s; choose the history's workload with --workload"
                      .formatted(i.begin().index(), i.f()));
        };
    // Positions in the history are distinct; times may be equal.
    return new Call(
        i.name(),
        String.valueOf(pair.getFirst()),
        i.begin().index(),
        i.end() == null ? Long.MAX_VALUE : i.end().index(),
        i.status(),
        action);
  }

  private static List<?> pair(@Nullable Object value, Invocation of, String form) {
    List<?> pair = Edn.list(value, of, form);
    if (pair.size() != 2) {
      throw Edn.wrong(value, of, form);
    }
    return pair;
  }

  private static Step step(Invocation i) {
    String form = i.f().equals(RAISE) ? "{:counter 0, :number 3, :saw [2 1]}" : "{:saw [2 1]}";
    Map<?, ?> value = Edn.map(i.value(), i, form);
    List<Long> saw = new ArrayList<>();
    for (Object number : Edn.list(Edn.get(value, "saw"), i, form)) {
      saw.add(Edn.number(number, i, form));
    }
    Raise raise =
        i.f().equals(RAISE)
            ? new Raise(
                Math.toIntExact(Edn.number(Edn.get(value, "counter"), i, form)),
                Edn.number(Edn.get(value, "number"), i, form))
            : null;
    return new Step(
        i.name(), i.begin().process(), i.beginMicros(), i.endMicros(), saw, raise, i.place());
  }

  private static LevelStep levelStep(Invocation i) {
    Map<?, ?> value = Edn.map(i.value(), i, "{:level \"local\", :saw [2 1]}");
    String level = Edn.get(value, "level") instanceof String text ? text : "serializable";
    Object began = Edn.get(value, "began");
    Object session = Edn.get(value, "session");
    List<?> guarantees = Edn.get(value, "guarantees") instanceof List<?> all ? all : List.of();
    Operation end = i.end();
    return new LevelStep(
        step(i),
        level.equals("local"),
        boundMicros(level),
        began instanceof Long micros ? micros : 0,
        session == null ? null : String.valueOf(session),
        guarantees.contains("read-your-writes"),
        guarantees.contains("monotonic-reads"),
        i.begin().index(),
        end == null ? Long.MAX_VALUE : end.index());
  }

  /** The age in a level such as {@code bounded:2s} or {@code bounded:500ms}; otherwise -1. */
  private static long boundMicros(String level) {
    String age = level.startsWith("bounded:") ? level.substring("bounded:".length()) : "";
    boolean millis = age.endsWith("ms");
    String digits = age.substring(0, Math.max(0, age.length() - (millis ? 2 : 1)));
    return digits.matches("[0-9]{1,9}")
        ? Long.parseLong(digits) * (millis ? 1_000 : 1_000_000)
        : -1;
  }

  private static void requireOneOf(Invocation of, String first, String second) {
    if (!of.f().equals(first) && !of.f().equals(second)) {
      throw new MalformedHistoryException(
          "operation %d: :f must be :%s or :%s, not :%s; choose the history's workload with --workload"
              .formatted(of.begin().index(), first, second, of.f()));
    }
  }

  private static List<String> elements(@Nullable Object read, Invocation of) {
    return read == null
        ? List.of()
        : Edn.list(read, of, "[:r 1 [2 3]]").stream().map(String::valueOf).toList();
  }

  private static ClientTransaction<RegisterOperation> registers(Invocation i) {
    List<RegisterOperation> operations = new ArrayList<>();
    for (MicroOperation part : MicroOperation.of(i)) {
      String key = String.valueOf(part.key());
      String value = part.value() == null ? null : String.valueOf(part.value());
      switch (part.f()) {
        case "w" -> operations.add(new RegisterOperation.WriteValue(key, String.valueOf(value)));
        case "r" -> {
          if (i.committed()) {
            operations.add(new RegisterOperation.ReadValue(key, value));
          }
        }
        default -> throw Edn.wrong(part, i, "[:w 1 2] or [:r 1 nil]");
      }
    }
    return new ClientTransaction<>(
        i.name(), i.begin().process(), i.beginMicros(), i.endMicros(), i.status(), operations);
  }
}
