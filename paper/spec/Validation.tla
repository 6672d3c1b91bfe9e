----------------------------- MODULE Validation -----------------------------
(* Conflicting transactions in one group: the votes of docs/protocol.md,      *)
(* section 3, computed from what each replica holds, with the outcomes of     *)
(* section 4 and recovery.  Transactions are numbered in the order of their   *)
(* TxnIds.  Restart and Truncation build on this module.                      *)
(*                                                                            *)
(* A read may return any version below the reader that an execution has       *)
(* prepared; what pushes and subscriptions do is thereby contained.           *)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
  Replica,
  Txns,           \* how many transactions there are
  MaxExec,        \* executions are numbered 0..MaxExec
  MaxView,        \* views are numbered 0..MaxView
  Recovered,      \* the transactions that recovery coordinators may turn to
  Program         \* what the transactions do: see Programs

\* The rules.  All TRUE is the protocol; each FALSE is refuted by TLC.
CONSTANTS
  MindsConditions,        \* rule 3: votes on what is undecided count only if that commits
  PromisesWhenDecided,    \* section 5: a promise tells of such a vote when that is decided
  ChecksDirtyReads,       \* rule 4
  ChecksMissedWrites,     \* rule 5
  ChecksWritesMissed      \* rule 6

Txn == 1..Txns
Execs == 0..MaxExec
Views == 0..MaxView
NoExec == -1
F == (Cardinality(Replica) - 1) \div 2
IsSlowQuorum(S) == Cardinality(S) >= F + 1

None == <<"None", NoExec>>
Abort == <<"Abort", NoExec>>
Commit(e) == <<"Commit", e>>

\* The keys that an execution reads and writes, and the number of the value that it writes.  An
\* execution that writes the same value as the one before keeps its number.
Same(keys) == [e \in Execs |-> keys]
Programs == [
  increments |-> [      \* each reads and writes one key
    reads |-> [t \in Txn |-> Same({"x"})],
    writes |-> [t \in Txn |-> Same({"x"})],
    value |-> [t \in Txn |-> [e \in Execs |-> e]]],
  skew |-> [            \* each reads what the next one writes
    reads |-> [t \in Txn |-> Same({IF t = Txns THEN 1 ELSE t + 1})],
    writes |-> [t \in Txn |-> Same({t})],
    value |-> [t \in Txn |-> [e \in Execs |-> e]]],
  retraction |-> [      \* the first does not write again what its execution 0 wrote; the rest read it
    reads |-> [t \in Txn |-> IF t = 1 THEN Same({}) ELSE Same({"x"})],
    writes |-> [t \in Txn |-> IF t = 1 THEN [e \in Execs |-> IF e = 0 THEN {"x"} ELSE {}] ELSE Same({})],
    value |-> [t \in Txn |-> Same(0)]],
  sameValue |-> [       \* the first writes the same value in each execution; the rest read it
    reads |-> [t \in Txn |-> IF t = 1 THEN Same({}) ELSE Same({"x"})],
    writes |-> [t \in Txn |-> IF t = 1 THEN Same({"x"}) ELSE Same({})],
    value |-> [t \in Txn |-> Same(0)]]]
Reads(t, e) == Programs[Program].reads[t][e]
Writes(t, e) == Programs[Program].writes[t][e]
Value(t, e) == Programs[Program].value[t][e]

Initial == <<0, 0>>     \* the version <<writer, value>> of a key that nobody wrote

VARIABLES
  current,    \* [Txn -> the highest execution that was prepared]
  reads,      \* [Txn -> [Execs -> [keys read -> version]]]
  proposed,   \* [Txn -> [Views -> outcome]]: the Finalize of each view
  certain,    \* [Txn -> outcomes that the client's coordinator decided at once]
  sent,       \* votes, acceptances and promises that have left their replica
  execution,  \* [Replica -> [Txn -> the highest execution it has seen]]
  vote,       \* [Replica -> [Txn -> "COMMIT" or "-"]]
  promised,   \* [Replica -> [Txn -> view]]
  accepted,   \* [Replica -> [Txn -> <<view, outcome>>]]
  outcome,    \* [Replica -> [Txn -> the outcome that it knows]]
  installed,  \* [Replica -> <<transaction, execution>> whose writes and reads it has as committed]
  fence,      \* [Replica -> no votes to commit for transactions up to here]
  watermark,  \* [Replica -> no answers of any kind for transactions up to here]
  up,         \* [Replica -> whether it answers at all]
  outbox      \* [Replica -> replies that wait until they are forced]; used by Restart only

coordinators == <<current, reads, proposed, certain>>
records == <<execution, vote, promised, accepted>>
vars == <<coordinators, sent, records, outcome, installed, fence, watermark, up, outbox>>

NoReads == [k \in {} |-> Initial]

Init ==
  /\ current = [t \in Txn |-> NoExec]
  /\ reads = [t \in Txn |-> [e \in Execs |-> NoReads]]
  /\ proposed = [t \in Txn |-> [b \in Views |-> None]]
  /\ certain = [t \in Txn |-> {}]
  /\ sent = {}
  /\ execution = [r \in Replica |-> [t \in Txn |-> NoExec]]
  /\ vote = [r \in Replica |-> [t \in Txn |-> "-"]]
  /\ promised = [r \in Replica |-> [t \in Txn |-> 0]]
  /\ accepted = [r \in Replica |-> [t \in Txn |-> <<0, None>>]]
  /\ outcome = [r \in Replica |-> [t \in Txn |-> None]]
  /\ installed = [r \in Replica |-> {}]
  /\ fence = [r \in Replica |-> 0]
  /\ watermark = [r \in Replica |-> 0]
  /\ up = [r \in Replica |-> TRUE]
  /\ outbox = [r \in Replica |-> {}]

Voters(t, e, v) == {r \in Replica : <<"vote", t, e, r, v>> \in sent}
Acceptors(t, b) == {r \in Replica : <<"accepted", t, b, r>> \in sent}

\* The outcomes that the group has logged, and all that a coordinator can be certain of.
Logged(t) == {proposed[t][b] : b \in {v \in Views : IsSlowQuorum(Acceptors(t, v))}}
Decided(t) == certain[t] \cup Logged(t)

Committed == {x \in Txn \X Execs : Commit(x[2]) \in Decided(x[1])}
Wrote(x, version, k) == k \in Writes(x[1], x[2]) /\ <<x[1], Value(x[1], x[2])>> = version

IsCommitted(r, t) == \E x \in installed[r] : x[1] = t

\* Rule 4.
IsDirty(r, t, e) ==
  \E k \in Reads(t, e) :
    LET version == reads[t][e][k] IN
      /\ version # Initial
      /\ \/ outcome[r][version[1]] = Abort
         \/ version[1] <= watermark[r] /\ ~IsCommitted(r, version[1])
         \/ \E x \in installed[r] : x[1] = version[1] /\ ~Wrote(x, version, k)

\* Rule 3: the condition of a vote is open.
IsOpenCondition(r, t, e) ==
  \E k \in Reads(t, e) :
    LET version == reads[t][e][k] IN
      /\ version # Initial /\ version[1] > watermark[r]
      /\ ~IsCommitted(r, version[1]) /\ outcome[r][version[1]] # Abort

\* Every vote to commit is on condition that what was read commits.  Its replica confirms it when it
\* knows that it has; one that does so answers for the others, who have the same condition.
ConditionsHold(t, e) ==
  \E r \in Voters(t, e, "COMMIT") : ~IsOpenCondition(r, t, e) /\ (ChecksDirtyReads => ~IsDirty(r, t, e))

ConditionsFailed(t, e) ==
  \E k \in Reads(t, e) :
    LET version == reads[t][e][k] IN
      /\ version # Initial
      /\ \/ Abort \in Decided(version[1])
         \/ \E o \in Committed : o[1] = version[1] /\ ~Wrote(o, version, k)

-----------------------------------------------------------------------------
(* The clients' coordinators, in view 0. *)

Preparing(t) == proposed[t][0] = None /\ certain[t] = {}

Versions(t, k) ==
  {Initial} \cup UNION {{<<w, Value(w, e)>> : e \in {x \in 0..current[w] : k \in Writes(w, x)}} : w \in 1..(t - 1)}

\* The first execution, or a re-execution.
SendPrepare(t) ==
  /\ Preparing(t) /\ current[t] < MaxExec
  /\ LET e == current[t] + 1
         keys == Reads(t, e)
     IN /\ current' = [current EXCEPT ![t] = e]
        /\ \E choice \in [keys -> UNION {Versions(t, k) : k \in keys}] :
             /\ \A k \in keys : choice[k] \in Versions(t, k)
             /\ reads' = [reads EXCEPT ![t][e] = choice]
  /\ UNCHANGED <<proposed, certain, sent, records, outcome, installed, fence, watermark, up, outbox>>

Propose(t, b, v) ==
  /\ proposed' = [proposed EXCEPT ![t][b] = v]
  /\ UNCHANGED <<current, reads, certain, sent, records, outcome, installed, fence, watermark, up, outbox>>

Counts(t) == MindsConditions => ConditionsHold(t, current[t])

SlowCommit(t) ==
  /\ Preparing(t) /\ current[t] # NoExec /\ Counts(t)
  /\ IsSlowQuorum(Voters(t, current[t], "COMMIT"))
  /\ Propose(t, 0, Commit(current[t]))

SlowAbort(t) ==
  /\ Preparing(t) /\ current[t] # NoExec
  /\ Propose(t, 0, Abort)

BeCertain(t, v) ==
  /\ certain' = [certain EXCEPT ![t] = {v}]
  /\ UNCHANGED <<current, reads, proposed, sent, records, outcome, installed, fence, watermark, up, outbox>>

FastCommit(t) ==
  /\ Preparing(t) \/ (proposed[t][0] = Commit(current[t]) /\ certain[t] = {})
  /\ current[t] # NoExec /\ Counts(t)
  /\ Voters(t, current[t], "COMMIT") = Replica
  /\ BeCertain(t, Commit(current[t]))

FastAbort(t) ==
  /\ Preparing(t) /\ current[t] = 0
  /\ Voters(t, 0, "FINAL") # {}
  /\ BeCertain(t, Abort)

-----------------------------------------------------------------------------
(* Validation (section 3, rules 2 to 7). *)

Serves(r, t) == up[r] /\ t > watermark[r]
Holds(r, t) == vote[r][t] = "COMMIT"

\* Rule 5 against execution x[2] of transaction x[1].
Misses(t, e, x) ==
  \E k \in Reads(t, e) :
    k \in Writes(x[1], x[2]) /\ reads[t][e][k][1] < x[1] /\ x[1] < t

\* Rule 6: x read past a write of ours.
IsMissedBy(t, e, x) ==
  \E k \in Writes(t, e) :
    x[1] > t /\ k \in Reads(x[1], x[2]) /\ reads[x[1]][x[2]][k][1] < t

ConflictsWith(t, e, x) ==
  (ChecksMissedWrites /\ Misses(t, e, x)) \/ (ChecksWritesMissed /\ IsMissedBy(t, e, x))

Final(r, t, e) ==
  \/ ChecksDirtyReads /\ IsDirty(r, t, e)
  \/ \E x \in installed[r] : ConflictsWith(t, e, x)

\* A conflict with what is merely executed is answered likewise; votes less can do no harm.
Tentative(r, t, e) ==
  \/ t <= fence[r]
  \/ \E o \in Txn \ {t} : Holds(r, o) /\ ConflictsWith(t, e, <<o, execution[r][o]>>)

-----------------------------------------------------------------------------
(* Replicas. *)

\* Overridden by Restart: how a reply leaves.
Waits(kind) == FALSE

Reply(r, message) ==
  IF Waits(message[1])
  THEN outbox' = [outbox EXCEPT ![r] = @ \cup {message}] /\ UNCHANGED sent
  ELSE sent' = sent \cup {message} /\ UNCHANGED outbox

IsOpen(r, t) == Serves(r, t) /\ outcome[r][t] = None
IsFenced(r, t) == promised[r][t] > 0 \/ accepted[r][t][2] # None

\* Left out, as nothing can follow from it: votes when the outcome is logged and the coordinator
\* has proposed; final abandons but the first that it can use; acceptances of what is logged already.
IsPastVoting(t) == Logged(t) # {} /\ ~Preparing(t)

\* A tentative abandon counts for nothing: it is a vote not given.
VoteOn(r, t) ==
  \E e \in 0..current[t] :
    /\ IsOpen(r, t) /\ ~IsFenced(r, t) /\ ~IsPastVoting(t)
    /\ e > execution[r][t] \/ (e = execution[r][t] /\ vote[r][t] = "-")
    /\ LET v == IF Final(r, t, e) THEN "FINAL" ELSE IF Tentative(r, t, e) THEN "-" ELSE "COMMIT" IN
         /\ v # "-"
         /\ v = "FINAL" => Preparing(t) /\ e = current[t] /\ Voters(t, e, "FINAL") = {}
         /\ execution' = [execution EXCEPT ![r][t] = e]
         /\ vote' = [vote EXCEPT ![r][t] = IF v = "COMMIT" THEN v ELSE "-"]
         /\ Reply(r, <<"vote", t, e, r, v>>)
    /\ UNCHANGED <<coordinators, promised, accepted, outcome, installed, fence, watermark, up>>

TakeBack(r, t) ==
  \E e \in (execution[r][t] + 1)..current[t] :
    /\ IsOpen(r, t) /\ ~IsFenced(r, t) /\ vote[r][t] = "COMMIT"
    /\ execution' = [execution EXCEPT ![r][t] = e]
    /\ vote' = [vote EXCEPT ![r][t] = "-"]
    /\ UNCHANGED <<coordinators, sent, promised, accepted, outcome, installed, fence, watermark, up, outbox>>

\* What was read never commits: the vote falls, also after a promise.
ConditionFails(r, t) ==
  LET e == execution[r][t] IN
    /\ IsOpen(r, t) /\ Holds(r, t) /\ ChecksDirtyReads /\ IsDirty(r, t, e)
    /\ vote' = [vote EXCEPT ![r][t] = "-"]
    /\ IF Preparing(t) /\ e = current[t] /\ Voters(t, e, "FINAL") = {} /\ ~IsFenced(r, t)
       THEN Reply(r, <<"vote", t, e, r, "FINAL">>)
       ELSE UNCHANGED <<sent, outbox>>
    /\ UNCHANGED <<coordinators, execution, promised, accepted, outcome, installed, fence, watermark, up>>

Accept(r, t, b) ==
  /\ proposed[t][b] # None /\ ~IsSlowQuorum(Acceptors(t, b))
  /\ IsOpen(r, t) /\ promised[r][t] <= b /\ accepted[r][t] # <<b, proposed[t][b]>>
  /\ promised' = [promised EXCEPT ![r][t] = b]
  /\ accepted' = [accepted EXCEPT ![r][t] = <<b, proposed[t][b]>>]
  /\ Reply(r, <<"accepted", t, b, r>>)
  /\ UNCHANGED <<coordinators, execution, vote, outcome, installed, fence, watermark, up>>

\* The record of a decided transaction is of no use but for its outcome.
Install(r, t, v) ==
  /\ outcome' = [outcome EXCEPT ![r][t] = v]
  /\ installed' = [installed EXCEPT ![r] = IF v[1] = "Commit" THEN @ \cup {<<t, v[2]>>} ELSE @]
  /\ execution' = [execution EXCEPT ![r][t] = NoExec]
  /\ vote' = [vote EXCEPT ![r][t] = "-"]
  /\ promised' = [promised EXCEPT ![r][t] = 0]
  /\ accepted' = [accepted EXCEPT ![r][t] = <<0, None>>]

\* Decide, and the Fetch that may follow it.
Learn(r, t) ==
  \E v \in Decided(t) :
    /\ IsOpen(r, t)
    /\ Install(r, t, v)
    /\ UNCHANGED <<coordinators, sent, fence, watermark, up, outbox>>

-----------------------------------------------------------------------------
(* Recovery in view b > 0. *)

Promise(r, t, b) ==
  /\ t \in Recovered /\ b > 0 /\ proposed[t][b] = None
  /\ IsOpen(r, t) /\ promised[r][t] < b
  /\ PromisesWhenDecided /\ Holds(r, t) =>
       /\ ~IsOpenCondition(r, t, execution[r][t])
       /\ ChecksDirtyReads => ~IsDirty(r, t, execution[r][t])
  /\ promised' = [promised EXCEPT ![r][t] = b]
  /\ Reply(r, <<"promise", t, b, r, execution[r][t], vote[r][t], accepted[r][t]>>)
  /\ UNCHANGED <<coordinators, execution, vote, accepted, outcome, installed, fence, watermark, up>>

HasAccepted(ps) == \E p \in ps : p[7][2] # None
HighestAccepted(ps) ==
  (CHOOSE p \in ps : p[7][2] # None /\ \A q \in ps : q[7][2] # None => q[7][1] <= p[7][1])[7][2]
AllCommit(ps, e) == \A p \in ps : p[5] = e /\ p[6] = "COMMIT"

Recover(t, b) ==
  /\ b > 0 /\ t \in Recovered /\ proposed[t][b] = None
  /\ LET all == {m \in sent : m[1] = "promise" /\ m[2] = t /\ m[3] = b} IN
     \E ps \in SUBSET all :
       /\ Cardinality(ps) = F + 1 /\ Cardinality({p[4] : p \in ps}) = F + 1
       /\ Propose(t, b,
            IF HasAccepted(ps) THEN HighestAccepted(ps)
            ELSE IF \E e \in Execs : AllCommit(ps, e) THEN Commit(CHOOSE e \in Execs : AllCommit(ps, e))
            ELSE Abort)

-----------------------------------------------------------------------------
NextOfCoordinators ==
  \/ \E t \in Txn : SendPrepare(t)
  \/ \E t \in Txn : FastCommit(t)
  \/ \E t \in Txn : SlowCommit(t)
  \/ \E t \in Txn : SlowAbort(t)
  \/ \E t \in Txn : FastAbort(t)
  \/ \E t \in Txn, b \in Views : Recover(t, b)

NextOfReplicas ==
  \/ \E r \in Replica, t \in Txn : VoteOn(r, t)
  \/ \E r \in Replica, t \in Txn : TakeBack(r, t)
  \/ \E r \in Replica, t \in Txn : ConditionFails(r, t)
  \/ \E r \in Replica, t \in Txn, b \in Views : Accept(r, t, b)
  \/ \E r \in Replica, t \in Txn : Learn(r, t)
  \/ \E r \in Replica, t \in Txn, b \in Views : Promise(r, t, b)

Next == NextOfCoordinators \/ NextOfReplicas

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
\* I1: one outcome.
Agreement == \A t \in Txn : Cardinality(Decided(t)) <= 1

\* I2: a committed execution is held by f+1 replicas.
Held ==
  \A x \in Committed :
    IsSlowQuorum({r \in Replica : \/ execution[r][x[1]] = x[2] /\ Holds(r, x[1])
                                  \/ x \in installed[r]})

\* I3: each read returned the newest committed write below its reader.
Serializable ==
  \A x \in Committed : \A k \in Reads(x[1], x[2]) :
    ~ \E o \in Committed : k \in Writes(o[1], o[2]) /\ reads[x[1]][x[2]][k][1] < o[1] /\ o[1] < x[1]

\* I4: no committed transaction read a value that never committed.
NoDirtyReads ==
  \A x \in Committed : \A k \in Reads(x[1], x[2]) :
    LET version == reads[x[1]][x[2]][k] IN
      version = Initial \/ \E o \in Committed : Wrote(o, version, k)

\* What Decision takes from here: with a final abandon of the coordinator's execution, no f+1
\* votes to commit it stand, unless an abort was logged before.
FinalIsFinal ==
  \A t \in Txn : current[t] # NoExec =>
    \/ Voters(t, current[t], "FINAL") = {}
    \/ Cardinality(Voters(t, current[t], "COMMIT")) <= F
    \/ ConditionsFailed(t, current[t])
    \/ Abort \in Logged(t)

\* To refute a weakened protocol, part of its behaviours is enough: here nothing is aborted or learnt.
OnlyCommits ==
  \A t \in Txn : /\ proposed[t][0] # Abort /\ certain[t] = {}
                 /\ \A r \in Replica : up[r] => outcome[r][t] = None

Symmetry == Permutations(Replica)
=============================================================================
