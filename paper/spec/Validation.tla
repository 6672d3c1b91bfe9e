----------------------------- MODULE Validation -----------------------------
(* Conflicting transactions in one or two partitions: the votes of            *)
(* docs/protocol.md, section 3, computed from what each replica holds, with   *)
(* the outcomes of section 4 and recovery.  Transactions are numbered in the  *)
(* order of their TxnIds.  Restart and Truncation build on this module.       *)
(*                                                                            *)
(* A read may return any version below the reader that an execution has       *)
(* prepared; what pushes and subscriptions do is thereby contained.  A scan   *)
(* reads each key that it covers; a key that it does not list counts as read  *)
(* and never written.                                                         *)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS
  First, Second,  \* the replicas of the two partitions; Second may be empty
  Txns,           \* how many transactions there are
  MaxExec,        \* executions are numbered 0..MaxExec
  Reexecuted,     \* the transactions that may re-execute
  MaxView,        \* views are numbered 0..MaxView
  Recovered,      \* the transactions that recovery coordinators may turn to
  Program         \* what the transactions do: see Programs

\* The rules.  All TRUE is the protocol; each FALSE is refuted by TLC.
CONSTANTS
  MindsConditions,        \* rule 3: votes on what is undecided count only if that commits
  PromisesWhenDecided,    \* section 5: a promise tells of such a vote when that is decided
  ChecksDirtyReads,       \* rule 4
  ChecksMissedWrites,     \* rule 5
  ChecksWritesMissed,     \* rule 6
  ChecksMissedInserts,    \* rule 5 for the keys that a scan covers and does not list
  ChecksInsertsMissed,    \* rule 6 for such keys
  CoversToLastRow,        \* a scan with a limit counts every key up to its last row as read
  CommitsEverywhere,      \* a commit needs the votes of every participant
  PromisesAtOthers        \* a recovery asks promises of the other participants too

Txn == 1..Txns
Execs == 0..MaxExec
Views == 0..MaxView
NoExec == -1

Replica == First \cup Second
Partition == {"first", "second"}
Members(p) == IF p = "first" THEN First ELSE Second
PartitionOf(r) == IF r \in First THEN "first" ELSE "second"
F(p) == (Cardinality(Members(p)) - 1) \div 2
IsSlowQuorum(S, p) == Cardinality(S \cap Members(p)) >= F(p) + 1

None == <<"None", NoExec>>
Abort == <<"Abort", NoExec>>
Commit(e) == <<"Commit", e>>

\* What the transactions do: the keys that each execution reads one by one, the keys that it scans in
\* order until it has found one with a value, the keys that it writes, and the number of the value
\* that it writes.  An execution that writes the same value as the one before keeps its number.
Same(keys) == [e \in Execs |-> keys]
OfFirst(first, rest) == [t \in Txn |-> IF t = 1 THEN first ELSE rest]
NewValues == [t \in Txn |-> [e \in Execs |-> e]]
OneValue == [t \in Txn |-> Same(0)]
InOnePartition == [t \in Txn |-> "first"]
Simple == [
  reads |-> [t \in Txn |-> Same({})],
  scans |-> [t \in Txn |-> <<>>],
  writes |-> [t \in Txn |-> Same({})],
  value |-> NewValues,
  second |-> {},        \* the keys of the second partition
  home |-> InOnePartition]
Programs == [
  increments |-> [      \* each reads and writes one key
    Simple EXCEPT
    !.reads = [t \in Txn |-> Same({"x"})],
    !.writes = [t \in Txn |-> Same({"x"})]],
  skew |-> [            \* each reads what the next one writes
    Simple EXCEPT
    !.reads = [t \in Txn |-> Same({IF t = Txns THEN 1 ELSE t + 1})],
    !.writes = [t \in Txn |-> Same({t})]],
  retraction |-> [      \* the first does not write again what its execution 0 wrote; the rest read it
    Simple EXCEPT
    !.reads = OfFirst(Same({}), Same({"x"})),
    !.writes = OfFirst([e \in Execs |-> IF e = 0 THEN {"x"} ELSE {}], Same({})),
    !.value = OneValue],
  sameValue |-> [       \* the first writes the same value in each execution; the rest read it
    Simple EXCEPT
    !.reads = OfFirst(Same({}), Same({"x"})),
    !.writes = OfFirst(Same({"x"}), Same({})),
    !.value = OneValue],
  writeAndRead |-> [    \* the first writes another value in each execution; the rest read it
    Simple EXCEPT
    !.reads = OfFirst(Same({}), Same({"x"})),
    !.writes = OfFirst(Same({"x"}), Same({}))],
  crossing |-> [        \* the first writes two partitions, the rest read them; both leave their home's
    Simple EXCEPT       \* opposite in execution 1
    !.reads = OfFirst(Same({}), [e \in Execs |-> IF e = 0 THEN {"x", "y"} ELSE {"y"}]),
    !.writes = OfFirst([e \in Execs |-> IF e = 0 THEN {"x", "y"} ELSE {"x"}], Same({})),
    !.second = {"y"},
    !.home = OfFirst("first", "second")],
  inserts |-> [         \* the first writes two keys of a range; the rest look for the first row in it
    Simple EXCEPT
    !.scans = OfFirst(<<>>, <<1, 2>>),
    !.writes = OfFirst(Same({1, 2}), Same({}))],
  insertsApart |-> [    \* likewise, and the range lies in two partitions
    Simple EXCEPT
    !.scans = OfFirst(<<>>, <<1, 2>>),
    !.writes = OfFirst(Same({1, 2}), Same({})),
    !.second = {2}],
  phantoms |-> [        \* each scans the range for a row and inserts one
    Simple EXCEPT
    !.scans = [t \in Txn |-> <<1, 2>>],
    !.writes = [t \in Txn |-> Same({IF t = Txns THEN 1 ELSE 2})]]]
Range(s) == {s[i] : i \in 1..Len(s)}
Reads(t, e) == Programs[Program].reads[t][e]
Scans(t) == Programs[Program].scans[t]
Scanned(t) == Range(Scans(t))
Writes(t, e) == Programs[Program].writes[t][e]
Value(t, e) == Programs[Program].value[t][e]
At(k) == IF k \in Programs[Program].second THEN "second" ELSE "first"
Home(t) == Programs[Program].home[t]
Participants(t, e) == {Home(t)} \cup {At(k) : k \in Reads(t, e) \cup Scanned(t) \cup Writes(t, e)}

Initial == <<0, 0>>     \* the version <<writer, value>> of a key that nobody wrote

VARIABLES
  current,    \* [Txn -> the highest execution that was prepared]
  reads,      \* [Txn -> [Execs -> [keys that count as read -> version]]]
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
ReadKeys(t, e) == DOMAIN reads[t][e]
ReadAt(r, t, e) == {k \in ReadKeys(t, e) : At(k) = PartitionOf(r)}

\* The keys that the application has seen: of a scan, those up to the first row.
SeenOf(t, e, choice) ==
  LET s == Scans(t)
      end == {i \in 1..Len(s) : choice[s[i]] # Initial}
      last == IF end = {} THEN Len(s) ELSE CHOOSE i \in end : \A j \in end : i <= j
  IN Reads(t, e) \cup {s[i] : i \in 1..last}
\* Those that count as read.
CoveredOf(t, e, choice) ==
  IF CoversToLastRow THEN SeenOf(t, e, choice)
  ELSE {k \in SeenOf(t, e, choice) : k \in Reads(t, e) \/ choice[k] # Initial}
IsUnlisted(t, e, k) == k \in Scanned(t) /\ reads[t][e][k] = Initial

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
Logged(t) == {proposed[t][b] : b \in {v \in Views : IsSlowQuorum(Acceptors(t, v), Home(t))}}
Decided(t) == certain[t] \cup Logged(t)

Committed == {x \in Txn \X Execs : Commit(x[2]) \in Decided(x[1])}
Wrote(x, version, k) == k \in Writes(x[1], x[2]) /\ <<x[1], Value(x[1], x[2])>> = version

IsCommitted(r, t) == \E x \in installed[r] : x[1] = t

\* Rule 4.
IsDirty(r, t, e) ==
  \E k \in ReadAt(r, t, e) :
    LET version == reads[t][e][k] IN
      /\ version # Initial
      /\ \/ outcome[r][version[1]] = Abort
         \/ version[1] <= watermark[r] /\ ~IsCommitted(r, version[1])
         \/ \E x \in installed[r] : x[1] = version[1] /\ ~Wrote(x, version, k)

\* Rule 3: the condition of a vote is open.
IsOpenCondition(r, t, e) ==
  \E k \in ReadAt(r, t, e) :
    LET version == reads[t][e][k] IN
      /\ version # Initial /\ version[1] > watermark[r]
      /\ ~IsCommitted(r, version[1]) /\ outcome[r][version[1]] # Abort

\* The partitions whose votes a commit needs.
Asked(t, e) == IF CommitsEverywhere THEN Participants(t, e) ELSE {Home(t)}

\* Every vote to commit is on condition that what was read commits.  Its replica confirms it when it
\* knows that it has; one that does so answers for the others, who have the same condition.
ConditionsHold(t, e) ==
  \A p \in Asked(t, e) :
    \E r \in Voters(t, e, "COMMIT") \cap Members(p) :
      ~IsOpenCondition(r, t, e) /\ (ChecksDirtyReads => ~IsDirty(r, t, e))

ConditionsFailed(t, e) ==
  \E k \in ReadKeys(t, e) :
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
  /\ Preparing(t) /\ current[t] < (IF t \in Reexecuted THEN MaxExec ELSE 0)
  /\ LET e == current[t] + 1
         keys == Reads(t, e) \cup Scanned(t)
     IN /\ current' = [current EXCEPT ![t] = e]
        /\ \E choice \in [keys -> UNION {Versions(t, k) : k \in keys}] :
             /\ \A k \in keys : choice[k] \in Versions(t, k)
             /\ reads' = [reads EXCEPT ![t][e] = [k \in CoveredOf(t, e, choice) |-> choice[k]]]
  /\ UNCHANGED <<proposed, certain, sent, records, outcome, installed, fence, watermark, up, outbox>>

Propose(t, b, v) ==
  /\ proposed' = [proposed EXCEPT ![t][b] = v]
  /\ UNCHANGED <<current, reads, certain, sent, records, outcome, installed, fence, watermark, up, outbox>>

Counts(t) == MindsConditions => ConditionsHold(t, current[t])

SlowCommit(t) ==
  /\ Preparing(t) /\ current[t] # NoExec /\ Counts(t)
  /\ \A p \in Asked(t, current[t]) : IsSlowQuorum(Voters(t, current[t], "COMMIT"), p)
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
  /\ \A p \in Asked(t, current[t]) : Members(p) \subseteq Voters(t, current[t], "COMMIT")
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
Misses(r, t, e, x) ==
  \E k \in ReadAt(r, t, e) \cap Writes(x[1], x[2]) :
    /\ IF IsUnlisted(t, e, k) THEN ChecksMissedInserts ELSE ChecksMissedWrites
    /\ reads[t][e][k][1] < x[1] /\ x[1] < t

\* Rule 6: x read past a write of ours.
IsMissedBy(r, t, e, x) ==
  x[1] > t /\ \E k \in Writes(t, e) \cap ReadAt(r, x[1], x[2]) :
    /\ IF IsUnlisted(x[1], x[2], k) THEN ChecksInsertsMissed ELSE ChecksWritesMissed
    /\ reads[x[1]][x[2]][k][1] < t

ConflictsWith(r, t, e, x) == Misses(r, t, e, x) \/ IsMissedBy(r, t, e, x)

Final(r, t, e) ==
  \/ ChecksDirtyReads /\ IsDirty(r, t, e)
  \/ \E x \in installed[r] : ConflictsWith(r, t, e, x)

\* A conflict with what is merely executed is answered likewise; votes less can do no harm.
Tentative(r, t, e) ==
  \/ t <= fence[r]
  \/ \E o \in Txn \ {t} : Holds(r, o) /\ ConflictsWith(r, t, e, <<o, execution[r][o]>>)

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
    /\ PartitionOf(r) \in Participants(t, e)
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
    /\ IF Preparing(t) /\ e = current[t] /\ Voters(t, e, "FINAL") = {}
       THEN Reply(r, <<"vote", t, e, r, "FINAL">>)
       ELSE UNCHANGED <<sent, outbox>>
    /\ UNCHANGED <<coordinators, execution, promised, accepted, outcome, installed, fence, watermark, up>>

Accept(r, t, b) ==
  /\ r \in Members(Home(t)) /\ proposed[t][b] # None /\ ~IsSlowQuorum(Acceptors(t, b), Home(t))
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

HasAccepted(ps) == \E p \in ps : p[7][2] # None
HighestAccepted(ps) ==
  (CHOOSE p \in ps : p[7][2] # None /\ \A q \in ps : q[7][2] # None => q[7][1] <= p[7][1])[7][2]
AllCommit(ps, e) == \A p \in ps : p[5] = e /\ p[6] = "COMMIT"

\* The quorums of promises that partition p has given to view b.
Promises(t, b, p) ==
  {ps \in SUBSET {m \in sent : m[1] = "promise" /\ m[2] = t /\ m[3] = b /\ m[4] \in Members(p)} :
     Cardinality(ps) = F(p) + 1 /\ Cardinality({m[4] : m \in ps}) = F(p) + 1}

\* The home partition is asked first; the others when its answers could commit an execution of theirs.
IsAsked(r, t, b) ==
  \/ r \in Members(Home(t))
  \/ \E ps \in Promises(t, b, Home(t)), e \in Execs :
       ~HasAccepted(ps) /\ AllCommit(ps, e) /\ PartitionOf(r) \in Participants(t, e)

Promise(r, t, b) ==
  /\ t \in Recovered /\ b > 0 /\ proposed[t][b] = None
  /\ IsOpen(r, t) /\ promised[r][t] < b
  /\ IsAsked(r, t, b)
  /\ PromisesWhenDecided /\ Holds(r, t) =>
       /\ ~IsOpenCondition(r, t, execution[r][t])
       /\ ChecksDirtyReads => ~IsDirty(r, t, execution[r][t])
  /\ promised' = [promised EXCEPT ![r][t] = b]
  /\ Reply(r, <<"promise", t, b, r, execution[r][t], vote[r][t], accepted[r][t]>>)
  /\ UNCHANGED <<coordinators, execution, vote, accepted, outcome, installed, fence, watermark, up>>

\* The outcomes that view b may propose on these promises of the home partition.
Choices(t, b, ps) ==
  IF HasAccepted(ps) THEN {HighestAccepted(ps)}
  ELSE IF \E e \in Execs : AllCommit(ps, e)
  THEN LET e == CHOOSE e \in Execs : AllCommit(ps, e)
           others == IF PromisesAtOthers THEN Participants(t, e) \ {Home(t)} ELSE {}
           commits(p) == {AllCommit(qs, e) : qs \in Promises(t, b, p)}
       IN (IF \A p \in others : TRUE \in commits(p) THEN {Commit(e)} ELSE {})
            \cup (IF \E p \in others : FALSE \in commits(p) THEN {Abort} ELSE {})
  ELSE {Abort}

Recover(t, b) ==
  /\ b > 0 /\ t \in Recovered /\ proposed[t][b] = None
  /\ \E ps \in Promises(t, b, Home(t)) : \E v \in Choices(t, b, ps) : Propose(t, b, v)

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

\* I2: a committed execution is held by f+1 replicas of each participant.
Held ==
  \A x \in Committed : \A p \in Participants(x[1], x[2]) :
    IsSlowQuorum({r \in Replica : \/ execution[r][x[1]] = x[2] /\ Holds(r, x[1])
                                  \/ x \in installed[r]}, p)

\* The keys whose versions the application knows: all before the last row of its scan, too.
Observed(t, e) ==
  LET s == Scans(t) IN
    ReadKeys(t, e) \cup {s[i] : i \in {j \in 1..Len(s) : \E l \in j..Len(s) : s[l] \in ReadKeys(t, e)}}

\* I3: each read returned the newest committed write below its reader.
Serializable ==
  \A x \in Committed : \A k \in Observed(x[1], x[2]) :
    LET version == IF k \in ReadKeys(x[1], x[2]) THEN reads[x[1]][x[2]][k] ELSE Initial IN
      ~ \E o \in Committed : k \in Writes(o[1], o[2]) /\ version[1] < o[1] /\ o[1] < x[1]

\* I4: no committed transaction read a value that never committed.
NoDirtyReads ==
  \A x \in Committed : \A k \in ReadKeys(x[1], x[2]) :
    LET version == reads[x[1]][x[2]][k] IN
      version = Initial \/ \E o \in Committed : Wrote(o, version, k)

\* What Decision takes from here: with a final abandon of the coordinator's execution, no f+1
\* votes to commit it stand, unless an abort was logged before.
FinalIsFinal ==
  \A t \in Txn : current[t] # NoExec =>
    \/ Voters(t, current[t], "FINAL") = {}
    \/ \E p \in Participants(t, current[t]) : ~IsSlowQuorum(Voters(t, current[t], "COMMIT"), p)
    \/ ConditionsFailed(t, current[t])
    \/ Abort \in Logged(t)

\* To refute a weakened protocol, part of its behaviours is enough: here nothing is aborted or learnt.
OnlyCommits ==
  \A t \in Txn : /\ proposed[t][0] # Abort /\ certain[t] = {}
                 /\ \A r \in Replica : up[r] => outcome[r][t] = None

Symmetry == Permutations(First) \cup Permutations(Second)
=============================================================================
