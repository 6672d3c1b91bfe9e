----------------------------- MODULE Registration -----------------------------
(* Read-only transactions: one writer and a later reader of one key, at one    *)
(* partition.  The reader reads the initial version or the writer's.  It       *)
(* commits with votes of f+1 replicas, which register its read, and has no     *)
(* outcome.  It may give an execution up and begin the next one: then replicas *)
(* take the read of the former back, now or later or never.  Requests arrive   *)
(* in any order.  The writer is decided as in Decision, with one view for a    *)
(* recovery.  Votes to commit, acceptances and outcomes survive a restart.     *)
(* Registered reads and abandons do not; the bound of registered reads does.   *)
EXTENDS Naturals, FiniteSets, TLC

CONSTANTS
  Replica,
  F,       \* failures tolerated; there are 2F+1 replicas
  Crashes, \* how many times replicas stop and come back with their log
  Last     \* the number of the reader's last execution; the first one is 0

\* The rules.  All TRUE is the protocol; each FALSE is refuted by TLC.
CONSTANTS
  ReadsFromMajority,     \* the reader needs the votes of f+1 replicas
  RegistersWithVote,     \* a vote for the reader registers its read
  RegistersWhenDecided,  \* the version read has committed at the replica
  RegisteredIsTentative, \* one registered read does not abort the writer for good
  RemembersBound,        \* a restarted replica votes on no writer below a forgotten reader
  KeepsBound,            \* ... although the reads were taken back
  TakesBackGivenUp,      \* only reads of executions that were given up are taken back
  TakesBackByExecution,  \* ... and none of later ones with them
  CountsOneExecution     \* votes on executions that were given up do not count

VARIABLES
  execution,  \* the reader's current execution
  read,       \* [0..Last -> what the reader has read: "-" (nothing yet), "initial", "written"]
  voters,     \* votes for the reader that were sent: <<replica, execution>>
  committed,  \* the executions of the reader that have committed
  registered, \* [Replica -> the executions whose reads are registered]
  bound,      \* [Replica -> whether the log has a bound above the reader]
  forgotten,  \* [Replica -> whether a restart may have forgotten the read]
  vote,       \* [Replica -> its vote on the writer: "-", "COMMIT", "TENTATIVE", "REGISTERED", "FINAL"]
  sent,       \* votes on the writer that were sent: <<replica, vote>>
  promised,   \* [Replica -> whether it has promised the view of the recovery]
  accepted,   \* [Replica -> whether it has accepted the client's proposal to commit]
  proposed,   \* whether the client has proposed to commit the writer
  certain,    \* the outcomes of the writer that some process knows
  outcome,    \* [Replica -> the outcome of the writer that it knows, "-"]
  crashes

writer == <<vote, sent, promised, accepted, proposed, certain, outcome>>
reader == <<execution, read, voters, committed>>
memory == <<registered, bound, forgotten>>
vars == <<reader, memory, writer, crashes>>

IsQuorum(rs) == Cardinality(rs) >= F + 1
Sent(kind) == {r \in Replica : <<r, kind>> \in sent}

Init ==
  /\ execution = 0 /\ read = [e \in 0..Last |-> "-"] /\ voters = {} /\ committed = {}
  /\ registered = [r \in Replica |-> {}] /\ bound = [r \in Replica |-> FALSE]
  /\ forgotten = [r \in Replica |-> FALSE]
  /\ vote = [r \in Replica |-> "-"] /\ sent = {}
  /\ promised = [r \in Replica |-> FALSE] /\ accepted = [r \in Replica |-> FALSE]
  /\ proposed = FALSE /\ certain = {} /\ outcome = [r \in Replica |-> "-"]
  /\ crashes = 0

-----------------------------------------------------------------------------
(* The reader. *)
Read(version) ==
  /\ read[execution] = "-" /\ read' = [read EXCEPT ![execution] = version]
  /\ UNCHANGED <<execution, voters, committed, memory, writer, crashes>>

\* Rules 3 to 5: the version read has committed, or there is no other one.
MayRegister(r, e) ==
  \/ read[e] = "initial" /\ outcome[r] # "commit" /\ (vote[r] = "COMMIT" => outcome[r] = "abort")
  \/ read[e] = "written" /\ \/ outcome[r] = "commit"
                            \/ ~RegistersWhenDecided /\ vote[r] = "COMMIT" /\ outcome[r] = "-"

\* A request may be late: the execution may have been given up.
Register(r, e) ==
  /\ MayRegister(r, e)
  /\ voters' = voters \cup {<<r, e>>}
  /\ registered' = [registered EXCEPT ![r] = IF RegistersWithVote THEN @ \cup {e} ELSE @]
  /\ bound' = [bound EXCEPT ![r] = @ \/ RegistersWithVote]
  /\ UNCHANGED <<execution, read, committed, forgotten, writer, crashes>>

VotersOn(e) ==
  {r \in Replica : \E v \in voters : v[1] = r /\ (v[2] = e \/ ~CountsOneExecution)}

CommitReader ==
  /\ execution \notin committed
  /\ Cardinality(VotersOn(execution)) >= IF ReadsFromMajority THEN F + 1 ELSE F
  /\ committed' = committed \cup {execution}
  /\ UNCHANGED <<execution, read, voters, memory, writer, crashes>>

GiveUp ==
  /\ committed = {} /\ execution < Last /\ read[execution] # "-"
  /\ execution' = execution + 1
  /\ UNCHANGED <<read, voters, committed, memory, writer, crashes>>

\* A replica hears that an execution was given up.
TakeBack(r, e) ==
  /\ e \in registered[r] /\ (e < execution \/ ~TakesBackGivenUp)
  /\ registered' = [registered EXCEPT ![r] = IF TakesBackByExecution THEN @ \ 0..e ELSE {}]
  /\ bound' = [bound EXCEPT ![r] = KeepsBound \/ registered'[r] # {}]
  /\ UNCHANGED <<reader, forgotten, writer, crashes>>

-----------------------------------------------------------------------------
(* The writer. *)

\* Rule 6.
VoteOn(r) ==
  /\ vote[r] = "-" /\ outcome[r] = "-" /\ ~promised[r] /\ ~accepted[r]
  /\ vote' = [vote EXCEPT ![r] =
       IF forgotten[r] THEN "TENTATIVE"
       ELSE IF \E e \in registered[r] : read[e] = "initial"
       THEN IF RegisteredIsTentative THEN "REGISTERED" ELSE "FINAL"
       ELSE "COMMIT"]
  /\ sent' = sent \cup {<<r, vote'[r]>>}
  /\ UNCHANGED <<reader, memory, promised, accepted, proposed, certain, outcome, crashes>>

Decide(value) ==
  /\ certain' = certain \cup {value}
  /\ UNCHANGED <<reader, memory, vote, sent, outcome, crashes>>

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
  /\ UNCHANGED <<reader, memory, vote, sent, promised, accepted, certain, outcome, crashes>>

Accept(r) ==
  /\ proposed /\ ~promised[r] /\ ~accepted[r]
  /\ accepted' = [accepted EXCEPT ![r] = TRUE]
  /\ UNCHANGED <<reader, memory, vote, sent, promised, proposed, certain, outcome, crashes>>

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
  /\ UNCHANGED <<reader, memory, vote, sent, promised, accepted, proposed, certain, crashes>>

-----------------------------------------------------------------------------
Crash(r) ==
  /\ crashes < Crashes /\ crashes' = crashes + 1
  /\ forgotten' = [forgotten EXCEPT ![r] = @ \/ (bound[r] /\ RemembersBound)]
  /\ registered' = [registered EXCEPT ![r] = {}]
  /\ vote' = [vote EXCEPT ![r] = IF @ = "COMMIT" THEN @ ELSE "-"]
  /\ UNCHANGED <<reader, bound, sent, promised, accepted, proposed, certain, outcome>>

Next ==
  \/ \E version \in {"initial", "written"} : Read(version)
  \/ \E r \in Replica, e \in 0..Last : Register(r, e) \/ TakeBack(r, e)
  \/ GiveUp
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
Serializable == (\E e \in committed : read[e] = "initial") => "commit" \notin certain

\* I4: a reader that has committed with the writer's version has read a commit.
NoDirtyReads == (\E e \in committed : read[e] = "written") => certain = {"commit"}

Symmetry == Permutations(Replica)
=============================================================================
