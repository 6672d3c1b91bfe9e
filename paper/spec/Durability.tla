----------------------------- MODULE Durability -----------------------------
(* A transaction that is answered before its votes are durable: docs/protocol *)
(* .md, section 8, Durability of a transaction.  One such transaction, in one *)
(* execution, its coordinator, and a recovery.  The first partition is its    *)
(* home, whose replicas accept outcomes.                                      *)
(*                                                                            *)
(* A replica votes to commit, or abandons because of a conflict; Validation   *)
(* specifies why.  A loss of power takes what is not forced.  Higher views    *)
(* are in Decision.                                                           *)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
  Partition,  \* 1..n
  Replica,    \* those of each partition
  MostFailed  \* how many of all may lose power

\* The rules.  All TRUE is the protocol; each FALSE is refuted by TLC.
CONSTANTS
  OutcomesNeedForce,   \* written votes count for the answer alone
  AnswersWithAll,      \* the answer needs the votes of all replicas, not of f+1
  WritesBoundFirst,    \* a vote is said to be written when the bound is durable
  PromisesVaguely,     \* after a loss of power the promise is vague
  SetsVagueAside,      \* a vague promise does not contradict the vote of another replica
  CountsLosses,        \* a vague promise counts as a loss only if it lacks the vote
  StandsByAnswer       \* after the answer no deadline and no re-execution ends the transaction

Place == Partition \X Replica
Home == {1} \X Replica
Of(p) == {p} \X Replica
IsQuorum(S) == 2 * Cardinality(S) > Cardinality(Replica)

VARIABLES
  vote,      \* [Place -> "-", "abandon", "written" or "durable"]
  told,      \* the replicas that have said that their vote is written
  bound,     \* those with a durable bound at or above the transaction
  vague,     \* those that have restarted since their bound, and may have forgotten a vote
  failed,    \* those that have lost power
  promise,   \* [Place -> "-", or what it has promised: "commit", "none" or "vague"]
  proposal,  \* of the coordinator: "-", "commit" or "abort"
  accepted,  \* the replicas that have accepted it
  recovered, \* the proposal of the recovery
  reaccepted,
  outcomes,  \* what was decided
  answered   \* whether the application has heard of a commit

vars == <<vote, told, bound, vague, failed, promise, proposal, accepted, recovered, reaccepted,
          outcomes, answered>>

Init ==
  /\ vote = [x \in Place |-> "-"]
  /\ told = {} /\ bound = {} /\ vague = {} /\ failed = {}
  /\ promise = [x \in Place |-> "-"]
  /\ proposal = "-" /\ accepted = {}
  /\ recovered = "-" /\ reaccepted = {}
  /\ outcomes = {} /\ answered = FALSE

-----------------------------------------------------------------------------
(* Replicas. *)

Vote(x) ==
  /\ vote[x] = "-" /\ promise[x] = "-"
  /\ \E v \in {"abandon", "written"} : vote' = [vote EXCEPT ![x] = v]
  /\ UNCHANGED <<told, bound, vague, failed, promise, proposal, accepted, recovered, reaccepted,
                 outcomes, answered>>

SayWritten(x) ==
  /\ vote[x] = "written" /\ x \notin told
  /\ told' = told \cup {x}
  /\ bound' = IF WritesBoundFirst THEN bound \cup {x} ELSE bound
  /\ UNCHANGED <<vote, vague, failed, promise, proposal, accepted, recovered, reaccepted,
                 outcomes, answered>>

Force(x) ==
  /\ vote[x] = "written"
  /\ vote' = [vote EXCEPT ![x] = "durable"]
  /\ UNCHANGED <<told, bound, vague, failed, promise, proposal, accepted, recovered, reaccepted,
                 outcomes, answered>>

\* A replica that recoveries have asked in vain for long counts as failed, too: it is here as one that
\* has lost power, and has voted again.
LosePower(x) ==
  /\ vote[x] = "written" /\ Cardinality(failed \cup {x}) <= MostFailed
  /\ vote' = [vote EXCEPT ![x] = "-"]
  /\ vague' = IF x \in bound THEN vague \cup {x} ELSE vague
  /\ failed' = failed \cup {x}
  /\ UNCHANGED <<told, bound, promise, proposal, accepted, recovered, reaccepted, outcomes,
                 answered>>

\* A restart before the transaction loses nothing of it. The bound was raised ahead, and covers it.
RestartBefore(x) ==
  /\ vote[x] = "-" /\ x \notin told /\ promise[x] = "-"
  /\ vague' = vague \cup {x}
  /\ UNCHANGED <<vote, told, bound, failed, promise, proposal, accepted, recovered, reaccepted,
                 outcomes, answered>>

\* It forces the log.
Promise(x) ==
  /\ promise[x] = "-"
  /\ LET forced == IF vote[x] = "written" THEN "durable" ELSE vote[x]
     IN /\ vote' = [vote EXCEPT ![x] = forced]
        /\ promise' =
             [promise EXCEPT ![x] =
                IF forced = "durable" THEN "commit"
                ELSE IF x \in vague /\ PromisesVaguely /\ x \notin accepted THEN "vague"
                ELSE "none"]
  /\ UNCHANGED <<told, bound, vague, failed, proposal, accepted, recovered, reaccepted, outcomes,
                 answered>>

-----------------------------------------------------------------------------
(* The coordinator. *)

IsWritten(x) == x \in told \/ vote[x] = "durable"
Counts(x) == vote[x] = "durable" \/ (~OutcomesNeedForce /\ x \in told)

Answer ==
  /\ ~answered /\ proposal # "abort"
  /\ \A p \in Partition :
       LET written == {x \in Of(p) : IsWritten(x)}
       IN written = Of(p) \/ (~AnswersWithAll /\ IsQuorum(written))
  /\ answered' = TRUE
  /\ UNCHANGED <<vote, told, bound, vague, failed, promise, proposal, accepted, recovered,
                 reaccepted, outcomes>>

FastCommit ==
  /\ proposal # "abort" /\ \A x \in Place : Counts(x)
  /\ outcomes' = outcomes \cup {"commit"}
  /\ proposal' = "commit"
  /\ UNCHANGED <<vote, told, bound, vague, failed, promise, accepted, recovered, reaccepted,
                 answered>>

\* Before the answer, a deadline or another execution may end the transaction.
Propose(v) ==
  /\ proposal = "-"
  /\ IF v = "commit"
     THEN \A p \in Partition : IsQuorum({x \in Of(p) : Counts(x)})
     ELSE \/ ~answered \/ ~StandsByAnswer
          \/ \E p \in Partition : IsQuorum({x \in Of(p) : vote[x] = "abandon"})
  /\ proposal' = v
  /\ UNCHANGED <<vote, told, bound, vague, failed, promise, accepted, recovered, reaccepted,
                 outcomes, answered>>

Accept(x) ==
  /\ proposal # "-" /\ x \in Home /\ promise[x] = "-" /\ x \notin accepted
  /\ accepted' = accepted \cup {x}
  /\ outcomes' = IF IsQuorum(accepted') THEN outcomes \cup {proposal} ELSE outcomes
  /\ UNCHANGED <<vote, told, bound, vague, failed, promise, proposal, recovered, reaccepted,
                 answered>>

-----------------------------------------------------------------------------
(* The recovery (section 5). *)

Promised(p) == {x \in Of(p) : promise[x] # "-"}

\* Promises that do not count yet.
Aside(p) ==
  LET unsure == {x \in Promised(p) : promise[x] = "vague"}
      lost == IF CountsLosses THEN unsure ELSE Promised(p) \cap vague
  IN IF \/ ~SetsVagueAside
        \/ IsQuorum(lost)
        \/ \E x \in Promised(p) : promise[x] = "none"
        \/ \A x \in Promised(p) : promise[x] # "commit"
        \/ IsQuorum(failed \cap Of(p))     \* it has waited long enough
     THEN {} ELSE unsure

Recover ==
  /\ recovered = "-"
  /\ \A p \in Partition : IsQuorum(Promised(p) \ Aside(p))
  /\ \E q \in SUBSET Place :
       /\ \A p \in Partition : q \cap Of(p) \subseteq Promised(p) \ Aside(p)
       /\ \A p \in Partition : IsQuorum(q \cap Of(p))
       /\ recovered' =
            IF q \cap accepted # {} THEN proposal
            ELSE IF \A x \in q : promise[x] = "commit" THEN "commit" ELSE "abort"
  /\ UNCHANGED <<vote, told, bound, vague, failed, promise, proposal, accepted, reaccepted,
                 outcomes, answered>>

Reaccept(x) ==
  /\ recovered # "-" /\ x \in Home /\ promise[x] # "-" /\ x \notin reaccepted
  /\ reaccepted' = reaccepted \cup {x}
  /\ outcomes' = IF IsQuorum(reaccepted') THEN outcomes \cup {recovered} ELSE outcomes
  /\ UNCHANGED <<vote, told, bound, vague, failed, promise, proposal, accepted, recovered,
                 answered>>

-----------------------------------------------------------------------------
Next ==
  \/ \E x \in Place : Vote(x)
  \/ \E x \in Place : SayWritten(x)
  \/ \E x \in Place : Force(x)
  \/ \E x \in Place : LosePower(x)
  \/ \E x \in Place : RestartBefore(x)
  \/ \E x \in Place : Promise(x)
  \/ Answer
  \/ FastCommit
  \/ \E v \in {"commit", "abort"} : Propose(v)
  \/ \E x \in Place : Accept(x)
  \/ Recover
  \/ \E x \in Place : Reaccept(x)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
\* I1, also for those who read what it has written: they rest on the outcome.
Agreement == Cardinality(outcomes) <= 1

\* An answer is true unless more than f replicas of a partition have failed.
AnswerHolds ==
  answered /\ "abort" \in outcomes => \E p \in Partition : IsQuorum(failed \cap Of(p))

Symmetry == Permutations(Replica)
=============================================================================
