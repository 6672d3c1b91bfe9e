------------------------------ MODULE Deletion ------------------------------
(* Deletions that are discarded: rule "Absence" of docs/protocol.md, section  *)
(* 3, and section 6.  One key, two transactions that write it, of which some  *)
(* delete it, and a reader above them.  Transactions are numbered in the      *)
(* order of their TxnIds.                                                     *)
(*                                                                            *)
(* An outcome is one step here: Decision and Validation specify how it comes  *)
(* about.  So is a round of truncation; Truncation specifies it.  The first   *)
(* transaction has committed at the start, and nobody has learnt it yet.      *)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
  Replica,
  Deletes,    \* those of the transactions 1 and 2 that delete the key; the others give it a value
  Watermarks  \* those of the transactions 1 and 2 at which the replicas may truncate

\* The rules.  All TRUE is the protocol; each FALSE is refuted by TLC.
CONSTANTS
  RefusesAbsenceTentatively,  \* rule 5: a replica that has a value refuses a read of absence for now
  ReadAsAbsentIsTentative,    \* rule 6: so it does a write below a committed read of absence
  CountsOpenWrites,           \* rule 5: a deletion hides no write above it that is open
  CountsWritesBelowAbsence,   \* rule 6: every write below a read of absence counts
  DropsBelowWatermark,        \* only a deletion at or below the watermark is discarded
  InstallsNothingBelow,       \* no message installs a transaction at or below the watermark
  CopiesErasures              \* a copy erases the keys that a peer with discarded deletions lacks

Writer == {1, 2}
Reader == 3
Txn == Writer \cup {Reader}
IsQuorum(S) == 2 * Cardinality(S) > Cardinality(Replica)

Unread == -1
Absent == 0     \* what a read of absence names; another read names the writer of the version

VARIABLES
  outcome,    \* [Txn -> "-", "commit" or "abort"]
  read,       \* what the reader has read
  voters,     \* [Txn -> the replicas that have voted to commit]
  final,      \* the transactions that a replica has refused for good
  agreed,     \* up to here, all transactions are decided
  watermark,  \* [Replica -> up to here, it knows all outcomes]
  versions,   \* [Replica -> the writers of the committed versions that it has]
  erased,     \* [Replica -> deletions up to here may be missing]
  told        \* the replicas that know that the reader has committed

vars == <<outcome, read, voters, final, agreed, watermark, versions, erased, told>>

Init ==
  /\ outcome = [t \in Txn |-> IF t = 1 THEN "commit" ELSE "-"]
  /\ read = Unread
  /\ \E q \in SUBSET Replica :
       IsQuorum(q) /\ voters = [t \in Txn |-> IF t = 1 THEN q ELSE {}]
  /\ final = {}
  /\ agreed = 0
  /\ watermark = [r \in Replica |-> 0]
  /\ versions = [r \in Replica |-> {}]
  /\ erased = [r \in Replica |-> 0]
  /\ told = {}

Max(S) == IF S = {} THEN 0 ELSE CHOOSE x \in S : \A y \in S : y <= x
Higher(a, b) == IF a > b THEN a ELSE b
Newest(r) == Max(versions[r])
NewestUpTo(r, w) == Max({v \in versions[r] : v <= w})
CommittedWriters(w) == {t \in Writer : t <= w /\ outcome[t] = "commit"}

HasInstalled(r, t) == t \in versions[r] \/ (t \in Deletes /\ t <= erased[r])

\* Its vote to commit stands, and it does not know the outcome.
HasPrepared(r, t) ==
  r \in voters[t] /\ t > watermark[r] /\ ~HasInstalled(r, t) /\ outcome[t] # "abort"

-----------------------------------------------------------------------------
(* The reader and the votes (sections 2 and 3). *)

\* A deletion at or below the watermark is shown as absence.
Read(r) ==
  /\ read = Unread
  /\ read' = IF Newest(r) \in Deletes /\ Newest(r) <= watermark[r] THEN Absent ELSE Newest(r)
  /\ UNCHANGED <<outcome, voters, final, agreed, watermark, versions, erased, told>>

\* Rules 4 and 5 for the reader.
ReaderIsRefused(r) ==
  IF read = Absent
  THEN \/ Newest(r) \notin Deletes \cup {0}
       \/ /\ CountsOpenWrites \/ Newest(r) = 0
          /\ \E w \in Writer : HasPrepared(r, w) /\ w > Newest(r)
  ELSE \/ read \notin versions[r] \/ Newest(r) > read
       \/ \E w \in Writer : HasPrepared(r, w) /\ w > read

ReaderIsRefusedForGood(r) ==
  IF read = Absent
  THEN ~RefusesAbsenceTentatively /\ Newest(r) \notin Deletes \cup {0}
  ELSE Newest(r) > read

\* Rule 6 for a writer, which the reader has missed.
IsMissed(t) == IF read = Absent THEN CountsWritesBelowAbsence ELSE read < t
WriterIsRefused(r, t) == (r \in told \/ HasPrepared(r, Reader)) /\ IsMissed(t)
WriterIsRefusedForGood(r, t) ==
  r \in told /\ IsMissed(t) /\ (read # Absent \/ ~ReadAsAbsentIsTentative)

IsRefused(r, t) == IF t = Reader THEN ReaderIsRefused(r) ELSE WriterIsRefused(r, t)
IsRefusedForGood(r, t) ==
  IF t = Reader THEN ReaderIsRefusedForGood(r) ELSE WriterIsRefusedForGood(r, t)

\* A tentative abandon is a vote not given.  Votes that change nothing are left out: those to commit
\* what is decided, or has enough of them.
Vote(r, t) ==
  /\ t = Reader => read # Unread
  /\ outcome[t] = "-" /\ ~IsQuorum(voters[t]) /\ r \notin voters[t]
  /\ ~IsRefused(r, t)
  /\ voters' = [voters EXCEPT ![t] = @ \cup {r}]
  /\ UNCHANGED <<outcome, read, final, agreed, watermark, versions, erased, told>>

\* The message that asks for the vote may be late: the outcome is decided, but not known here.
Refuse(r, t) ==
  /\ t = Reader => read # Unread /\ r \notin told
  /\ t > watermark[r] /\ ~HasInstalled(r, t) /\ t \notin final
  /\ IsRefusedForGood(r, t)
  /\ final' = final \cup {t}
  /\ UNCHANGED <<outcome, read, voters, agreed, watermark, versions, erased, told>>

Commit(t) ==
  /\ outcome[t] = "-" /\ IsQuorum(voters[t])
  /\ outcome' = [outcome EXCEPT ![t] = "commit"]
  /\ UNCHANGED <<read, voters, final, agreed, watermark, versions, erased, told>>

Abort(t) ==
  /\ outcome[t] = "-"
  /\ outcome' = [outcome EXCEPT ![t] = "abort"]
  /\ UNCHANGED <<read, voters, final, agreed, watermark, versions, erased, told>>

\* Decide, and the Fetch that may follow it.
Learn(r, t) ==
  /\ outcome[t] = "commit"
  /\ IF t = Reader
     THEN r \notin told /\ told' = told \cup {r} /\ UNCHANGED versions
     ELSE /\ ~HasInstalled(r, t)
          /\ InstallsNothingBelow => t > watermark[r]
          /\ versions' = [versions EXCEPT ![r] = @ \cup {t}]
          /\ UNCHANGED told
  /\ UNCHANGED <<outcome, read, voters, final, agreed, watermark, erased>>

-----------------------------------------------------------------------------
(* Truncation, discarding and copying (section 6). *)

\* A quorum has fenced w.  What it has voted on there is decided; the rest has aborted.
Agree(w) ==
  /\ w > agreed
  /\ \E q \in SUBSET Replica :
       IsQuorum(q) /\ \A t \in 1..w : outcome[t] = "-" => voters[t] \cap q = {}
  /\ outcome' = [t \in Txn |-> IF t <= w /\ outcome[t] = "-" THEN "abort" ELSE outcome[t]]
  /\ agreed' = w
  /\ UNCHANGED <<read, voters, final, watermark, versions, erased, told>>

\* The replica learns the commits, and discards the versions below the newest one.
Reach(r, w) ==
  /\ w <= agreed /\ w > watermark[r]
  /\ LET all == versions[r] \cup {t \in CommittedWriters(w) : t > watermark[r]}
         newest == Max({v \in all : v <= w})
     IN versions' = [versions EXCEPT ![r] = {v \in all : v >= newest}]
  /\ watermark' = [watermark EXCEPT ![r] = w]
  /\ UNCHANGED <<outcome, read, voters, final, agreed, erased, told>>

\* A deletion goes if it is the newest version at or below the watermark.
Erase(r) ==
  \E d \in versions[r] \cap Deletes :
    /\ DropsBelowWatermark => d = NewestUpTo(r, watermark[r])
    /\ versions' = [versions EXCEPT ![r] = {v \in @ : v > d}]
    /\ erased' = [erased EXCEPT ![r] = Higher(@, d)]
    /\ UNCHANGED <<outcome, read, voters, final, agreed, watermark, told>>

\* A copy has the versions above the own watermark.  If the peer lacks deletions there, it is one of
\* all keys: this one was deleted if the peer has no version of it.
Copy(r, q) ==
  /\ watermark[q] > watermark[r]
  /\ LET upTo == watermark[q]
         to == IF erased[q] < upTo THEN erased[q] ELSE upTo
         lacks == erased[q] > watermark[r] /\ NewestUpTo(q, upTo) = 0
         gone == IF lacks /\ CopiesErasures THEN 1..to ELSE {}
     IN versions' = [versions EXCEPT ![r] = (@ \ gone) \cup {v \in versions[q] : v > watermark[r]}]
  /\ watermark' = [watermark EXCEPT ![r] = watermark[q]]
  /\ erased' = [erased EXCEPT ![r] = Higher(@, erased[q])]
  /\ UNCHANGED <<outcome, read, voters, final, agreed, told>>

-----------------------------------------------------------------------------
Next ==
  \/ \E r \in Replica : Read(r)
  \/ \E r \in Replica, t \in Txn : Vote(r, t)
  \/ \E r \in Replica, t \in Txn : Refuse(r, t)
  \/ \E t \in Txn : Commit(t)
  \/ \E t \in Writer : Abort(t)
  \/ \E r \in Replica, t \in Txn : Learn(r, t)
  \/ \E w \in Watermarks : Agree(w)
  \/ \E r \in Replica, w \in Watermarks : Reach(r, w)
  \/ \E r \in Replica : Erase(r)
  \/ \E r \in Replica, q \in Replica : Copy(r, q)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
\* I3: the reader has read the newest committed write below it, or absence in place of a deletion.
Serializable ==
  outcome[Reader] = "commit" =>
    LET newest == Max(CommittedWriters(Reader)) IN
      IF read = Absent THEN newest \in Deletes \cup {0} ELSE read = newest

\* What a replica refuses for good never commits: its coordinator may abort at once.
FinalIsFinal == \A t \in final : outcome[t] # "commit"

Symmetry == Permutations(Replica)
=============================================================================
