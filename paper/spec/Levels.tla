------------------------------- MODULE Levels -------------------------------
(* Reads of the past and sessions: docs/protocol.md, section 16.  Writers put *)
(* one key in each partition.  Readers follow each other in one session that  *)
(* has both guarantees.  Each reads at one place, or key by key.  Writers are *)
(* numbered in the order of their TxnIds, and a place P is just above writer  *)
(* P.                                                                         *)
(*                                                                            *)
(* An outcome is one step here: Decision and Validation specify how it comes  *)
(* about.  So is a round of truncation; Truncation specifies it.  Which       *)
(* watermark a round proposes, so how close to the clock it is, is left open. *)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
  Partition,
  Replica,    \* those of each partition
  Writer,     \* 1..n
  Readers,    \* how many follow each other
  Bounds      \* the lowest places that readers may ask for

\* The rules.  All TRUE is the protocol; each FALSE is refuted by TLC.
CONSTANTS
  DecidesBelow,         \* a watermark is agreed on when all below it are decided
  ReachesPlaceWithAll,  \* a replica at the watermark has all commits at or below it
  WaitsForPlace,        \* a replica answers once its watermark has reached the place
  RefusesWhileCopying,  \* a replica that copies a peer answers nobody
  SaysGone,             \* a replica refuses a place whose versions it may have discarded
  ReadsOnePlace,        \* all reads of a transaction are at one place
  KeepsItsBound,        \* a reader takes no lower place than it has asked for
  ShowsCommitted,       \* a key by itself is shown as it has committed
  BoundsPlace,          \* what the session has seen bounds the place
  ChecksKeys            \* and the versions of keys that are read by themselves

Max(S) == IF S = {} THEN 0 ELSE CHOOSE x \in S : \A y \in S : y <= x
Later(a, b) == Max({a, b})
UpTo(S, w) == Max({v \in S : v <= w})
None == -1      \* no place is chosen, or a key is not read

VARIABLES
  outcome,    \* [Writer -> "-", "commit" or "abort"]
  agreed,     \* [Partition -> up to here, all are decided]
  watermark,  \* [Partition -> [Replica -> up to here, it knows all outcomes]]
  versions,   \* [Partition -> [Replica -> the writers of the versions that it has]]
  gone,       \* [Partition -> [Replica -> versions of places below may be discarded]]
  copying,    \* [Partition -> [Replica -> whether it copies a peer]]
  reader,     \* how many readers have begun
  level,      \* of the reader: "place" or "key"; "-" between two readers
  asked,      \* the lowest place that the reader asks for
  place,      \* the one that it reads at, or None
  got,        \* [Partition -> the version that it has read, or None]
  seenPlace,  \* what the session has seen, as a place
  seenKey     \* [Partition -> the version that it has seen]

servers == <<outcome, agreed, watermark, versions, gone, copying>>
session == <<reader, level, asked, place, got, seenPlace, seenKey>>
vars == <<servers, session>>

Everywhere(x) == [p \in Partition |-> [r \in Replica |-> x]]
Nothing == [p \in Partition |-> None]

Init ==
  /\ outcome = [t \in Writer |-> "-"]
  /\ agreed = [p \in Partition |-> 0]
  /\ watermark = Everywhere(0)
  /\ versions = Everywhere({})
  /\ gone = Everywhere(0)
  /\ copying = Everywhere(FALSE)
  /\ reader = 0
  /\ level = "-"
  /\ asked = 0
  /\ place = None
  /\ got = Nothing
  /\ seenPlace = 0
  /\ seenKey = [p \in Partition |-> 0]

Committed(w) == {t \in Writer : t <= w /\ outcome[t] = "commit"}

-----------------------------------------------------------------------------
(* Writers, and replicas (section 6). *)

End(t) ==
  /\ outcome[t] = "-"
  /\ \E how \in {"commit", "abort"} : outcome' = [outcome EXCEPT ![t] = how]
  /\ UNCHANGED <<agreed, watermark, versions, gone, copying, session>>

\* Decide, and the Fetch that may follow it.
Learn(p, r, t) ==
  /\ outcome[t] = "commit" /\ t \notin versions[p][r] /\ t > watermark[p][r]
  /\ versions' = [versions EXCEPT ![p][r] = @ \cup {t}]
  /\ UNCHANGED <<outcome, agreed, watermark, gone, copying, session>>

Agree(p, w) ==
  /\ w > agreed[p]
  /\ DecidesBelow => \A t \in 1..w : outcome[t] # "-"
  /\ agreed' = [agreed EXCEPT ![p] = w]
  /\ UNCHANGED <<outcome, watermark, versions, gone, copying, session>>

Reach(p, r, w) ==
  /\ w <= agreed[p] /\ w > watermark[p][r] /\ ~copying[p][r]
  /\ watermark' = [watermark EXCEPT ![p][r] = w]
  /\ versions' =
       IF ReachesPlaceWithAll
       THEN [versions EXCEPT ![p][r] = @ \cup {t \in Committed(w) : t > watermark[p][r]}]
       ELSE versions
  /\ UNCHANGED <<outcome, agreed, gone, copying, session>>

\* It has the peer's watermark first, and its versions bit by bit.
BeginCopy(p, r, w) ==
  /\ w <= agreed[p] /\ w > watermark[p][r] /\ ~copying[p][r]
  /\ watermark' = [watermark EXCEPT ![p][r] = w]
  /\ copying' = [copying EXCEPT ![p][r] = TRUE]
  /\ UNCHANGED <<outcome, agreed, versions, gone, session>>

EndCopy(p, r) ==
  /\ copying[p][r]
  /\ copying' = [copying EXCEPT ![p][r] = FALSE]
  /\ versions' = [versions EXCEPT ![p][r] = (@ \cup {Max(Committed(watermark[p][r]))}) \ {0}]
  /\ gone' = [gone EXCEPT ![p][r] = watermark[p][r]]
  /\ UNCHANGED <<outcome, agreed, watermark, session>>

Discard(p, r, w) ==
  /\ w <= watermark[p][r] /\ w > gone[p][r] /\ ~copying[p][r]
  /\ gone' = [gone EXCEPT ![p][r] = w]
  /\ versions' = [versions EXCEPT ![p][r] = {v \in @ : v >= UpTo(@, w)}]
  /\ UNCHANGED <<outcome, agreed, watermark, copying, session>>

-----------------------------------------------------------------------------
(* The session (section 16). *)

\* A transaction of the session that writes has committed.
Write(t) ==
  /\ level = "-" /\ outcome[t] = "commit" /\ reader < Readers /\ seenPlace < t
  /\ seenPlace' = t
  /\ seenKey' = [p \in Partition |-> Later(seenKey[p], t)]
  /\ UNCHANGED <<servers, reader, level, asked, place, got>>

Begin(l, lowest) ==
  /\ level = "-" /\ reader < Readers
  /\ reader' = reader + 1
  /\ level' = l
  /\ asked' = lowest
  /\ UNCHANGED <<servers, place, got, seenPlace, seenKey>>

\* A replica has told the client of the place, or is asked for its newest one, or the application
\* has chosen it: which ones are there, the replicas say when they are asked to read.
Choose(w) ==
  /\ level = "place" /\ place = None
  /\ KeepsItsBound => w >= asked
  /\ BoundsPlace => w >= seenPlace
  /\ place' = w
  /\ UNCHANGED <<servers, reader, level, asked, got, seenPlace, seenKey>>

Answers(p, r) == RefusesWhileCopying => ~copying[p][r]

ReadAt(p, r) ==
  /\ level = "place" /\ place # None /\ got[p] = None /\ Answers(p, r)
  /\ \E at \in 0..Cardinality(Writer) :
       /\ ReadsOnePlace => at = place
       /\ WaitsForPlace => at <= watermark[p][r]
       /\ SaysGone => at >= gone[p][r]
       /\ got' = [got EXCEPT ![p] = UpTo(versions[p][r], at)]
  /\ UNCHANGED <<servers, reader, level, asked, place, seenPlace, seenKey>>

ReadKey(p, r) ==
  /\ level = "key" /\ got[p] = None /\ Answers(p, r)
  /\ \E v \in {Max(versions[p][r])}
              \cup {t \in Writer : ~ShowsCommitted /\ outcome[t] = "-"} :
       /\ ChecksKeys => v >= seenKey[p] \/ watermark[p][r] >= seenKey[p]
       /\ got' = [got EXCEPT ![p] = v]
  /\ UNCHANGED <<servers, reader, level, asked, place, seenPlace, seenKey>>

Finish ==
  /\ level # "-" /\ \A p \in Partition : got[p] # None
  /\ seenPlace' = Later(seenPlace, Later(place, Max({got[p] : p \in Partition})))
  /\ seenKey' = [p \in Partition |-> Later(seenKey[p], got[p])]
  /\ level' = "-"
  /\ place' = None
  /\ got' = Nothing
  /\ asked' = 0
  /\ UNCHANGED <<servers, reader>>

-----------------------------------------------------------------------------
Next ==
  \/ \E t \in Writer : End(t)
  \/ \E p \in Partition, r \in Replica, t \in Writer : Learn(p, r, t)
  \/ \E p \in Partition, w \in Writer : Agree(p, w)
  \/ \E p \in Partition, r \in Replica, w \in Writer : Reach(p, r, w)
  \/ \E p \in Partition, r \in Replica, w \in Writer : BeginCopy(p, r, w)
  \/ \E p \in Partition, r \in Replica : EndCopy(p, r)
  \/ \E p \in Partition, r \in Replica, w \in Writer : Discard(p, r, w)
  \/ \E t \in Writer : Write(t)
  \/ \E l \in {"place", "key"}, w \in Bounds : Begin(l, w)
  \/ \E w \in 0..Cardinality(Writer) : Choose(w)
  \/ \E p \in Partition, r \in Replica : ReadAt(p, r)
  \/ \E p \in Partition, r \in Replica : ReadKey(p, r)
  \/ Finish

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
Reads(p) == got[p] # None

\* What is read at a place is what all writers up to there leave, now and later.
AtOnePlace ==
  level = "place" => \A p \in Partition : Reads(p) => got[p] = Max(Committed(place))

NotTooOld == level = "place" /\ place # None => place >= asked

OnlyCommitted ==
  level = "key" =>
    \A p \in Partition : Reads(p) => got[p] = 0 \/ outcome[got[p]] = "commit"

\* Read your writes, and monotonic reads.
InSession ==
  /\ level = "place" /\ place # None => place >= seenPlace
  /\ level = "key" => \A p \in Partition : Reads(p) => got[p] >= seenKey[p]

Symmetry == Permutations(Replica)
=============================================================================
