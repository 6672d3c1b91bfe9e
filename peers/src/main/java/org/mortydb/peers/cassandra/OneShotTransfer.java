package org.mortydb.peers.cassandra;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.Codec;
import org.mortydb.client.Codecs;
import org.mortydb.client.Context;
import org.mortydb.client.KeySpace;
import org.mortydb.client.Transaction;
import org.mortydb.protocol.model.Key;
import org.mortydb.workloads.audit.Auditor;
import org.mortydb.workloads.audit.Condition;
import org.mortydb.workloads.load.Workload;
import org.mortydb.workloads.rows.Rows;
import org.mortydb.workloads.sampling.Sampler;

/**
 * The bank transfer in CQL: one Accord transaction that reads, compares and subtracts in one round,
 * without the client. Accounts and amounts are those of {@code transfer}.
 *
 * <p>A body writes a command under the key of the paying account, and {@link OneShotTransferStore}
 * executes it. The client sees no reads, so there is no history to replay; only the sum is checked.
 */
public final class OneShotTransfer implements Workload {
  private static final long INITIAL = 1_000;
  private static final int MOST_AMOUNT = 100;
  private static final int AT_ONCE = 500;

  /** A command to move money. */
  record Move(long from, long to, long amount) {}

  private static final Codec<Move> MOVE_CODEC =
      new Codec<>() {
        @Override
        public byte[] encode(Move move) {
          return ByteBuffer.allocate(3 * Long.BYTES)
              .putLong(move.from)
              .putLong(move.to)
              .putLong(move.amount)
              .array();
        }

        @Override
        public Move decode(byte[] bytes) {
          ByteBuffer in = ByteBuffer.wrap(bytes);
          return new Move(in.getLong(), in.getLong(), in.getLong());
        }
      };

  static final KeySpace<Long, Move> MOVES = KeySpace.of("move", Codecs.INT64, MOVE_CODEC);
  static final KeySpace<Long, Long> ACCOUNTS = KeySpace.of("account", Codecs.INT64, Codecs.INT64);

  private final int accounts;
  private final double zipf;
  private @Nullable LongUnaryOperator balances;

  /**
   * @param accounts the number of accounts, at least 2
   * @param zipf the exponent of their popularity; 0 for uniform
   */
  public OneShotTransfer(int accounts, double zipf) {
    this.accounts = accounts;
    this.zipf = zipf;
  }

  /**
   * Sets the reader of balances for the audit.
   *
   * @param byAccount the balance of each account
   */
  void readBalancesWith(LongUnaryOperator byAccount) {
    balances = byAccount;
  }

  static Move move(byte[] bytes) {
    return MOVE_CODEC.decode(bytes);
  }

  /** Whether a key is that of a command; otherwise it is that of an account. */
  static boolean isMove(Key key) {
    return key.size() == MOVES.key(0L).key().size();
  }

  /** The number of the account with a key. */
  static long account(Key key) {
    byte[] bytes = key.bytes();
    return Codecs.INT64.decode(Arrays.copyOfRange(bytes, bytes.length - Long.BYTES, bytes.length));
  }

  @Override
  public String name() {
    return "transfer-one-shot";
  }

  @Override
  public List<String> types() {
    return List.of("transfer");
  }

  @Override
  public long records() {
    return accounts;
  }

  @Override
  public String recordName(long record) {
    return ACCOUNTS.key(record).toString();
  }

  @Override
  public Source source(int session, RandomGenerator random) {
    Sampler drawn = Sampler.zipf(random, accounts, zipf);
    return () -> {
      int from = drawn.next();
      int to = drawn.next();
      while (to == from) {
        to = drawn.next();
      }
      Move move = new Move(from, to, random.nextInt(1, MOST_AMOUNT + 1));
      return new Planned(
          0,
          (txn, ctx) -> {
            txn.put(ctx, MOVES.key(move.from), move);
            Rows.commit(txn, ctx);
          });
    };
  }

  @Override
  public int initialTransactionCount() {
    return Math.ceilDiv(accounts, AT_ONCE);
  }

  @Override
  public Source initialTransactions(RandomGenerator random, int part, int parts) {
    return Source.batches(
        part,
        parts,
        accounts,
        AT_ONCE,
        (first, end) -> new Planned(0, (txn, ctx) -> fill(txn, ctx, first, end)));
  }

  private static void fill(Transaction<Trace> txn, Context<Trace> ctx, int first, int end) {
    for (int i = first; i < end; i++) {
      txn.put(ctx, ACCOUNTS.key((long) i), INITIAL);
    }
    Rows.commit(txn, ctx);
  }

  @Override
  public void audit(Auditor auditor) {
    LongUnaryOperator read = balances;
    if (read == null) {
      return;
    }
    Condition sum = auditor.condition("sum of all balances = initial sum");
    Condition positive = auditor.condition("no balance is below zero");
    long total = 0;
    for (int i = 0; i < accounts; i++) {
      long balance = read.applyAsLong(i);
      String name = recordName(i);
      positive.check(balance >= 0, () -> name + ": " + balance);
      total += balance;
    }
    long found = total;
    long right = accounts * INITIAL;
    sum.check(found == right, () -> found + " and " + right);
  }
}
