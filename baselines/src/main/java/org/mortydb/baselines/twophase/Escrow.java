package org.mortydb.baselines.twophase;

import java.math.BigInteger;
import java.util.HashMap;
import java.util.List;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Merge;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;

/**
 * What prepared transactions may add to numbers. A sum is admitted only if the number stays within
 * 64 bits whichever of them commit, and in whatever order.
 */
final class Escrow {
  private static final BigInteger LEAST = BigInteger.valueOf(Long.MIN_VALUE);
  private static final BigInteger MOST = BigInteger.valueOf(Long.MAX_VALUE);

  /** What may be added to a number, and what may be taken from it. */
  private record Reserved(BigInteger added, BigInteger taken, int sums) {
    static final Reserved NOTHING = new Reserved(BigInteger.ZERO, BigInteger.ZERO, 0);

    Reserved with(BigInteger amount, int sign) {
      BigInteger change = sign > 0 ? amount : amount.negate();
      return amount.signum() > 0
          ? new Reserved(added.add(change), taken, sums + sign)
          : new Reserved(added, taken.add(change), sums + sign);
    }
  }

  private final HashMap<Key, Reserved> reserved = new HashMap<>();

  /** Whether a sum fits a value. */
  boolean admits(Value before, Write sum) {
    if (!Merge.isNumber(before)) {
      return false;
    }
    BigInteger number = BigInteger.valueOf(Merge.number(before));
    Reserved all =
        reserved.getOrDefault(sum.key(), Reserved.NOTHING).with(Merge.amount(sum.value()), 1);
    return number.add(all.added).compareTo(MOST) <= 0
        && number.add(all.taken).compareTo(LEAST) >= 0;
  }

  /** A transaction with these writes is prepared. */
  void reserve(List<Write> writes) {
    change(writes, 1);
  }

  /** It has ended. */
  void release(List<Write> writes) {
    change(writes, -1);
  }

  private void change(List<Write> writes, int sign) {
    for (Write write : writes) {
      if (Merge.isSum(write.value())) {
        Reserved after =
            reserved
                .getOrDefault(write.key(), Reserved.NOTHING)
                .with(Merge.amount(write.value()), sign);
        if (after.sums == 0) {
          reserved.remove(write.key());
        } else {
          reserved.put(write.key(), after);
        }
      }
    }
  }

  /** The number of keys to which prepared transactions add. */
  int size() {
    return reserved.size();
  }
}
