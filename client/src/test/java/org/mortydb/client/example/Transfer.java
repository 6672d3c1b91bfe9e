package org.mortydb.client.example;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.mortydb.client.Client;
import org.mortydb.client.Codecs;
import org.mortydb.client.KeySpace;
import org.mortydb.client.Result;
import org.mortydb.client.TypedKey;

/** Moves money from one account to another, in both styles. */
final class Transfer {
  /** Account numbers to balances in cents. */
  static final KeySpace<String, Long> ACCOUNTS =
      KeySpace.of("account", Codecs.STRING, Codecs.INT64);

  private Transfer() {}

  /** What the continuations know: the balances after the transfer. */
  record Balances(long from, long to) {}

  /** The continuation-passing style: nothing blocks, and thousands run on one thread. */
  static CompletableFuture<Result<Balances>> transfer(
      Client client, String from, String to, long cents) {
    TypedKey<Long> fromKey = ACCOUNTS.key(from);
    TypedKey<Long> toKey = ACCOUNTS.key(to);
    return client.execute(
        new Balances(0, 0),
        (txn, start) ->
            txn.getAll(
                start,
                List.of(fromKey, toKey),
                (ctx, balances) -> {
                  Long fromBalance = balances.get(0);
                  Long toBalance = balances.get(1);
                  if (fromBalance == null || toBalance == null || fromBalance < cents) {
                    txn.abort(ctx);
                    return;
                  }
                  Balances after = new Balances(fromBalance - cents, toBalance + cents);
                  txn.put(ctx, fromKey, after.from());
                  txn.put(ctx, toKey, after.to());
                  txn.commit(ctx.with(after));
                }));
  }

  /** The direct style: plain code on a thread that may block, best a virtual one. */
  static Result<Balances> transferDirectly(Client client, String from, String to, long cents) {
    TypedKey<Long> fromKey = ACCOUNTS.key(from);
    TypedKey<Long> toKey = ACCOUNTS.key(to);
    return client.run(
        txn -> {
          List<Long> balances = txn.getAll(List.of(fromKey, toKey));
          Long fromBalance = balances.get(0);
          Long toBalance = balances.get(1);
          if (fromBalance == null || toBalance == null || fromBalance < cents) {
            throw txn.abort();
          }
          Balances after = new Balances(fromBalance - cents, toBalance + cents);
          txn.put(fromKey, after.from());
          txn.put(toKey, after.to());
          return after;
        });
  }

  /** What to do with a result. */
  static String tell(Result<Balances> result) {
    return switch (result) {
      case Result.Committed(Balances after, var info) ->
          "done, " + after.from() + " are left, in " + info.latencyMicros() + " µs";
      case Result.AbortedByApplication(var state, var info) ->
          "refused: no such account, or too little in it";
      case Result.AbortedByConflict(var reason, var info) ->
          "not done after " + info.attempts() + " attempts (" + reason + "), try later";
      case Result.OutcomeUnknown(var info) ->
          "perhaps done: look whether " + info.txn() + " has happened before trying again";
    };
  }
}
