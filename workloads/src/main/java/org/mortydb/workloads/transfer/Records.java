package org.mortydb.workloads.transfer;

import org.mortydb.client.Codecs;
import org.mortydb.client.KeySpace;
import org.mortydb.workloads.rows.CorruptRecordException;
import org.mortydb.workloads.rows.RowCodec;
import org.mortydb.workloads.rows.Rows;
import org.mortydb.workloads.rows.Stamped;

/**
 * Accounts, and the coordinator records of two-phase transfers. The number of an account is twice
 * its position; that of a coordinator record is twice the transfer's id, plus one.
 */
final class Records {
  /** The initial balance of every account. */
  static final long INITIAL = 1_000;

  /**
   * An account.
   *
   * @param transfer the transfer that intends to change it; 0 when there is none
   * @param intended the intended change
   */
  record Account(long balance, long transfer, long intended) {
    static final Account NONE = new Account(0, 0, 0);

    /** The account with another balance. */
    Account plus(long amount) {
      return new Account(balance + amount, transfer, intended);
    }

    Account intending(long byTransfer, long amount) {
      return new Account(balance, byTransfer, amount);
    }

    /** The account after the intention was applied or discarded. */
    Account resolved(boolean committed) {
      return new Account(committed ? balance + intended : balance, 0, 0);
    }
  }

  /** The state of a transfer. */
  enum State {
    /** Undecided. */
    PENDING,
    /** The transfer takes place. */
    COMMITTED,
    /** The transfer does not take place. */
    ABORTED
  }

  private static final RowCodec<Account> ACCOUNT_CODEC =
      RowCodec.of(
          "account",
          'a',
          64,
          (out, account) -> {
            out.writeSInt64NoTag(account.balance);
            out.writeUInt64NoTag(account.transfer);
            out.writeSInt64NoTag(account.intended);
          },
          in -> new Account(in.readSInt64(), in.readUInt64(), in.readSInt64()));

  private static final RowCodec<State> STATE_CODEC =
      RowCodec.of(
          "coordinator",
          'c',
          32,
          (out, state) -> out.writeUInt32NoTag(state.ordinal()),
          in -> {
            int ordinal = in.readUInt32();
            if (ordinal < 0 || ordinal >= State.values().length) {
              throw new CorruptRecordException("no state of a transfer: " + ordinal);
            }
            return State.values()[ordinal];
          });

  private static final KeySpace<Long, Stamped<Account>> ACCOUNT_KEYS =
      KeySpace.of("account", Codecs.INT64, ACCOUNT_CODEC);
  private static final KeySpace<Long, Stamped<State>> STATE_KEYS =
      KeySpace.of("transfer", Codecs.INT64, STATE_CODEC);

  static final Rows<Account> ACCOUNTS =
      new Rows<>(record -> ACCOUNT_KEYS.key(record >> 1), ACCOUNT_CODEC);
  static final Rows<State> STATES = new Rows<>(record -> STATE_KEYS.key(record >> 1), STATE_CODEC);

  private Records() {}

  static long account(int account) {
    return (long) account << 1;
  }

  static long state(long transfer) {
    return transfer << 1 | 1;
  }

  static String nameOf(long record) {
    return ((record & 1) == 0 ? "account " : "transfer ") + (record >> 1);
  }
}
