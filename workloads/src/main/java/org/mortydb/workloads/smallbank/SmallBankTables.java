package org.mortydb.workloads.smallbank;

import java.util.List;
import java.util.function.LongFunction;
import org.mortydb.client.Codecs;
import org.mortydb.client.KeySpace;
import org.mortydb.client.TypedKey;
import org.mortydb.workloads.rows.MergedRows;
import org.mortydb.workloads.rows.RowCodec;
import org.mortydb.workloads.rows.Rows;
import org.mortydb.workloads.rows.Stamped;

/**
 * The three tables. A row's number is its customer's number times three, plus the table's position.
 * The rows of a customer lie in one partition.
 */
final class SmallBankTables {
  /** A customer. */
  record Customer(String name) {
    static final Customer NONE = new Customer("");
  }

  /** Money in cents. */
  record Money(long cents) {
    static final Money NONE = new Money(0);

    Money plus(long more) {
      return new Money(cents + more);
    }
  }

  private static final List<String> NAMES = List.of("customer", "savings", "checking");

  static final Rows<Customer> CUSTOMER =
      rows(
          RowCodec.of(
              "customer",
              'c',
              64,
              (out, row) -> out.writeStringNoTag(row.name),
              in -> new Customer(in.readString())));
  static final Rows<Money> SAVINGS = rows(money("savings", 's'));
  static final Rows<Money> CHECKING = rows(money("checking", 'k'));

  /** The checking accounts as numbers, into which deposits merge. */
  static final MergedRows<Long> MERGED_CHECKING = numbers("checking");

  private SmallBankTables() {}

  private static RowCodec<Money> money(String name, char letter) {
    return RowCodec.of(
        name,
        letter,
        32,
        (out, row) -> out.writeSInt64NoTag(row.cents),
        in -> new Money(in.readSInt64()));
  }

  private static <R> Rows<R> rows(RowCodec<R> codec) {
    KeySpace<Long, Stamped<R>> space =
        KeySpace.of(codec.name(), Codecs.INT64, codec).taggedBy(String::valueOf);
    LongFunction<TypedKey<Stamped<R>>> keys = record -> space.key(record / NAMES.size());
    return new Rows<>(keys, codec);
  }

  private static MergedRows<Long> numbers(String name) {
    KeySpace<Long, Long> space =
        KeySpace.of(name, Codecs.INT64, Codecs.INT64).taggedBy(String::valueOf);
    return new MergedRows<>(record -> space.key(record / NAMES.size()));
  }

  static long customer(int customer) {
    return (long) customer * NAMES.size();
  }

  static long savings(int customer) {
    return (long) customer * NAMES.size() + 1;
  }

  static long checking(int customer) {
    return (long) customer * NAMES.size() + 2;
  }

  static String nameOf(long record) {
    return NAMES.get((int) (record % NAMES.size())) + " " + record / NAMES.size();
  }
}
