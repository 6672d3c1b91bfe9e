----------------------------- MODULE Registration -----------------------------
(* Read-only transactions: one writer and a later reader of one key, at one    *)
(* partition.  The reader reads the initial version or the writer's.  It       *)
(* commits with votes of f+1 replicas, which register its read, and has no     *)
(* outcome.  The writer is decided as in Decision, with one view for a         *)
(* recovery.  Votes to commit, acceptances and outcomes survive a restart.     *)
(* Registered reads and abandons do not; the bound of registered reads does.   *)
EXTENDS Naturals, FiniteSets, TLC

CONSTANTS
  Replica,
  F,       \* failures tolerated; there are 2F+1 replicas
  Crashes  \* how many times replicas stop and come back with their log

\* The rules.  All TRUE is the protocol; each FALSE is refuted by TLC.
CONSTANTS
  ReadsFromMajority,     \* the reader needs the votes of f+1 replicas
  RegistersWithVote,     \* a vote for the reader registers its read
  RegistersWhenDecided,  \* the version read has committed at the replica
  RegisteredIsTentative, \* one registered read does not abort the writer for good
  RemembersBound         \* a restarted replica votes on no writer below a forgotten reader

VARIABLES
  read,       \* what the reader has read: "-" (nothing yet), "initial", "written"
  voters,     \* replicas whose votes for the reader were sent
  committed,  \* whether the reader has committed
  registered, \* [Replica -> whether the read is registered]
  forgotten,  \* [Replica -> whether a restart may have forgotten the read]
  vote,       \* [Replica -> its vote on the writer: "-", "COMMIT", "TENTATIVE", "REGISTERED", "FINAL"]
  sent,       \* votes on the writer that were sent: <<replica, vote>>
  promised,   \* [Replica -> whether it has promised the view of the recovery]
  accepted,   \* [Replica -> whether it has accepted the client's proposal to commit]
  proposed,   \* whether the client has proposed to commit the writer
  certain,    \* the outcomes of the writer that some process knows
  outcome,    \* [Replica -> the outcome of the writer that it knows, "-"]
  crashes

vars == <<read, voters, committed, registered, forgotten, vote, sent, promised, accepted, proposed,
          certain, outcome, crashes>>
reader == <<read, voters, committed>>

IsQuorum(rs) == Cardinality(rs) >= F + 1
Sent(kind) == {r \in Replica : <<r, kind>> \in sent}

Init ==
  /\ read = "-" /\ voters = {} /\ committed = FALSE
  /\ registered = [r \in Replica |-> FALSE] /\ forgotten = [r \in Replica |-> FALSE]
  /\ vote = [r \in Replica |-> "-"] /\ sent = {}
  /\ promised = [r \in Replica |-> FALSE] /\ accepted = [r \in Replica |-> FALSE]
  /\ proposed = FALSE /\ certain = {} /\ outcome = [r \in Replica |-> "-"]
  /\ crashes = 0

-----------------------------------------------------------------------------
(* The reader. *)
Read(version) ==
  /\ read = "-" /\ read' = version
  /\ UNCHANGED <<voters, committed, registered, forgotten, vote, sent, promised, accepted, proposed,
                 certain, outcome, crashes>>

\* Rules 3 to 5: the version read has committed, or there is no other one.
MayRegister(r) ==
  \/ read = "initial" /\ outcome[r] # "commit" /\ (vote[r] = "COMMIT" => outcome[r] = "abort")
  \/ read = "written" /\ \/ outcome[r] = "commit"
                         \/ ~RegistersWhenDecided /\ vote[r] = "COMMIT" /\ outcome[r] = "-"

Register(r) ==
  /\ MayRegister(r)
  /\ voters' = voters \cup {r}
  /\ registered' = [registered EXCEPT ![r] = @ \/ RegistersWithVote]
  /\ UNCHANGED <<read, committed, forgotten, vote, sent, promised, accepted, proposed, certain, outcome,
                 crashes>>

CommitReader ==
  /\ ~committed /\ Cardinality(voters) >= IF ReadsFromMajority THEN F + 1 ELSE F
  /\ committed' = TRUE
  /\ UNCHANGED <<read, voters, registered, forgotten, vote, sent, promised, accepted, proposed, certain,
                 outcome, crashes>>

-----------------------------------------------------------------------------
(* The writer. *)

\* Rule 6.
VoteOn(r) ==
  /\ vote[r] = "-" /\ outcome[r] = "-" /\ ~promised[r] /\ ~accepted[r]
  /\ vote' = [vote EXCEPT ![r] =
       IF forgotten[r] THEN "TENTATIVE"
       ELSE IF registered[r] /\ read = "initial"
       THEN IF RegisteredIsTentative THEN "REGISTERED" ELSE "FINAL"
       ELSE "COMMIT"]
  /\ sent' = sent \cup {<<r, vote'[r]>>}
  /\ UNCHANGED <<reader, registered, forgotten, promised, accepted, proposed, certain, outcome, crashes>>

Decide(value) ==
  /\ certain' = certain \cup {value}
  /\ UNCHANGED <<reader, registered, forgotten, vote, sent, outcome, crashes>>

FastCommit ==
  /\ Sent("COMMIT") = Replica /\ Decide("commit")
  /\ UNCHANGED <<promised, accepted, proposed>>

\* A final abandon, or f+1 for registered reads.
AbortAtOnce ==
  /\ ~proposed /\ (Sent("FINAL") # {} \/ IsQuorum(Sent("REGISTERED")))
  /\ Decide("abort")
  /\ UNCHANGED <<promised, accepted, proposed>>

Propose ==
  /\ ~proposed /\ "abort" \notin certain /\ IsQuorum(Sent("COMMIT")) /\ proposed' = TRUE
  /\ UNCHANGED <<reader, registered, forgotten, vote, sent, promised, accepted, certain, outcome,
                 crashes>>

Accept(r) ==
  /\ proposed /\ ~promised[r] /\ ~accepted[r]
  /\ accepted' = [accepted EXCEPT ![r] = TRUE]
  /\ UNCHANGED <<reader, registered, forgotten, vote, sent, promised, proposed, certain, outcome, crashes>>

SlowCommit ==
  /\ IsQuorum({r \in Replica : accepted[r]}) /\ Decide("commit")
  /\ UNCHANGED <<promised, accepted, proposed>>

\* A recovery, with the promises of f+1 replicas in one step.
Recover(rs) ==
  /\ Cardinality(rs) = F + 1 /\ \A r \in Replica : ~promised[r]
  /\ promised' = [r \in Replica |-> r \in rs]
  /\ Decide(IF \E r \in rs : outcome[r] # "-" THEN outcome[CHOOSE r \in rs : outcome[r] # "-"]
            ELSE IF (\E r \in rs : accepted[r]) \/ (\A r \in rs : vote[r] = "COMMIT")
            THEN "commit" ELSE "abort")
  /\ UNCHANGED <<accepted, proposed>>

Learn(r) ==
  /\ outcome[r] = "-"
  /\ \E value \in certain : outcome' = [outcome EXCEPT ![r] = value]
  /\ UNCHANGED <<reader, registered, forgotten, vote, sent, promised, accepted, proposed, certain,
                 crashes>>

-----------------------------------------------------------------------------
Crash(r) ==
  /\ crashes < Crashes /\ crashes' = crashes + 1
  /\ forgotten' = [forgotten EXCEPT ![r] = @ \/ (registered[r] /\ RemembersBound)]
  /\ registered' = [registered EXCEPT ![r] = FALSE]
  /\ vote' = [vote EXCEPT ![r] = IF @ = "COMMIT" THEN @ ELSE "-"]
  /\ UNCHANGED <<reader, sent, promised, accepted, proposed, certain, outcome>>

Next ==
  \/ \E version \in {"initial", "written"} : Read(version)
  \/ \E r \in Replica : Register(r)
  \/ CommitReader
  \/ \E r \in Replica : VoteOn(r)
  \/ FastCommit
  \/ AbortAtOnce
  \/ Propose
  \/ \E r \in Replica : Accept(r)
  \/ SlowCommit
  \/ \E rs \in SUBSET Replica : Recover(rs)
  \/ \E r \in Replica : Learn(r)
  \/ \E r \in Replica : Crash(r)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
\* I1: one outcome of the writer.
Agreement == Cardinality(certain) <= 1

\* I3: a reader that has committed with the initial version has missed no write.
Serializable == committed /\ read = "initial" => "commit" \notin certain

\* I4: a reader that has committed with the writer's version has read a commit.
NoDirtyReads == committed /\ read = "written" => certain = {"commit"}

Symmetry == Permutations(Replica)
=============================================================================
