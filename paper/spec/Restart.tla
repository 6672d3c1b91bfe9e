------------------------------- MODULE Restart -------------------------------
(* Validation with replicas that stop.  One with a log comes back with what it *)
(* has forced; its replies leave when what they rest on is forced.  One that   *)
(* lost its log rejoins: f+1 others fence every transaction that it can have   *)
(* answered for, what they hold of those is decided, and it serves only        *)
(* what is above.                                                              *)
EXTENDS Validation

CONSTANTS
  Crashes,    \* how many times replicas stop and come back with their log
  Losses,     \* how many times replicas lose everything
  LogsReplies \* "yes": replies wait for the log.  Without crashes it makes no difference

\* The rules.  All TRUE is the protocol; each FALSE is refuted by TLC.
CONSTANTS
  ForcesVotes,        \* a vote is forced before it is sent
  ForcesPromises,     \* likewise
  ForcesAcceptances,  \* likewise
  FencesOthers,       \* f+1 others fence before the lost replica answers again
  RejoinsWithoutVotes,\* what others have prepared does not become the rejoining replica's vote
  ServesWhenClosed    \* nothing above the fence is served while something below it is undecided

VARIABLES
  disk,       \* [Replica -> its records as last forced]
  crashes, losses,
  rejoining   \* [Replica -> the fence that it rejoins at, NotRejoining]

restart == <<disk, crashes, losses, rejoining>>
everything == <<vars, restart>>
NotRejoining == -1

WaitsForForce(kind) ==
  /\ LogsReplies = "yes"
  /\ \/ kind = "vote" /\ ForcesVotes
     \/ kind = "promise" /\ ForcesPromises
     \/ kind = "accepted" /\ ForcesAcceptances

Image(r) == [execution |-> execution[r], vote |-> vote[r], promised |-> promised[r],
             accepted |-> accepted[r], outcome |-> outcome[r], installed |-> installed[r]]

InitRestart ==
  /\ Init
  /\ disk = [r \in Replica |-> Image(r)]
  /\ crashes = 0 /\ losses = 0
  /\ rejoining = [r \in Replica |-> NotRejoining]

\* The log is forced: all that happened so far is durable, and the replies leave.
Force(r) ==
  /\ LogsReplies = "yes" /\ disk[r] # Image(r)
  /\ disk' = [disk EXCEPT ![r] = Image(r)]
  /\ sent' = sent \cup outbox[r]
  /\ outbox' = [outbox EXCEPT ![r] = {}]
  /\ UNCHANGED <<coordinators, records, outcome, installed, fence, watermark, up, crashes, losses, rejoining>>

Become(r, image) ==
  /\ execution' = [execution EXCEPT ![r] = image.execution]
  /\ vote' = [vote EXCEPT ![r] = image.vote]
  /\ promised' = [promised EXCEPT ![r] = image.promised]
  /\ accepted' = [accepted EXCEPT ![r] = image.accepted]
  /\ outcome' = [outcome EXCEPT ![r] = image.outcome]
  /\ installed' = [installed EXCEPT ![r] = image.installed]

\* It stops, and is back with what its log says.
Crash(r) ==
  /\ LogsReplies = "yes" /\ crashes < Crashes /\ disk[r] # Image(r)
  /\ crashes' = crashes + 1
  /\ Become(r, disk[r])
  /\ outbox' = [outbox EXCEPT ![r] = {}]
  /\ UNCHANGED <<coordinators, sent, fence, watermark, up, disk, losses, rejoining>>

-----------------------------------------------------------------------------
Blank == [execution |-> [t \in Txn |-> NoExec], vote |-> [t \in Txn |-> "-"],
          promised |-> [t \in Txn |-> 0], accepted |-> [t \in Txn |-> <<0, None>>],
          outcome |-> [t \in Txn |-> None], installed |-> {}]

Answered(r) == {m[2] : m \in {s \in sent : s[4] = r}}

\* Everything is lost.  The fence is its clock and the allowed skew: above all that it ever answered.
Lose(r) ==
  /\ losses < Losses
  /\ losses' = losses + 1
  /\ Become(r, Blank)
  /\ outbox' = [outbox EXCEPT ![r] = {}]
  /\ IF FencesOthers
     THEN /\ up' = [up EXCEPT ![r] = FALSE]
          /\ \E f \in Txn :
               /\ \A t \in Answered(r) : t <= f
               /\ rejoining' = [rejoining EXCEPT ![r] = f]
     ELSE UNCHANGED <<up, rejoining>>
  /\ fence' = [fence EXCEPT ![r] = 0]
  /\ UNCHANGED <<coordinators, sent, watermark, disk, crashes>>

\* A TruncatePrepare of the rejoining replica r reaches q.
FenceFor(r, q) ==
  /\ rejoining[r] # NotRejoining /\ up[q] /\ q # r /\ fence[q] < rejoining[r]
  /\ fence' = [fence EXCEPT ![q] = rejoining[r]]
  /\ UNCHANGED <<coordinators, sent, records, outcome, installed, watermark, up, outbox, restart>>

FencedQuorums(r) ==
  {Q \in SUBSET {q \in Replica \ {r} : up[q] /\ fence[q] >= rejoining[r]} : Cardinality(Q) = F + 1}
Seen(q, t) == execution[q][t] # NoExec \/ accepted[q][t][2] # None \/ outcome[q][t] # None
Knows(q, t) == outcome[q][t] # None
IsClosed(Q, t) == (\E q \in Q : Knows(q, t)) \/ (\A q \in Q : ~Seen(q, t))
OutcomeIn(Q, t) ==
  IF \E q \in Q : Knows(q, t) THEN outcome[CHOOSE q \in Q : Knows(q, t)][t] ELSE Abort

\* Which outcomes of a quorum the replica takes over: all below the fence, or those there are.
TakeOver(r, Q) ==
  LET f == rejoining[r]
      closed == {t \in 1..f : IsClosed(Q, t)}
      adopted(t) == {q \in Q : vote[q][t] = "COMMIT"}
      takes(t) == ~RejoinsWithoutVotes /\ t \in (1..f) \ closed /\ adopted(t) # {}
  IN /\ outcome' = [outcome EXCEPT ![r] = [t \in Txn |-> IF t \in closed THEN OutcomeIn(Q, t) ELSE None]]
     /\ installed' = [installed EXCEPT ![r] = UNION {installed[q] : q \in Q} \cap ((1..f) \X Execs)]
     /\ execution' = [execution EXCEPT ![r] =
          [t \in Txn |-> IF takes(t) THEN execution[CHOOSE q \in adopted(t) : TRUE][t] ELSE NoExec]]
     /\ vote' = [vote EXCEPT ![r] = [t \in Txn |-> IF takes(t) THEN "COMMIT" ELSE "-"]]
     /\ sent' = sent \cup {<<"vote", t, execution'[r][t], r, "COMMIT">> : t \in {u \in Txn : takes(u)}}

\* All below the fence is decided: it takes the outcomes, and answers for what is above.
Rejoin(r) ==
  /\ rejoining[r] # NotRejoining
  /\ \E Q \in FencedQuorums(r) :
       /\ (RejoinsWithoutVotes /\ ServesWhenClosed) => \A t \in 1..rejoining[r] : IsClosed(Q, t)
       /\ TakeOver(r, Q)
  /\ up' = [up EXCEPT ![r] = TRUE]
  /\ fence' = [fence EXCEPT ![r] = rejoining[r]]
  /\ watermark' = [watermark EXCEPT ![r] = IF RejoinsWithoutVotes THEN rejoining[r] ELSE 0]
  /\ rejoining' = [rejoining EXCEPT ![r] = NotRejoining]
  /\ UNCHANGED <<coordinators, promised, accepted, outbox, disk, crashes, losses>>

-----------------------------------------------------------------------------
NextWithRestart ==
  \/ NextOfCoordinators /\ UNCHANGED restart
  \/ NextOfReplicas /\ UNCHANGED restart
  \/ \E r \in Replica : Force(r)
  \/ \E r \in Replica : Crash(r)
  \/ \E r \in Replica : Lose(r)
  \/ \E r \in Replica, q \in Replica : FenceFor(r, q)
  \/ \E r \in Replica : Rejoin(r)

SpecWithRestart == InitRestart /\ [][NextWithRestart]_everything

\* I2 with replicas that forget: what a replica has lost, its watermark stands for.
HeldOrFenced ==
  \A x \in Committed :
    IsSlowQuorum({r \in Replica : \/ execution[r][x[1]] = x[2] /\ Holds(r, x[1])
                                  \/ x \in installed[r]
                                  \/ ~up[r]
                                  \/ x[1] <= watermark[r]})
=============================================================================
