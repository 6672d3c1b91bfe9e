------------------------------ MODULE Merging ------------------------------
(* Merges: docs/protocol.md, section 17.  One key, two or three transactions  *)
(* that put it or merge into it, and a reader above them.  Transactions are   *)
(* numbered in the order of their TxnIds.                                     *)
(*                                                                            *)
(* A merge adds 3^(its number - 1), so a value says how often each counts: 0, *)
(* 1 or 2 times, by its digits to the base 3.                                 *)
(*                                                                            *)
(* An outcome is one step here: Decision and Validation specify how it comes  *)
(* about.  So is a round of truncation; Truncation specifies it.              *)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
  Replica,
  Writer,     \* 1..n
  Puts,       \* those of the writers that put the key; the others merge into it
  Watermarks  \* those of the writers at which the replicas may truncate

\* The rules.  All TRUE is the protocol; each FALSE is refuted by TLC.
CONSTANTS
  NamesMerges,            \* a read set names all versions that the value is made of
  ChecksGaps,             \* rule 5: a version between two that are named is a missed write
  ChecksWritersInGaps,    \* rule 6: a writer between two that are named is abandoned
  FoldsBelowWatermark,    \* only a version at or below the watermark is folded
  FoldsOnce,              \* a folded version is not folded again
  FoldsBeforeDiscarding,  \* the oldest version that stays is folded before those below go
  ReachesWithAll,         \* a replica at the watermark has all commits at or below it
  CountsNothingBelow,   \* a late merge below a folded one counts for nothing above it
  CopiesFolded,           \* the oldest version of a copy is folded
  VouchesForNoBase        \* a replica vouches for no gap below a version that is a base there

Reader == Cardinality(Writer) + 1
Txn == Writer \cup {Reader}
IsQuorum(S) == 2 * Cardinality(S) > Cardinality(Replica)
Amount(t) == 3 ^ (t - 1)

Open == -1      \* the value of a version that is not folded, or is none

VARIABLES
  outcome,    \* [Txn -> "-", "commit" or "abort"]
  named,      \* the versions that the reader names; 0 stands for the base of a key that has none
  seen,       \* the value that the reader has seen
  voters,     \* [Txn -> the replicas that have voted to commit]
  agreed,     \* up to here, all transactions are decided
  watermark,  \* [Replica -> up to here, it knows all outcomes]
  versions,   \* [Replica -> the writers of the committed versions that it has]
  folded      \* [Replica -> [Writer -> the value of a folded version, or Open]]

vars == <<outcome, named, seen, voters, agreed, watermark, versions, folded>>

Init ==
  /\ outcome = [t \in Txn |-> "-"]
  /\ named = {}
  /\ seen = Open
  /\ voters = [t \in Txn |-> {}]
  /\ agreed = 0
  /\ watermark = [r \in Replica |-> 0]
  /\ versions = [r \in Replica |-> {}]
  /\ folded = [r \in Replica |-> [w \in Writer |-> Open]]

Max(S) == IF S = {} THEN 0 ELSE CHOOSE x \in S : \A y \in S : y <= x
Min(S) == CHOOSE x \in S : \A y \in S : x <= y
UpTo(S, w) == Max({v \in S : v <= w})

\* What transactions make of the key, one after another; a version of known value is a base.
RECURSIVE ValueOf(_, _)
ValueOf(S, known) ==
  LET newest == Max(S) IN
    CASE newest = 0 -> 0
      [] known[newest] # Open -> known[newest]
      [] newest \in Puts -> Amount(newest)
      [] OTHER -> Amount(newest) + ValueOf(S \ {newest}, known)

Nothing == [w \in Writer |-> Open]
ValueAt(r, v) == ValueOf({w \in versions[r] : w <= v}, folded[r])
IsBase(r, v) == v \in Puts \/ folded[r][v] # Open
Committed(w) == {t \in Writer : t <= w /\ outcome[t] = "commit"}
TrueValue(w) == ValueOf(Committed(w), Nothing)

-----------------------------------------------------------------------------
(* The reader, and votes (sections 2, 3 and 17). *)

\* The base of a version, and the versions above it up to the version.
MadeOf(r, v) ==
  LET base == Max({0} \cup {b \in versions[r] : b <= v /\ IsBase(r, b)})
  IN {base} \cup {w \in versions[r] : base < w /\ w <= v}

Read(r) ==
  /\ seen = Open
  /\ LET newest == Max(versions[r])
     IN /\ named' = IF NamesMerges THEN MadeOf(r, newest) ELSE {newest}
        /\ seen' = ValueAt(r, newest)
  /\ UNCHANGED <<outcome, voters, agreed, watermark, versions, folded>>

\* Its vote to commit stands, and it does not know the outcome.
HasPrepared(r, t) == r \in voters[t] /\ t > watermark[r] /\ outcome[t] # "abort"

\* Versions that a reader of these has missed, if they exist: those above the lowest.
IsMissed(w) ==
  /\ w \notin named /\ w > Min(named)
  /\ w < Max(named) => ChecksGaps

ReaderIsRefused(r) ==
  \/ \E e \in named \ {0} : e \notin versions[r]
  \/ /\ VouchesForNoBase
     /\ \E e \in named : e > Min(named) /\ IsBase(r, e)
  \/ \E w \in Writer : (w \in versions[r] \/ HasPrepared(r, w)) /\ IsMissed(w)

WriterIsRefused(r, t) ==
  /\ outcome[Reader] = "commit" \/ (r \in voters[Reader] /\ outcome[Reader] # "abort")
  /\ t \notin named /\ t > Min(named)
  /\ t < Max(named) => ChecksWritersInGaps

Vote(r, t) ==
  /\ t = Reader => seen # Open /\ ~ReaderIsRefused(r)
  /\ t # Reader /\ seen # Open => ~WriterIsRefused(r, t)
  /\ outcome[t] = "-" /\ ~IsQuorum(voters[t]) /\ r \notin voters[t]
  /\ voters' = [voters EXCEPT ![t] = @ \cup {r}]
  /\ UNCHANGED <<outcome, named, seen, agreed, watermark, versions, folded>>

Commit(t) ==
  /\ outcome[t] = "-" /\ IsQuorum(voters[t])
  /\ outcome' = [outcome EXCEPT ![t] = "commit"]
  /\ UNCHANGED <<named, seen, voters, agreed, watermark, versions, folded>>

\* Decide, and the Fetch that may follow it.
Learn(r, t) ==
  /\ t \in Writer /\ outcome[t] = "commit" /\ t \notin versions[r]
  /\ CountsNothingBelow => t > watermark[r]
  /\ versions' = [versions EXCEPT ![r] = @ \cup {t}]
  /\ folded' =
       IF CountsNothingBelow THEN folded
       ELSE [folded EXCEPT ![r] =
               [w \in Writer |-> IF @[w] = Open \/ w < t THEN @[w] ELSE @[w] + Amount(t)]]
  /\ UNCHANGED <<outcome, named, seen, voters, agreed, watermark>>

-----------------------------------------------------------------------------
(* Truncation, folding and copying (sections 6 and 17). *)

\* A quorum has fenced w.  What it has voted on there is decided; the rest has aborted.
Agree(w) ==
  /\ w > agreed
  /\ \E q \in SUBSET Replica :
       IsQuorum(q) /\ \A t \in 1..w : outcome[t] = "-" => voters[t] \cap q = {}
  /\ outcome' = [t \in Txn |-> IF t <= w /\ outcome[t] = "-" THEN "abort" ELSE outcome[t]]
  /\ agreed' = w
  /\ UNCHANGED <<named, seen, voters, watermark, versions, folded>>

Reach(r, w) ==
  /\ w <= agreed /\ w > watermark[r]
  /\ watermark' = [watermark EXCEPT ![r] = w]
  /\ versions' =
       IF ReachesWithAll
       THEN [versions EXCEPT ![r] = @ \cup {t \in Committed(w) : t > watermark[r]}]
       ELSE versions
  /\ UNCHANGED <<outcome, named, seen, voters, agreed, folded>>

Fold(r, v) ==
  /\ v \in versions[r] /\ v \notin Puts
  /\ FoldsBelowWatermark => v = UpTo(versions[r], watermark[r])
  /\ folded[r][v] = Open \/ ~FoldsOnce
  /\ LET again == IF folded[r][v] = Open THEN 0 ELSE Amount(v)
     IN folded' = [folded EXCEPT ![r][v] = ValueAt(r, v) + again]
  /\ UNCHANGED <<outcome, named, seen, voters, agreed, watermark, versions>>

Discard(r) ==
  LET oldest == UpTo(versions[r], watermark[r])
      gone == {v \in versions[r] : v < oldest}
  IN /\ gone # {}
     /\ versions' = [versions EXCEPT ![r] = @ \ gone]
     /\ folded' =
          [folded EXCEPT ![r] =
             [w \in Writer |->
                IF w \in gone THEN Open
                ELSE IF w = oldest /\ FoldsBeforeDiscarding /\ oldest \notin Puts
                     THEN ValueAt(r, oldest) ELSE @[w]]]
     /\ UNCHANGED <<outcome, named, seen, voters, agreed, watermark>>

\* A copy has the newest version at or below the peer's watermark, folded, and those above it.
Copy(r, q) ==
  /\ watermark[q] > watermark[r]
  /\ LET oldest == UpTo(versions[q], watermark[q])
         copied == {v \in versions[q] : v >= oldest /\ v > watermark[r]}
     IN /\ versions' = [versions EXCEPT ![r] = @ \cup copied]
        /\ folded' =
             IF oldest \notin copied \/ oldest \in Puts \/ ~CopiesFolded THEN folded
             ELSE [folded EXCEPT ![r][oldest] = ValueAt(q, oldest)]
  /\ watermark' = [watermark EXCEPT ![r] = watermark[q]]
  /\ UNCHANGED <<outcome, named, seen, voters, agreed>>

-----------------------------------------------------------------------------
Next ==
  \/ \E r \in Replica : Read(r)
  \/ \E r \in Replica, t \in Txn : Vote(r, t)
  \/ \E t \in Txn : Commit(t)
  \/ \E r \in Replica, t \in Writer : Learn(r, t)
  \/ \E w \in Watermarks : Agree(w)
  \/ \E r \in Replica, w \in Watermarks : Reach(r, w)
  \/ \E r \in Replica, v \in Writer : Fold(r, v)
  \/ \E r \in Replica : Discard(r)
  \/ \E r \in Replica, q \in Replica : Copy(r, q)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
\* I3: the reader has seen what all committed writers below it make of the key.
Serializable == outcome[Reader] = "commit" => seen = TrueValue(Reader)

\* What is folded at or below the watermark is what all committed writers up to there make.
FoldsAreRight ==
  \A r \in Replica, v \in Writer :
    v \in versions[r] /\ v <= watermark[r] /\ folded[r][v] # Open => folded[r][v] = TrueValue(v)

Symmetry == Permutations(Replica)
=============================================================================
