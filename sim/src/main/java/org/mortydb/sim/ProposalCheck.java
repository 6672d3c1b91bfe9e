package org.mortydb.sim;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.View;

/**
 * Checks that of the outcomes proposed for a transaction at most one is chosen, in all views
 * together (docs/protocol.md, section 5). An outcome is chosen once f+1 home replicas have accepted
 * it in one view, even if no process knows. From then on no higher view may propose another one.
 */
final class ProposalCheck {
  private final IntUnaryOperator f;
  private final Consumer<String> violated;
  private final Map<TxnId, TreeMap<View, Proposal>> proposals = new HashMap<>();

  /** The lowest view in which an outcome was chosen. */
  private final Map<TxnId, View> chosen = new HashMap<>();

  /** Transactions whose promises the operator has given up. */
  private final Set<TxnId> exempt = new HashSet<>();

  /** An outcome proposed in one view, and the home replicas that have accepted it. */
  private record Proposal(Outcome value, Set<ReplicaId> acceptors) {}

  /**
   * @param f how many replicas of each partition may fail
   * @param violated gets the explanation of each violation
   */
  ProposalCheck(IntUnaryOperator f, Consumer<String> violated) {
    this.f = f;
    this.violated = violated;
  }

  /** The operator has taken the cluster back: replicas have forgotten promises and acceptances. */
  void rolledBack() {
    chosen.clear();
    exempt.addAll(proposals.keySet());
  }

  /** A coordinator or a recovery proposes an outcome. */
  void proposed(TxnId txn, View view, Outcome value) {
    TreeMap<View, Proposal> views = proposals.computeIfAbsent(txn, _ -> new TreeMap<>());
    Proposal known = views.putIfAbsent(view, new Proposal(value, new HashSet<>()));
    if (known != null && !known.value.equals(value)) {
      violated(txn, "both " + known.value + " and " + value + " are proposed in " + view);
    }
    View before = chosen.get(txn);
    if (known == null && before != null && view.isAbove(before)) {
      compare(txn, views, before, view);
    }
  }

  /** A home replica says that it has accepted the proposal of a view. */
  void accepted(TxnId txn, View view, ReplicaId by) {
    TreeMap<View, Proposal> views = proposals.get(txn);
    @Nullable Proposal accepted = views == null ? null : views.get(view);
    if (views == null || accepted == null || !accepted.acceptors.add(by)) {
      return;
    }
    View lowest = chosen.get(txn);
    if (accepted.acceptors.size() == f.applyAsInt(by.partition()) + 1
        && (lowest == null || lowest.isAbove(view))) {
      chosen.put(txn, view);
      views.tailMap(view, false).keySet().forEach(higher -> compare(txn, views, view, higher));
    }
  }

  /** How many replicas have accepted the client's proposal. */
  int acceptancesOfClient(TxnId txn) {
    TreeMap<View, Proposal> views = proposals.get(txn);
    @Nullable Proposal proposal = views == null ? null : views.get(View.CLIENT);
    return proposal == null ? 0 : proposal.acceptors.size();
  }

  private void compare(TxnId txn, TreeMap<View, Proposal> views, View low, View high) {
    @Nullable Proposal first = views.get(low);
    @Nullable Proposal second = views.get(high);
    if (first != null && second != null && !first.value.equals(second.value)) {
      violated(
          txn,
          "%s is chosen in %s, and %s is proposed in %s"
              .formatted(first.value, low, second.value, high));
    }
  }

  private void violated(TxnId txn, String explanation) {
    if (!exempt.contains(txn)) {
      violated.accept(txn + ": " + explanation);
    }
  }
}
