------------------------------- MODULE Members -------------------------------
(* Servers that join and leave, and changes of f: one partition moves from     *)
(* group to group of servers, while transactions run in it and in a second     *)
(* partition, the bystander, which stays where it is.                          *)
(*                                                                             *)
(* Change specifies how buckets move at a cut.  Here a move is coarser, and    *)
(* what it asks of servers is finer: who has to answer, who may be stopped,    *)
(* and when.  A generation is the partition on one group of servers.  All      *)
(* transactions have a key in it, and one at the bystander.  Their home is the *)
(* generation.  So the bystander learns an outcome from its servers alone, as  *)
(* long as f+1 of them run.                                                    *)
(*                                                                             *)
(* A cut is the number of the last transaction below it.  The record of the    *)
(* map is a register that is compared and set, as in Change.                   *)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
  Servers,        \* those that are in the cluster at some time
  First,          \* those of the first map; its group, too
  FirstF,         \* failures that the first group tolerates
  Failures,       \* what f may become
  Gens,           \* how often the partition moves
  Txns,           \* the numbers of transactions are 1..Txns
  Failing         \* how many servers may fail for good

\* The rules.  All TRUE is the protocol; each FALSE is refuted by TLC.
CONSTANTS
  SealsByOldF,    \* f+1 seals are those of the f of the group that seals
  HoldsByNewF,    \* f+1 holders are those of the f of the new group
  PlacesOnMembers,\* a group is chosen among the servers of the last map
  ChangesAlone, \* a server joins or leaves only while no change is under way
  CompletesFirst, \* the next change begins once f+1 of the new group hold the keys
  LeavesEmpty,    \* a server that leaves is in no group of the last map
  SettlesFirst,   \* nor before the bystander has decided all up to the cut
  AbortsForeign   \* a transaction whose home is not in its map has aborted: the bystander says so

Txn == 1..Txns
Gen == 0..Gens
None == -1

VARIABLES
  record,     \* "open", "proposed" or "decided"
  gen,        \* the generation of the last map
  group, f,   \* [Gen -> servers], [Gen -> failures]
  cut,        \* [Gen -> the cut at which it begins]
  members,    \* the servers of the last map
  left,       \* the servers that have left
  running,    \* the servers that run
  failed,     \* those that have failed for good
  sealed,     \* [Gen -> servers that have sealed for the next one]
  holds,      \* [Gen -> servers that hold its keys durably]
  fenced,     \* [Gen -> f+1 servers that have reached the cut of the next one]
  under,      \* [Txn -> its generation, or None]
  votes,      \* [Txn -> servers that have voted to commit]
  outcome,    \* [Txn -> "-", "commit" or "abort"]
  asked,      \* transactions on which the bystander has voted
  known,      \* those of which it knows the outcome
  aware,      \* the generation that the bystander knows
  reached     \* it has decided all up to here, and votes on nothing there

map == <<record, gen, group, f, cut, members, left>>
txns == <<under, votes, outcome>>
bystander == <<asked, known, aware, reached>>
vars == <<map, running, failed, sealed, holds, fenced, txns, bystander>>

Init ==
  /\ record = "open" /\ gen = 0
  /\ group = [g \in Gen |-> IF g = 0 THEN First ELSE {}]
  /\ f = [g \in Gen |-> IF g = 0 THEN FirstF ELSE 0]
  /\ cut = [g \in Gen |-> 0]
  /\ members = First /\ left = {} /\ running = First /\ failed = {}
  /\ sealed = [g \in Gen |-> {}]
  /\ holds = [g \in Gen |-> IF g = 0 THEN First ELSE {}]
  /\ fenced = [g \in Gen |-> {}]
  /\ under = [t \in Txn |-> None]
  /\ votes = [t \in Txn |-> {}]
  /\ outcome = [t \in Txn |-> "-"]
  /\ asked = {} /\ known = {} /\ aware = 0 /\ reached = 0

Up == running \ failed
Above(t, g) == g < Gens /\ t > cut[g+1]

-----------------------------------------------------------------------------
(* Transactions. *)

\* A client that has not heard of the last map takes an earlier one.
MayLiveUnder(t, g) == g <= gen /\ t > cut[g]

Vote(s, t) ==
  /\ outcome[t] = "-" /\ s \in Up /\ s \notin votes[t]
  /\ \E g \in IF under[t] = None THEN Gen ELSE {under[t]} :
       /\ MayLiveUnder(t, g) /\ s \in group[g] /\ s \in holds[g]
       /\ Cardinality(votes[t]) <= f[g]
       /\ ~(s \in sealed[g] /\ Above(t, g))
       /\ ~(s \in fenced[g] /\ ~Above(t, g))
       /\ under' = [under EXCEPT ![t] = g]
  /\ votes' = [votes EXCEPT ![t] = @ \cup {s}]
  /\ UNCHANGED <<map, running, failed, sealed, holds, fenced, outcome, bystander>>

\* The bystander votes, too.  It may do so before or after the others, or for a client that has died.
Ask(t) ==
  /\ t \notin asked /\ outcome[t] = "-" /\ t > reached
  /\ \E g \in IF under[t] = None THEN Gen ELSE {under[t]} :
       /\ MayLiveUnder(t, g)
       /\ under' = [under EXCEPT ![t] = g]
  /\ asked' = asked \cup {t}
  /\ UNCHANGED <<map, running, failed, sealed, holds, fenced, votes, outcome, known, aware, reached>>

Commit(t) ==
  /\ outcome[t] = "-" /\ t \in asked
  /\ Cardinality(votes[t] \cap group[under[t]]) >= f[under[t]] + 1
  /\ outcome' = [outcome EXCEPT ![t] = "commit"]
  /\ UNCHANGED <<map, running, failed, sealed, holds, fenced, under, votes, bystander>>

Abort(t) ==
  /\ outcome[t] = "-" /\ under[t] # None
  /\ outcome' = [outcome EXCEPT ![t] = "abort"]
  /\ UNCHANGED <<map, running, failed, sealed, holds, fenced, under, votes, bystander>>

\* The servers of its home tell the outcome, or recover it: f+1 have to answer.
IsForeign(t, g) == aware > g /\ t > cut[g+1]
HomeAnswers(t) == Cardinality(group[under[t]] \cap Up) >= f[under[t]] + 1
Learn(t) ==
  /\ t \in asked \ known
  /\ \/ outcome[t] # "-" /\ HomeAnswers(t) /\ UNCHANGED outcome
     \/ /\ AbortsForeign /\ IsForeign(t, under[t])
        /\ outcome' = [outcome EXCEPT ![t] = IF @ = "-" THEN "abort" ELSE @]
  /\ known' = known \cup {t}
  /\ UNCHANGED <<map, running, failed, sealed, holds, fenced, under, votes, asked, aware,
                 reached>>

HearOfMap ==
  /\ aware < gen
  /\ aware' = aware + 1
  /\ UNCHANGED <<map, running, failed, sealed, holds, fenced, txns, asked, known, reached>>

Reach(w) ==
  /\ w > reached
  /\ \A t \in asked : t <= w => t \in known
  /\ reached' = w
  /\ UNCHANGED <<map, running, failed, sealed, holds, fenced, txns, asked, known, aware>>

-----------------------------------------------------------------------------
(* The partition moves. *)

CanChange == record = "open" \/ (record = "decided" /\ ~CompletesFirst)

Propose(to, newF, at) ==
  /\ CanChange /\ gen < Gens
  /\ Cardinality(to) = 2 * newF + 1
  /\ to \subseteq IF PlacesOnMembers THEN members ELSE members \cup left
  /\ to \subseteq Up /\ to # group[gen]
  /\ at >= cut[gen]
  /\ record' = "proposed"
  /\ group' = [group EXCEPT ![gen+1] = to]
  /\ f' = [f EXCEPT ![gen+1] = newF]
  /\ cut' = [cut EXCEPT ![gen+1] = at]
  /\ UNCHANGED <<gen, members, left, running, failed, sealed, holds, fenced, txns, bystander>>

\* It has voted on nothing above the cut.
Seal(s) ==
  /\ record = "proposed" /\ s \in (group[gen] \cap Up) \ sealed[gen]
  /\ \A t \in Txn : under[t] = gen /\ s \in votes[t] => t <= cut[gen+1]
  /\ sealed' = [sealed EXCEPT ![gen] = @ \cup {s}]
  /\ UNCHANGED <<map, running, failed, holds, fenced, txns, bystander>>

Decide ==
  /\ record = "proposed"
  /\ Cardinality(sealed[gen]) >= (IF SealsByOldF THEN f[gen] ELSE f[gen+1]) + 1
  /\ record' = "decided"
  /\ gen' = gen + 1
  /\ UNCHANGED <<group, f, cut, members, left, running, failed, sealed, holds, fenced, txns,
                 bystander>>

GiveUp ==
  /\ record = "proposed"
  /\ record' = "open"
  /\ sealed' = [sealed EXCEPT ![gen] = {}]
  /\ group' = [group EXCEPT ![gen+1] = {}]
  /\ f' = [f EXCEPT ![gen+1] = 0]
  /\ cut' = [cut EXCEPT ![gen+1] = 0]
  /\ UNCHANGED <<gen, members, left, running, failed, holds, fenced, txns, bystander>>

\* f+1 servers of the old group decide all up to the cut.
Truncate(g) ==
  /\ g < gen /\ fenced[g] = {}
  /\ \E S \in SUBSET (group[g] \cap holds[g] \cap Up) :
       /\ Cardinality(S) = f[g] + 1
       /\ \A t \in Txn : under[t] = g /\ ~Above(t, g) /\ votes[t] \cap S # {} => outcome[t] # "-"
       /\ fenced' = [fenced EXCEPT ![g] = S]
  /\ UNCHANGED <<map, running, failed, sealed, holds, txns, bystander>>

\* A server of the new group copies one of these, or once the change is complete, one of its own.
Copy(d) ==
  /\ gen > 0 /\ d \in (group[gen] \cap Up) \ holds[gen]
  /\ \/ fenced[gen-1] \cap Up # {}
     \/ record # "decided" /\ holds[gen] \cap Up # {}
  /\ holds' = [holds EXCEPT ![gen] = @ \cup {d}]
  /\ UNCHANGED <<map, running, failed, sealed, fenced, txns, bystander>>

Complete ==
  /\ record = "decided"
  /\ Cardinality(holds[gen]) >= (IF HoldsByNewF THEN f[gen] ELSE f[gen-1]) + 1
  /\ record' = "open"
  /\ UNCHANGED <<gen, group, f, cut, members, left, running, failed, sealed, holds, fenced, txns,
                 bystander>>

-----------------------------------------------------------------------------
(* Servers. *)

MayChangeMembers == IF ChangesAlone THEN record = "open" ELSE TRUE

\* A name that has left does not come back here: that is a server that has lost its disk.
Join(s) ==
  /\ MayChangeMembers /\ s \notin members \cup left
  /\ members' = members \cup {s}
  /\ running' = running \cup {s}
  /\ UNCHANGED <<record, gen, group, f, cut, left, failed, sealed, holds, fenced, txns, bystander>>

\* The bystander has decided all up to the cut of the last map.
Settled == reached >= cut[gen]

Leave(s) ==
  /\ MayChangeMembers /\ s \in members
  /\ LeavesEmpty => s \notin group[gen]
  /\ SettlesFirst => Settled
  /\ members' = members \ {s}
  /\ left' = left \cup {s}
  /\ UNCHANGED <<record, gen, group, f, cut, running, failed, sealed, holds, fenced, txns, bystander>>

\* The operator stops a server once it has left.
Stop(s) ==
  /\ s \in left \cap running
  /\ running' = running \ {s}
  /\ UNCHANGED <<map, failed, sealed, holds, fenced, txns, bystander>>

Fail(s) ==
  /\ s \in Up /\ Cardinality(failed) < Failing
  /\ failed' = failed \cup {s}
  /\ UNCHANGED <<map, running, sealed, holds, fenced, txns, bystander>>

-----------------------------------------------------------------------------
Next ==
  \/ \E s \in Servers, t \in Txn : Vote(s, t)
  \/ \E t \in Txn : Ask(t)
  \/ \E t \in Txn : Commit(t)
  \/ \E t \in Txn : Abort(t)
  \/ \E t \in Txn : Learn(t)
  \/ HearOfMap
  \/ \E w \in Txn : Reach(w)
  \/ \E newF \in Failures, to \in SUBSET Servers, at \in 0..Txns : Propose(to, newF, at)
  \/ \E s \in Servers : Seal(s)
  \/ Decide
  \/ GiveUp
  \/ \E g \in Gen : Truncate(g)
  \/ \E s \in Servers : Copy(s)
  \/ Complete
  \/ \E s \in Servers : Join(s)
  \/ \E s \in Servers : Leave(s)
  \/ \E s \in Servers : Stop(s)
  \/ \E s \in Servers : Fail(s)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
\* Above the cut, the old group commits nothing.
OnePartition ==
  \A t \in Txn, g \in Gen : outcome[t] = "commit" /\ g <= gen /\ t > cut[g] => under[t] >= g

\* Groups are made of servers of the cluster.
Placed == group[gen] \subseteq members

\* While nobody but f servers have failed, f+1 servers of the last group have the keys, or of the one
\* before, as long as the change is not complete.
Held ==
  IF record = "decided"
  THEN Cardinality(group[gen-1] \cap holds[gen-1] \cap running) >= f[gen-1] + 1
  ELSE Cardinality(group[gen] \cap holds[gen] \cap running) >= f[gen] + 1

\* The bystander can learn the outcome of each transaction on which it waits, whoever fails.
Decidable ==
  \A t \in asked \ known :
    \/ HomeAnswers(t)
    \/ AbortsForeign /\ gen > under[t] /\ t > cut[under[t]+1]

Symmetry == Permutations(First) \cup Permutations(Servers \ First)
=============================================================================
