--------------------------- MODULE DecisionTrace ---------------------------
(* Checks runs of the implementation against Decision.  Each trace has the    *)
(* steps that replicas and the coordinator took for one transaction, in       *)
(* order.  Each step has to be one of the actions of Decision, with the       *)
(* arguments that it names: where it is not, TLC reports a deadlock.          *)
(* A test writes the module Runs, in which Traces is a sequence of traces;    *)
(* a trace is a sequence of steps.                                            *)
(*                                                                            *)
(* Outcomes are numbers in a trace: the execution that commits, or -1.        *)
EXTENDS Decision, Sequences, Runs

VARIABLES
  trace,      \* the number of the trace
  position    \* the number of its next step

Step == Traces[trace][position]
Outcome(n) == IF n = -1 THEN Abort ELSE Commit(n)

InitOfTrace == Init /\ trace \in 1..Len(Traces) /\ position = 1

\* A recovery that has proposed already gets a promise.  The replica is fenced by it all the same.
LatePromise(r, b) ==
  /\ proposed[b] # None
  /\ promised' = IF promised[r] < b THEN [promised EXCEPT ![r] = b] ELSE promised
  /\ UNCHANGED <<coordinator, proposed, execution, vote, accepted, acceptances, promises, certain>>

\* A promise says which execution the replica's vote to commit stands for, or -1, and what it has
\* accepted: a view, or -1, and the outcome.  A vote no longer matters then.
Says(p, e, view, v) ==
  IF view # -1 THEN p[4] = <<view, Outcome(v)>>
  ELSE p[4][2] = None /\ IF e = -1 THEN p[3] # "COMMIT" ELSE p[2] = e /\ p[3] = "COMMIT"
IsPromise(r, b, e, view, v) ==
  IF proposed[b] # None THEN LatePromise(r, b)
  ELSE IF r \in Promised(b)
  THEN (\E p \in promises[b] : p[1] = r /\ Says(p, e, view, v)) /\ UNCHANGED vars
  ELSE Promise(r, b) /\ \E p \in promises'[b] : p[1] = r /\ Says(p, e, view, v)

IsFinalize(b, v) ==
  IF b > 0 THEN Propose(b) /\ proposed'[b] = v
  ELSE (IF v = Abort THEN SlowAbort ELSE SlowCommit) /\ proposed'[0] = v

\* A vote that does not count any more only ends the one before.  Once an abort is decided, what
\* conflicts with the transaction may commit: then a late replica rightly says so.
IsFinalVote(r, e) ==
  IF IsFenced(r) /\ (e # current \/ ~Preparing \/ Voters(e, "FINAL") # {}) THEN UNCHANGED vars
  ELSE IF Abort \in Decided /\ vote[r] # "COMMIT" THEN UNCHANGED vars
  ELSE IF e = current THEN VoteAs(r, e, "FINAL")
  ELSE IF vote[r] = "COMMIT" /\ execution[r] < e THEN TakeBackTo(r, e)
  ELSE UNCHANGED vars

\* The coordinator has learnt the outcome, or decides it at once.
IsDecide(v) ==
  IF v \in Decided THEN UNCHANGED vars
  ELSE (FastCommit \/ FastAbort) /\ certain' = {v}

Is(s) ==
  CASE s[1] = "reexecute" -> s[2] > current /\ ReexecuteAs(s[2])
    [] s[1] = "prepare" -> s[2] = current /\ SendPrepare
    [] s[1] = "commit" -> VoteAs(s[2], s[3], "COMMIT")
    [] s[1] = "final" -> IsFinalVote(s[2], s[3])
    [] s[1] = "takeBack" -> TakeBackTo(s[2], s[3])
    [] s[1] = "promise" -> IsPromise(s[2], s[3], s[4], s[5], s[6])
    [] s[1] = "finalize" -> IsFinalize(s[2], Outcome(s[3]))
    [] s[1] = "accept" -> Accept(s[2], s[3])
    [] s[1] = "decide" -> IsDecide(Outcome(s[2]))
    [] s[1] = "know" -> Outcome(s[2]) \in Decided /\ UNCHANGED vars

NextOfTrace ==
  \/ /\ position <= Len(Traces[trace])
     /\ Is(Step)
     /\ position' = position + 1
     /\ UNCHANGED trace
  \/ position > Len(Traces[trace]) /\ UNCHANGED <<vars, trace, position>>

SpecOfTrace == InitOfTrace /\ [][NextOfTrace]_<<vars, trace, position>>
=============================================================================
