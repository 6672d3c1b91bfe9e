------------------------------ MODULE Decision ------------------------------
(* The outcome of one Morty transaction (docs/protocol.md, section 4, and its *)
(* recovery).  Executions supersede one another; the replicas of every        *)
(* participant vote on them in view 0, the view of the client's coordinator;  *)
(* when the fast path fails, the home group logs the outcome; recovery        *)
(* coordinators act in the views above 0.                                     *)
(*                                                                            *)
(* A message, once it can be sent, can be delivered at any later time, again, *)
(* or never.  Why a replica votes as it does is the subject of Validation;    *)
(* what is taken from there is FinalIsFinal, an invariant of that module.     *)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
  Home,           \* the replicas of the home group
  Other, Third,   \* those of two other groups, which may be empty
  OtherIn,        \* executions that have the other group as a participant
  ThirdIn,        \* likewise
  MaxExec,        \* executions are numbered 0..MaxExec
  MaxView         \* views are numbered 0..MaxView

\* The rules.  All TRUE is the protocol; each FALSE is refuted by TLC.
CONSTANTS
  AbortsAtOnceOnlyFirst,        \* a final abandon aborts at once only if one execution was ever prepared
  PromisesAtOthers,             \* a recovery asks promises of the other participants too
  Supersedes,                   \* a replica votes on no execution lower than one it has seen
  TakesVotesBack,               \* a message of a higher execution takes the vote back only until the
                                \*   replica is fenced (FALSE: afterwards too)
  IgnoresVotesForOldExecutions  \* the coordinator counts votes for its current execution only

Replica == Home \cup Other \cup Third
Execs == 0..MaxExec
Views == 0..MaxView
NoExec == -1

Members(g) == CASE g = "home" -> Home [] g = "other" -> Other [] g = "third" -> Third
GroupOf(r) == IF r \in Home THEN "home" ELSE IF r \in Other THEN "other" ELSE "third"
OthersOf(e) == (IF e \in OtherIn THEN {"other"} ELSE {}) \cup (IF e \in ThirdIn THEN {"third"} ELSE {})
Participants(e) == {"home"} \cup OthersOf(e)

F(g) == (Cardinality(Members(g)) - 1) \div 2
SlowQuorum(g) == F(g) + 1
IsSlowQuorum(S, g) == Cardinality(S \cap Members(g)) >= SlowQuorum(g)

None == <<"None", NoExec, {}>>
Abort == <<"Abort", NoExec, {}>>
Commit(e) == <<"Commit", e, Participants(e)>>

VARIABLES
  current,    \* the coordinator's execution
  prepared,   \* the executions whose Prepare was sent
  votes,      \* <<replica, execution, vote>>: PrepareReplies that the coordinator may count
  proposed,   \* [Views -> outcome]: the Finalize of each view, None if it was not sent
  execution,  \* [Replica -> the highest execution it has seen]
  vote,       \* [Replica -> its standing vote on it: "COMMIT" or "-"]
  promised,   \* [Replica -> the view it has promised]
  accepted,   \* [Replica -> <<view, outcome>> it has accepted]; home replicas only
  acceptances,\* [Views -> the home replicas whose FinalizeReply says accepted]
  promises,   \* [Views -> <<replica, execution, vote, accepted>> of those that promised]
  certain     \* the outcomes that the client's coordinator decided at once

coordinator == <<current, prepared, votes>>
replicas == <<execution, vote, promised, accepted>>
vars == <<coordinator, proposed, replicas, acceptances, promises, certain>>

Init ==
  /\ current = 0 /\ prepared = {} /\ votes = {}
  /\ proposed = [b \in Views |-> None]
  /\ execution = [r \in Replica |-> NoExec]
  /\ vote = [r \in Replica |-> "-"]
  /\ promised = [r \in Replica |-> 0]
  /\ accepted = [r \in Replica |-> <<0, None>>]
  /\ acceptances = [b \in Views |-> {}]
  /\ promises = [b \in Views |-> {}]
  /\ certain = {}

Voters(e, v) == {r \in Replica : <<r, e, v>> \in votes}
IsFenced(r) == promised[r] > 0 \/ accepted[r][2] # None

\* The outcomes that the home group has logged, and all that a coordinator can be certain of.
Logged == {proposed[b] : b \in {v \in Views : IsSlowQuorum(acceptances[v], "home")}}
Decided == certain \cup Logged

-----------------------------------------------------------------------------
(* The client's coordinator, in view 0. *)

\* Nothing is proposed or certain yet.
Preparing == proposed[0] = None /\ certain = {}

SendPrepare ==
  /\ Preparing /\ current \notin prepared
  /\ prepared' = prepared \cup {current}
  /\ UNCHANGED <<current, votes, proposed, replicas, acceptances, promises, certain>>

\* A re-execution, or the same operations to be voted on again; before anything was proposed.
ReexecuteAs(e) ==
  /\ Preparing
  /\ current' = e
  /\ votes' = IF IgnoresVotesForOldExecutions THEN {} ELSE votes
  /\ UNCHANGED <<prepared, proposed, replicas, acceptances, promises, certain>>

Reexecute == current < MaxExec /\ ReexecuteAs(current + 1)

Counted == IF IgnoresVotesForOldExecutions THEN {current} \cap prepared ELSE prepared

\* The last votes race with the acceptances of a proposal of the same outcome.
FastCommit ==
  \E e \in Counted :
    /\ Preparing \/ (proposed[0] = Commit(e) /\ certain = {})
    /\ \A g \in Participants(e) : Members(g) \subseteq Voters(e, "COMMIT")
    /\ certain' = {Commit(e)}
    /\ UNCHANGED <<coordinator, proposed, replicas, acceptances, promises>>

SlowCommit ==
  \E e \in Counted :
    /\ Preparing
    /\ \A g \in Participants(e) : IsSlowQuorum(Voters(e, "COMMIT"), g)
    /\ proposed' = [proposed EXCEPT ![0] = Commit(e)]
    /\ UNCHANGED <<coordinator, replicas, acceptances, promises, certain>>

SlowAbort ==
  /\ Preparing /\ prepared # {}
  /\ proposed' = [proposed EXCEPT ![0] = Abort]
  /\ UNCHANGED <<coordinator, replicas, acceptances, promises, certain>>

\* The last votes race with the acceptances of a proposed abort, too.  FINAL votes are true here: the
\* code asks for a majority of them, because a client may have deceived the replica that gives one.
FastAbort ==
  /\ Preparing \/ (proposed[0] = Abort /\ certain = {})
  /\ \/ prepared = {}
     \/ /\ AbortsAtOnceOnlyFirst => Cardinality(prepared) = 1
        /\ \E e \in Counted : Voters(e, "FINAL") # {}
  /\ certain' = {Abort}
  /\ UNCHANGED <<coordinator, proposed, replicas, acceptances, promises>>

-----------------------------------------------------------------------------
(* Replicas.  A tentative abandon counts for nothing: it is a vote not given. *)

VoteAs(r, e, v) ==
  LET g == GroupOf(r)
      commits == Cardinality(Voters(e, "COMMIT") \cap Members(g))
      finals == Voters(e, "FINAL") \cap Members(g)
  IN
  /\ e \in prepared /\ g \in Participants(e)
  \* A fenced replica still says so when the condition of its vote has failed.
  /\ IsFenced(r) => v = "FINAL" /\ Preparing /\ Voters(e, "FINAL") = {} /\ r \notin Voters(e, "COMMIT")
  /\ IsFenced(r) \/ e > execution[r] \/ (e = execution[r] /\ vote[r] = "-") \/ (e < execution[r] /\ ~Supersedes)
  \* FinalIsFinal: with a final abandon of the coordinator's execution, no f+1 replicas of the
  \* group vote to commit it, unless an abort was logged before
  /\ IF v = "FINAL"
     THEN e = current /\ (commits <= F(g) \/ Abort \in Logged)
     ELSE finals # {} => r \notin finals /\ (commits < F(g) \/ Abort \in Logged)
  /\ execution' = IF IsFenced(r) THEN execution ELSE [execution EXCEPT ![r] = e]
  /\ vote' = IF IsFenced(r) THEN vote ELSE [vote EXCEPT ![r] = IF v = "COMMIT" THEN v ELSE "-"]
  /\ votes' = IF e \in Counted THEN votes \cup {<<r, e, v>>} ELSE votes
  /\ UNCHANGED <<current, prepared, proposed, promised, accepted, acceptances, promises, certain>>

VoteOn(r) == \E e \in prepared, v \in {"COMMIT", "FINAL"} : VoteAs(r, e, v)

\* Drop(e), or a Put, Retract or Prepare of an execution above e, which is given up for certain.
\* Only a standing vote makes a difference: without one, it is as if later Prepares were lost.
\* With its proposal to abort, the coordinator takes back the vote on its last execution, too.
TakeBackTo(r, e) ==
  /\ vote[r] = "COMMIT" /\ e > execution[r] /\ (e <= current \/ proposed[0] = Abort)
  /\ TakesVotesBack => ~IsFenced(r)
  /\ execution' = [execution EXCEPT ![r] = e]
  /\ vote' = [vote EXCEPT ![r] = "-"]
  /\ UNCHANGED <<coordinator, proposed, promised, accepted, acceptances, promises, certain>>

TakeBack(r) == \E e \in (execution[r] + 1)..(current + 1) : TakeBackTo(r, e)

Accept(r, b) ==
  /\ proposed[b] # None /\ promised[r] <= b /\ r \notin acceptances[b]
  /\ promised' = [promised EXCEPT ![r] = b]
  /\ accepted' = [accepted EXCEPT ![r] = <<b, proposed[b]>>]
  /\ acceptances' = [acceptances EXCEPT ![b] = @ \cup {r}]
  /\ UNCHANGED <<coordinator, proposed, execution, vote, promises, certain>>

-----------------------------------------------------------------------------
(* Recovery in view b > 0, by any replica. *)

Promised(b) == {p[1] : p \in promises[b]}
PromisesIn(b, Q) == {p \in promises[b] : p[1] \in Q}
Quorums(b, g) == {Q \in SUBSET (Promised(b) \cap Members(g)) : Cardinality(Q) = SlowQuorum(g)}
AllCommit(ps, e) == \A p \in ps : p[2] = e /\ p[3] = "COMMIT"
HasAccepted(ps) == \E p \in ps : p[4][2] # None
HighestAccepted(ps) ==
  (CHOOSE p \in ps : p[4][2] # None /\ \A q \in ps : q[4][2] # None => q[4][1] <= p[4][1])[4][2]

\* The home group is asked first; the others when its answers could commit an execution of theirs.
Asked(r, b) ==
  \/ r \in Home
  \/ \E Q \in Quorums(b, "home"), e \in Execs :
       ~HasAccepted(PromisesIn(b, Q)) /\ AllCommit(PromisesIn(b, Q), e) /\ GroupOf(r) \in OthersOf(e)

\* What is promised to a recovery that has proposed already is of use to nobody.
Promise(r, b) ==
  /\ b > 0 /\ proposed[b] = None /\ r \notin Promised(b)
  /\ promised[r] < b
  /\ Asked(r, b)
  /\ promised' = IF r \notin Home /\ ~PromisesAtOthers THEN promised ELSE [promised EXCEPT ![r] = b]
  /\ promises' = [promises EXCEPT ![b] = @ \cup {<<r, execution[r], vote[r], accepted[r]>>}]
  /\ UNCHANGED <<coordinator, proposed, execution, vote, accepted, acceptances, certain>>

\* The outcomes that view b may propose on these promises of the home group.
Choices(b, ps) ==
  IF HasAccepted(ps) THEN {HighestAccepted(ps)}
  ELSE IF \E e \in Execs : AllCommit(ps, e)
  THEN LET e == CHOOSE e \in Execs : AllCommit(ps, e)
           commits(g) == {AllCommit(PromisesIn(b, Q), e) : Q \in Quorums(b, g)}
       IN IF \E g \in OthersOf(e) : commits(g) = {} THEN {}
          ELSE (IF \A g \in OthersOf(e) : TRUE \in commits(g) THEN {Commit(e)} ELSE {})
                 \cup (IF \E g \in OthersOf(e) : FALSE \in commits(g) THEN {Abort} ELSE {})
  ELSE {Abort}

Propose(b) ==
  /\ b > 0 /\ proposed[b] = None
  /\ \E Q \in Quorums(b, "home") : \E v \in Choices(b, PromisesIn(b, Q)) :
       proposed' = [proposed EXCEPT ![b] = v]
  /\ UNCHANGED <<coordinator, replicas, acceptances, promises, certain>>

-----------------------------------------------------------------------------
Next ==
  \/ SendPrepare \/ Reexecute
  \/ FastCommit \/ SlowCommit \/ SlowAbort \/ FastAbort
  \/ \E r \in Replica : VoteOn(r)
  \/ \E r \in Replica : TakeBack(r)
  \/ \E r \in Home, b \in Views : Accept(r, b)
  \/ \E r \in Replica, b \in Views : Promise(r, b)
  \/ \E b \in Views : Propose(b)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
\* I1: one outcome.
Agreement == Cardinality(Decided) <= 1

\* I2: a committed execution is held by f+1 replicas of each participant.
Held ==
  \A e \in prepared : Commit(e) \in Decided =>
    \A g \in Participants(e) :
      IsSlowQuorum({r \in Replica : execution[r] = e /\ vote[r] = "COMMIT"}, g)

Symmetry == Permutations(Home) \cup Permutations(Other) \cup Permutations(Third)
=============================================================================
