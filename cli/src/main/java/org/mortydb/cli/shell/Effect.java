package org.mortydb.cli.shell;

import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.mortydb.cli.shell.Statement.Add;
import org.mortydb.cli.shell.Statement.Delete;
import org.mortydb.cli.shell.Statement.Get;
import org.mortydb.cli.shell.Statement.Merge;
import org.mortydb.cli.shell.Statement.MergeAdd;
import org.mortydb.cli.shell.Statement.MergeAppend;
import org.mortydb.cli.shell.Statement.MergeMax;
import org.mortydb.cli.shell.Statement.MergePutIfAbsent;
import org.mortydb.cli.shell.Statement.Operation;
import org.mortydb.cli.shell.Statement.Put;
import org.mortydb.cli.shell.Statement.Scan;
import org.mortydb.client.Codec;
import org.mortydb.client.Codecs;
import org.mortydb.client.DirectTransaction;
import org.mortydb.client.Entry;
import org.mortydb.client.TypedKey;
import org.mortydb.client.TypedRange;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Value;

/**
 * What an operation has read and written. Equal effects are shown as equal text.
 *
 * @param reads the values read, in the order of the keys
 * @param writes the values written, in the order of the keys; for a merge, its operand
 * @param failure why the operation failed; null if it succeeded
 */
record Effect(List<Item> reads, List<Item> writes, @Nullable String failure) {
  private static final Codec<Value> BYTES = Codecs.mapped(Codecs.BYTES, Value::bytes, Value::wrap);
  private static final Codec<List<Value>> LISTS = Codecs.listOf(BYTES);

  /**
   * A key and its value.
   *
   * @param value null for none
   */
  record Item(Key key, @Nullable Value value, ValueType type) {

    /** Returns the key as typed. */
    String name() {
      return Notation.word(Notation.text(key.bytes()));
    }

    /** Returns the shown value: a string or a number; null for none. */
    @Nullable Object shown() {
      Value there = value;
      return there == null ? null : isOfType() ? decoded(there) : Notation.text(there.bytes());
    }

    /** Whether the value has the requested type. */
    boolean isOfType() {
      Value there = value;
      return there == null || decoded(there) != null;
    }

    private @Nullable Object decoded(Value there) {
      try {
        return type.decode(there.bytes());
      } catch (CharacterCodingException | IllegalArgumentException e) {
        return null;
      }
    }
  }

  /** Performs an operation within a transaction. */
  static Effect of(Operation operation, DirectTransaction txn) {
    try {
      return switch (operation) {
        case Get get -> get(get, txn);
        case Scan scan -> scan(scan, txn);
        case Put(Key key, Value value, ValueType type) -> {
          txn.put(typed(key), value);
          yield new Effect(List.of(), List.of(new Item(key, value, type)), null);
        }
        case Delete(List<Key> keys) -> {
          List<Item> deleted = new ArrayList<>();
          for (Key key : keys) {
            txn.delete(typed(key));
            deleted.add(new Item(key, null, ValueType.AUTO));
          }
          yield new Effect(List.of(), List.copyOf(deleted), null);
        }
        case Add add -> add(add, txn);
        case Merge merge -> merge(merge, txn);
      };
    } catch (RuntimeException e) {
      return failed(String.valueOf(e.getMessage()));
    }
  }

  private static Effect failed(String why) {
    return new Effect(List.of(), List.of(), why);
  }

  private static Effect get(Get get, DirectTransaction txn) {
    List<TypedKey<Value>> typed = get.keys().stream().map(Effect::typed).toList();
    List<@Nullable Value> values = txn.getAll(typed);
    List<Item> reads = new ArrayList<>();
    for (int i = 0; i < typed.size(); i++) {
      Item item = new Item(get.keys().get(i), values.get(i), get.type());
      if (!item.isOfType()) {
        return failed(
            item.name() + " holds " + item.shown() + ", which is not of type " + get.type());
      }
      reads.add(item);
    }
    return new Effect(List.copyOf(reads), List.of(), null);
  }

  private static Effect scan(Scan scan, DirectTransaction txn) {
    List<Item> reads = new ArrayList<>();
    for (Entry<Key, Value> entry : txn.scan(TypedRange.of(scan.range(), BYTES), scan.limit())) {
      Item item = new Item(entry.key(), entry.value(), scan.type());
      // Values of other types in a range are shown as they are.
      reads.add(item.isOfType() ? item : new Item(entry.key(), entry.value(), ValueType.AUTO));
    }
    return new Effect(List.copyOf(reads), List.of(), null);
  }

  private static Effect add(Add add, DirectTransaction txn) {
    Value there = txn.get(typed(add.key()));
    Item read = new Item(add.key(), there, add.type());
    long sum;
    try {
      long number =
          there == null
              ? 0
              : add.type() == ValueType.INT64
                  ? Codecs.INT64.decode(there.bytes())
                  : Long.parseLong(new String(there.bytes(), StandardCharsets.UTF_8));
      sum = Math.addExact(number, add.amount());
    } catch (ArithmeticException e) {
      return failed(read.name() + " would leave the range of 64 bits");
    } catch (IllegalArgumentException e) {
      String what =
          add.type() == ValueType.INT64 ? "not of type int64" : "not a decimal whole number";
      return failed(
          read.name() + " holds " + read.shown() + ", which is " + what + hint(add, there));
    }
    Value value = Value.wrap(add.type().encode(Long.toString(sum)));
    txn.put(typed(add.key()), value);
    return new Effect(List.of(read), List.of(new Item(add.key(), value, add.type())), null);
  }

  private static Effect merge(Merge merge, DirectTransaction txn) {
    Item operand;
    try {
      operand =
          switch (merge) {
            case MergeAdd(Key key, long amount) -> {
              txn.add(number(key), amount);
              yield number(key, amount);
            }
            case MergeMax(Key key, long number) -> {
              txn.max(number(key), number);
              yield number(key, number);
            }
            case MergeAppend(Key key, Value item, int atMost) -> {
              txn.append(TypedKey.of(key, LISTS), item, atMost);
              yield new Item(key, item, ValueType.AUTO);
            }
            case MergePutIfAbsent(Key key, Value value) -> {
              txn.putIfAbsent(typed(key), value);
              yield new Item(key, value, ValueType.AUTO);
            }
          };
    } catch (ArithmeticException e) {
      Item there = new Item(merge.key(), null, ValueType.INT64);
      return failed(there.name() + " would leave the range of 64 bits");
    }
    return new Effect(List.of(), List.of(operand), null);
  }

  private static TypedKey<Long> number(Key key) {
    return TypedKey.of(key, Codecs.INT64);
  }

  private static Item number(Key key, long operand) {
    return new Item(key, Value.wrap(Codecs.INT64.encode(operand)), ValueType.INT64);
  }

  private static String hint(Add add, @Nullable Value there) {
    return add.type() != ValueType.INT64 && there != null && there.size() == Long.BYTES
        ? "; for a number in 8 bytes append: as int64"
        : "";
  }

  /** Returns the keys as the transaction takes them. */
  private static TypedKey<Value> typed(Key key) {
    return TypedKey.of(Objects.requireNonNull(key), BYTES);
  }

  /** Returns a key of the operation, to check whether its transaction is still valid. */
  static TypedKey<Value> firstKey(Operation operation) {
    return typed(
        switch (operation) {
          case Get get -> get.keys().getFirst();
          case Scan scan -> scan.range().from(); // covered by the scan
          case Put put -> put.key();
          case Delete delete -> delete.keys().getFirst();
          case Add add -> add.key();
          case Merge merge -> merge.key();
        });
  }
}
