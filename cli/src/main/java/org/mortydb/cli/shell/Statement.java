package org.mortydb.cli.shell;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.ReadLevel;
import org.mortydb.client.WriteDurability;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Value;

/** A statement. */
sealed interface Statement {

  /** A statement that runs within a transaction. */
  sealed interface Operation extends Statement {}

  /** Reads keys. */
  record Get(List<Key> keys, ValueType type) implements Operation {}

  /** Reads the keys of a range that hold something, in their order, up to a limit. */
  record Scan(KeyRange range, int limit, ValueType type) implements Operation {}

  /** Writes a key; the type is that of the value as typed. */
  record Put(Key key, Value value, ValueType type) implements Operation {}

  /** Deletes keys. */
  record Delete(List<Key> keys) implements Operation {}

  /**
   * Adds to the number at a key; an absent key counts as 0.
   *
   * @param type {@link ValueType#INT64}, or {@link ValueType#TEXT} for decimal digits
   */
  record Add(Key key, long amount, ValueType type) implements Operation {}

  /** Changes a value without reading it. */
  sealed interface Merge extends Operation {
    Key key();
  }

  /** Adds to the {@code int64} at a key; an absent key counts as 0. */
  record MergeAdd(Key key, long amount) implements Merge {}

  /** Raises the {@code int64} at a key, if it is lower; an absent key takes the number. */
  record MergeMax(Key key, long number) implements Merge {}

  /** Writes a key if it holds nothing. */
  record MergePutIfAbsent(Key key, Value value) implements Merge {}

  /** Appends an item to the list at a key, which keeps its last {@code atMost} items. */
  record MergeAppend(Key key, Value item, int atMost) implements Merge {}

  /**
   * Begins a transaction of several statements.
   *
   * @param level what a transaction that only reads promises about its reads; null for one that may
   *     write
   * @param durability what the commit of one that may write has survived when it is reported
   */
  record Begin(@Nullable ReadLevel level, WriteDurability durability) implements Statement {

    /** Begins a transaction with the durability of the servers. */
    Begin(@Nullable ReadLevel level) {
      this(level, WriteDurability.AS_SERVERS);
    }
  }

  /** Commits the open transaction. */
  record Commit() implements Statement {}

  /** Rolls the open transaction back. */
  record Rollback() implements Statement {}

  /** Switches the display of costs on or off. */
  record Timing(boolean on) implements Statement {}

  /** Explains the statements. */
  record Help() implements Statement {}

  /** Ends the shell. */
  record Quit() implements Statement {}
}
