/**
 * The transaction API.
 *
 * <p>A transaction runs in one of two styles. In both, a read may become stale while the
 * transaction runs, or even after it asked to commit. The client then runs only the part after that
 * read again. So application code in transactions has no outside effects.
 *
 * <p>A transfer in the <em>continuation-passing style</em>: nothing blocks, and thousands of
 * transactions run on one thread. The state travels in the {@link org.mortydb.client.Context}.
 *
 * {@snippet :
 * KeySpace<String, Long> accounts = KeySpace.of("account", Codecs.STRING, Codecs.INT64);
 * TypedKey<Long> from = accounts.key("alice");
 * TypedKey<Long> to = accounts.key("bob");
 *
 * CompletableFuture<Result<String>> result =
 *     client.execute(
 *         "",
 *         (txn, start) ->
 *             txn.getAll(
 *                 start,
 *                 List.of(from, to),
 *                 (ctx, balances) -> {
 *                   Long payer = balances.get(0);
 *                   Long payee = balances.get(1);
 *                   if (payer == null || payee == null || payer < 100) {
 *                     txn.abort(ctx.with("insufficient funds"));
 *                     return;
 *                   }
 *                   txn.put(ctx, from, payer - 100);
 *                   txn.put(ctx, to, payee + 100);
 *                   txn.commit(ctx.with("done"));
 *                 }));
 * }
 *
 * <p>The same in the <em>direct style</em>: plain code on a thread that may block, best a virtual
 * one. When a read becomes stale, the lambda runs again, and the client answers its earlier reads
 * from memory.
 *
 * {@snippet :
 * Result<String> result =
 *     client.run(
 *         txn -> {
 *           long payer = txn.getOrDefault(from, 0L);
 *           long payee = txn.getOrDefault(to, 0L);
 *           if (payer < 100) {
 *             throw txn.abort();
 *           }
 *           txn.put(from, payer - 100);
 *           txn.put(to, payee + 100);
 *           return "done";
 *         });
 * }
 *
 * <p>The result says how the transaction ended:
 *
 * {@snippet :
 * switch (result) {
 *   case Result.Committed(String value, TransactionInfo info) -> log(value);
 *   case Result.AbortedByApplication(String state, TransactionInfo info) -> log(state);
 *   case Result.AbortedByConflict(AbortReason reason, TransactionInfo info) -> log("try later");
 *   case Result.OutcomeUnknown(TransactionInfo info) -> log("look before you try again");
 * }
 * }
 */
@NullMarked
package org.mortydb.client;

import org.jspecify.annotations.NullMarked;
