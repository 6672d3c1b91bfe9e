package org.mortydb.sim.workload;

import java.io.Serial;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.history.ListOperation;
import org.mortydb.check.history.ListOperation.Append;
import org.mortydb.check.history.ValueHash;
import org.mortydb.client.Codec;
import org.mortydb.client.Codecs;
import org.mortydb.client.Context;
import org.mortydb.client.DirectTransaction;
import org.mortydb.client.Transaction;
import org.mortydb.client.TransactionBody;
import org.mortydb.client.TypedKey;
import org.mortydb.client.TypedRange;
import org.mortydb.client.direct.ContinuationBody;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Value;
import org.mortydb.sim.workload.Journal.Entry;
import org.mortydb.sim.workload.RestlessTransaction.Pauses;

/**
 * A random transaction, drawn from a seed. It is written in the continuation-passing style, and
 * runs in either style. If it is dependent, every choice of step, key and end also depends on all
 * values read so far. So a re-execution takes another way after a stale read.
 */
public final class Program implements TransactionBody<Program.State> {

  /**
   * The state of a transaction.
   *
   * @param journal its operations so far
   * @param step the number of started steps
   * @param seen a hash of the values read; 0 if choices must not depend on them
   */
  public record State(Journal journal, int step, long seen) {
    /** The state at the start. */
    public static final State START = new State(Journal.EMPTY, 0, 0);
  }

  private static final Codec<List<String>> ITEMS = Codecs.listOf(Codecs.STRING);

  private final String name;
  private final long seed;
  private final WorkloadProfile profile;
  private final KeyUniverse keys;
  private final boolean dependent;
  private final boolean fresh;
  private final boolean givesUp;
  private final boolean throwing;
  private final boolean direct;

  /** The appends of each attempt, including abandoned executions. */
  private final List<List<Append>> attempts = new ArrayList<>();

  /** What each execution that gave up had seen. */
  private final List<Journal> forgone = new ArrayList<>();

  private @Nullable RestlessTransaction restless;
  private int written;

  /** The exception of a program that gives up. */
  public static final class Thrown extends RuntimeException {
    @Serial private static final long serialVersionUID = 1;

    Thrown(String program) {
      super("program " + program + " gives up", null, false, false);
    }
  }

  /**
   * @param name a unique name, part of every written value
   * @param seed determines its choices
   */
  public Program(String name, long seed, WorkloadProfile profile, KeyUniverse keys) {
    this.name = name;
    this.seed = seed;
    this.profile = profile;
    this.keys = keys;
    this.dependent = isDrawn("dependent", profile.dependentShare());
    this.fresh = isDrawn("fresh", profile.freshShare());
    this.givesUp = isDrawn("gives up", profile.abortShare());
    this.throwing = isDrawn("throws", 0.5);
    this.direct = isDrawn("direct", profile.directShare());
  }

  /** The name. */
  public String name() {
    return name;
  }

  /** The appends that each attempt so far may have made visible. */
  public List<List<Append>> attempts() {
    return attempts;
  }

  /** What each execution that gave up had seen, in order. */
  public List<Journal> forgone() {
    return forgone;
  }

  /** Whether it is to run in the direct style. */
  public boolean isDirect() {
    return direct;
  }

  /**
   * Whether a re-execution repeats the reads before the stale one. Otherwise it may leave some out,
   * which the coordinator nevertheless validates.
   */
  public boolean readsTheSameAgain() {
    return !direct || !fresh;
  }

  @Override
  public void begin(Transaction<State> txn, Context<State> ctx) {
    while (attempts.size() < txn.attempt()) {
      attempts.add(new ArrayList<>());
    }
    next(txn, ctx);
  }

  /**
   * Runs in the direct style; the body of a transaction.
   *
   * @param pauses the pauses of the body's thread
   */
  public State run(DirectTransaction txn, Pauses pauses) {
    RestlessTransaction running = new RestlessTransaction(txn, seed, keys.byKind(), pauses);
    restless = running;
    State end = new ContinuationBody<>(State.START, this).run(running);
    running.end();
    return new State(running.complete(end.journal), end.step, end.seen);
  }

  private void giveUp(Transaction<State> txn, Context<State> ctx) {
    Journal journal = ctx.state().journal;
    forgone.add(restless == null ? journal : restless.complete(journal));
    if (throwing) {
      throw new Thrown(name);
    }
    txn.abort(ctx);
  }

  // ---- steps --------------------------------------------------------------------------------

  private void next(Transaction<State> txn, Context<State> before) {
    State state = before.state();
    long dice = ValueHash.combine(ValueHash.combine(seed, state.step), state.seen);
    if (state.step >= 1 + pick(dice, 1, profile.maxSteps())) {
      // If dependent, a program may give up in one execution and commit in the next.
      if (givesUp && pick(dice, 20, 4) > 0) {
        giveUp(txn, before);
      } else {
        txn.commit(before);
      }
      return;
    }
    Context<State> ctx = before.with(new State(state.journal, state.step + 1, state.seen));
    switch (profile.steps().get(pick(dice, 2, profile.steps().size()))) {
      case READ_LIST -> get(txn, ctx, any(keys.lists(), dice, 3), (c, value) -> next(txn, c));
      case APPEND -> append(txn, ctx, any(keys.lists(), dice, 3));
      case READ_REGISTER ->
          get(txn, ctx, any(keys.registers(), dice, 3), (c, value) -> next(txn, c));
      case BLIND_WRITE ->
          next(txn, put(txn, ctx, any(keys.registers(), dice, 3), unique(state.step, "")));
      case READ_MODIFY_WRITE -> {
        TypedKey<String> key = any(keys.registers(), dice, 3);
        get(txn, ctx, key, (c, value) -> next(txn, put(txn, c, key, unique(state.step, ""))));
      }
      case CHASE_POINTER -> chasePointer(txn, ctx, any(keys.registers(), dice, 3));
      case CONDITIONAL_WRITES -> writeConditionally(txn, ctx, dice);
      case SKEW_PAIR -> skewPair(txn, ctx, 2 * pick(dice, 3, keys.pairs().size() / 2), dice);
      case READ_MANY -> getAll(txn, ctx, some(dice), (c, values) -> next(txn, c));
      case WRITE_CONSTANT ->
          next(txn, put(txn, ctx, any(keys.constants(), dice, 3), "v" + pick(dice, 4, 2)));
      case WRITE_SAME -> writeSame(txn, ctx, dice);
      case TOGGLE -> toggle(txn, ctx, any(keys.deletables(), dice, 3));
      case READ_OWN_WRITE -> {
        TypedKey<String> key = any(keys.registers(), dice, 3);
        get(txn, put(txn, ctx, key, unique(state.step, "")), key, (c, value) -> next(txn, c));
      }
      case SCAN -> scan(txn, ctx, anyRange(dice), 1 + pick(dice, 6, 8), (c, found) -> next(txn, c));
      case COUNT_AND_ADD -> countAndAdd(txn, ctx, dice);
      case MERGE -> next(txn, merge(txn, ctx, any(KeyUniverse.COUNTERS, dice, 3), dice));
      case READ_COUNTER ->
          get(txn, ctx, any(KeyUniverse.COUNTERS, dice, 3), (c, value) -> next(txn, c));
      case RESET_COUNTER -> next(txn, reset(txn, ctx, any(KeyUniverse.COUNTERS, dice, 3), dice));
    }
  }

  /** Merges into a counter, unless the execution has read or put it: then there is no merge. */
  private Context<State> merge(
      Transaction<State> txn, Context<State> ctx, TypedKey<String> counter, long dice) {
    State state = ctx.state();
    for (Entry entry : state.journal.entries()) {
      if (entry.key().equals(counter.toString()) && !(entry instanceof Entry.Merged)) {
        return ctx;
      }
    }
    Value merge =
        KeyUniverse.isQueue(counter)
            ? append(txn, ctx, counter.key(), dice)
            : count(txn, ctx, counter.key(), dice);
    Journal journal = state.journal.with(new Entry.Merged(counter.toString(), merge));
    return ctx.with(new State(journal, state.step, state.seen));
  }

  private static Value count(Transaction<State> txn, Context<State> ctx, Key counter, long dice) {
    TypedKey<Long> key = TypedKey.of(counter, Codecs.INT64);
    long n = 1L + pick(dice, 4, 9);
    switch (pick(dice, 5, 6)) {
      case 0 -> {
        txn.max(ctx, key, 30 * n);
        return TypedKey.max(key, 30 * n);
      }
      case 1 -> {
        txn.putIfAbsent(ctx, key, n);
        return TypedKey.putIfAbsent(key, n);
      }
      default -> {
        txn.add(ctx, key, n);
        return TypedKey.add(key, n);
      }
    }
  }

  private Value append(Transaction<State> txn, Context<State> ctx, Key counter, long dice) {
    TypedKey<List<String>> key = TypedKey.of(counter, ITEMS);
    String item = unique(ctx.state().step, "");
    int atMost = 1 + pick(dice, 4, 4);
    txn.append(ctx, key, item, atMost);
    return TypedKey.append(key, item, atMost);
  }

  private static boolean hasMerged(State state, TypedKey<String> counter) {
    for (Entry entry : state.journal.entries()) {
      if (entry instanceof Entry.Merged && entry.key().equals(counter.toString())) {
        return true;
      }
    }
    return false;
  }

  private Context<State> reset(
      Transaction<State> txn, Context<State> ctx, TypedKey<String> counter, long dice) {
    if (pick(dice, 4, 3) == 0) {
      return put(txn, ctx, counter, null);
    }
    byte[] bytes;
    if (KeyUniverse.isQueue(counter)) {
      List<String> items = List.of(unique(ctx.state().step, "/a"), unique(ctx.state().step, "/b"));
      txn.put(ctx, TypedKey.of(counter.key(), ITEMS), items);
      bytes = ITEMS.encode(items);
    } else {
      long n = pick(dice, 5, 50);
      txn.put(ctx, TypedKey.of(counter.key(), Codecs.INT64), n);
      bytes = Codecs.INT64.encode(n);
    }
    State state = ctx.state();
    String text = new String(bytes, StandardCharsets.UTF_8);
    Journal journal = state.journal.with(new Entry.Wrote(counter.toString(), text));
    return ctx.with(new State(journal, state.step, state.seen));
  }

  private void append(Transaction<State> txn, Context<State> ctx, TypedKey<String> key) {
    get(
        txn,
        ctx,
        key,
        (c, list) -> {
          String element = unique(c.state().step, "");
          Append append = new Append(key.toString(), element);
          if (!attempts.getLast().contains(append)) {
            attempts.getLast().add(append);
          }
          next(txn, put(txn, c, key, list == null ? element : list + "," + element));
        });
  }

  private void chasePointer(Transaction<State> txn, Context<State> ctx, TypedKey<String> pointer) {
    get(
        txn,
        ctx,
        pointer,
        (c, value) -> {
          TypedKey<String> target = any(keys.registers(), fold(0, value), 1);
          get(
              txn,
              c,
              target,
              (c2, old) -> next(txn, put(txn, c2, target, unique(c2.state().step, ""))));
        });
  }

  private void writeConditionally(Transaction<State> txn, Context<State> ctx, long dice) {
    get(
        txn,
        ctx,
        any(keys.registers(), dice, 3),
        (c, value) -> {
          long found = fold(dice, value);
          Context<State> after = c;
          for (int i = pick(found, 4, 3); i > 0; i--) {
            TypedKey<String> key = any(keys.registers(), found, 4 + i);
            after = put(txn, after, key, unique(c.state().step, "/" + i));
          }
          next(txn, after);
        });
  }

  private void skewPair(Transaction<State> txn, Context<State> ctx, int first, long dice) {
    List<TypedKey<String>> pair = keys.pairs().subList(first, first + 2);
    getAll(
        txn,
        ctx,
        pair,
        (c, values) -> {
          boolean on = isOn(values.get(0)) || isOn(values.get(1));
          int step = c.state().step;
          Context<State> after;
          if (on) {
            after = put(txn, c, pair.get(0), "off." + unique(step, "/0"));
            after = put(txn, after, pair.get(1), "off." + unique(step, "/1"));
          } else {
            after = put(txn, c, pair.get(pick(dice, 5, 2)), "on." + unique(step, ""));
          }
          next(txn, after);
        });
  }

  private static boolean isOn(@Nullable String value) {
    return value != null && value.startsWith("on.");
  }

  private void writeSame(Transaction<State> txn, Context<State> ctx, long dice) {
    TypedKey<String> key = any(keys.constants(), dice, 3);
    get(txn, ctx, key, (c, value) -> next(txn, put(txn, c, key, value == null ? "v0" : value)));
  }

  private void toggle(Transaction<State> txn, Context<State> ctx, TypedKey<String> key) {
    get(
        txn,
        ctx,
        key,
        (c, value) -> {
          String next = value == null ? unique(c.state().step, "") : null;
          next(txn, put(txn, c, key, next));
        });
  }

  private void countAndAdd(Transaction<State> txn, Context<State> ctx, long dice) {
    List<TypedKey<String>> counted = keys.deletables();
    KeyRange range = KeyRange.ofPrefix(Key.of("d"));
    scan(
        txn,
        ctx,
        range,
        counted.size() + 1,
        (c, found) -> {
          TypedKey<String> key = any(counted, dice, 7);
          String next = 2 * found > counted.size() ? null : unique(c.state().step, "");
          next(txn, put(txn, c, key, next));
        });
  }

  /** A random range of the keys. */
  private KeyRange anyRange(long dice) {
    List<TypedKey<String>> all = keys.inOrder();
    Key from = any(all, dice, 3).key();
    String text = from.toString();
    return switch (pick(dice, 4, 5)) {
      case 0 -> KeyRange.ALL;
      case 1 -> KeyRange.ofPrefix(Key.of(text.substring(0, 1)));
      case 2 -> new KeyRange(from, any(all, dice, 5).key()); // may be empty
      case 3 -> KeyRange.ofPrefix(Key.of(text.substring(0, text.indexOf('}') + 1))); // or all
      default -> new KeyRange(from, null);
    };
  }

  // ---- operations, with their journal ---------------------------------------------------------

  /** The continuation of a read. */
  private interface Then<T extends @Nullable Object> {
    void resume(Context<State> ctx, T found);
  }

  /** Scans, and adds every key of the scanned range to the journal, even if it is absent. */
  private void scan(
      Transaction<State> txn, Context<State> ctx, KeyRange range, int limit, Then<Integer> next) {
    txn.scan(
        ctx,
        TypedRange.of(range, KeyUniverse.AS_TEXT),
        limit,
        (c, found) -> {
          KeyRange scanned =
              found.size() < limit ? range : range.below(KeyRange.after(found.getLast().key()));
          Map<Key, String> values = new HashMap<>();
          found.forEach(entry -> values.put(entry.key(), entry.value()));
          Context<State> after = c;
          for (TypedKey<String> key : keys.inOrder()) {
            if (scanned.contains(key.key())) {
              String value = values.get(key.key());
              after = saw(after, new Entry.Scanned(key.toString(), value));
            }
          }
          for (TypedKey<String> counter : KeyUniverse.COUNTERS) {
            boolean merged = hasMerged(after.state(), counter); // its value is not the one below
            if (scanned.contains(counter.key()) && !merged) {
              String value = values.get(counter.key());
              after = saw(after, new Entry.Scanned(counter.toString(), value));
            }
          }
          next.resume(after, found.size());
        });
  }

  private void get(
      Transaction<State> txn,
      Context<State> ctx,
      TypedKey<String> key,
      Then<@Nullable String> next) {
    txn.get(ctx, key, (c, value) -> next.resume(saw(c, key, value), value));
  }

  private void getAll(
      Transaction<State> txn,
      Context<State> ctx,
      List<TypedKey<String>> keys,
      Then<List<@Nullable String>> next) {
    txn.<String>getAll(
        ctx,
        keys,
        (c, values) -> {
          Context<State> after = c;
          for (int i = 0; i < keys.size(); i++) {
            after = saw(after, keys.get(i), values.get(i));
          }
          next.resume(after, values);
        });
  }

  private Context<State> saw(Context<State> ctx, TypedKey<String> key, @Nullable String value) {
    return saw(ctx, new Entry.Got(key.toString(), value));
  }

  private Context<State> saw(Context<State> ctx, Entry entry) {
    State state = ctx.state();
    long seen = dependent ? fold(state.seen, entry.value()) : 0;
    Journal journal = state.journal.with(entry);
    return ctx.with(new State(journal, state.step, seen));
  }

  /** Writes a value, or deletes the key if it is null. */
  private static Context<State> put(
      Transaction<State> txn, Context<State> ctx, TypedKey<String> key, @Nullable String value) {
    if (value == null) {
      txn.delete(ctx, key);
    } else {
      txn.put(ctx, key, value);
    }
    State state = ctx.state();
    Journal journal = state.journal.with(new Entry.Wrote(key.toString(), value));
    return ctx.with(new State(journal, state.step, state.seen));
  }

  // ---- choices ------------------------------------------------------------------------------

  /** A value of this attempt only; if the program is fresh, of this execution only. */
  private String unique(int step, String suffix) {
    String value = name + "." + attempts.size() + "." + step + suffix;
    return fresh ? value + "#" + written++ : value;
  }

  private List<TypedKey<String>> some(long dice) {
    List<TypedKey<String>> all = keys.byKind();
    List<TypedKey<String>> some = new ArrayList<>();
    for (int i = pick(dice, 3, 5); i >= 0; i--) {
      some.add(any(all, dice, 10 + i));
    }
    return Collections.unmodifiableList(some);
  }

  private static <T> T any(List<T> list, long dice, int draw) {
    return list.get(pick(dice, draw, list.size()));
  }

  private static int pick(long dice, int draw, int bound) {
    return (int) Long.remainderUnsigned(ValueHash.combine(dice, draw), bound);
  }

  private boolean isDrawn(String what, double share) {
    long dice = ValueHash.combine(seed, ValueHash.of(what.getBytes(StandardCharsets.UTF_8)));
    return Long.remainderUnsigned(dice, 1_000) < share * 1_000;
  }

  private static long fold(long dice, @Nullable String value) {
    return ValueHash.combine(
        dice, value == null ? 0 : ValueHash.of(value.getBytes(StandardCharsets.UTF_8)));
  }

  /** The operations on lists in a journal, in program order. */
  public static List<ListOperation> listOperations(Journal journal) {
    List<ListOperation> operations = new ArrayList<>();
    for (Entry entry : journal.entries()) {
      String value = entry.value();
      if (!KeyUniverse.isList(entry.key())
          || entry instanceof Entry.Begun
          || entry instanceof Entry.Merged) {
        continue;
      }
      List<String> elements = value == null ? List.of() : KeyUniverse.elements(value);
      operations.add(
          switch (entry) {
            case Entry.Got got -> new ListOperation.ReadList(got.key(), elements);
            case Entry.Scanned scanned -> new ListOperation.ReadList(scanned.key(), elements);
            case Entry.Wrote wrote -> new Append(wrote.key(), elements.getLast());
            case Entry.Begun _, Entry.Merged _ -> throw new AssertionError("passed over");
          });
    }
    return operations;
  }
}
