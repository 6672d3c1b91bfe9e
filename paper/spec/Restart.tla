------------------------------- MODULE Restart -------------------------------
(* Validation with replicas that stop.  One with a log comes back with what it *)
(* has forced; its replies leave when what they rest on is forced.  One that   *)
(* lost its log rejoins: f+1 others fence every transaction that it can have   *)
(* voted on, what they know of those is decided, and it serves only what is    *)
(* above.                                                                      *)
(*                                                                             *)
(* Clocks are not variables.  A clock and the allowed skew bound what a        *)
(* replica votes on, the commits that it accepts, and the fences that it       *)
(* takes.  So the fence of a replica that lost its log, which is its clock and *)
(* the allowed skew, is any number that is not below these.                    *)
EXTENDS Validation

ASSUME Second = {}

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
  FencesWithSkew,     \* the fence is its clock and the allowed skew, not its clock alone
  RefusesFencesAhead, \* a replica takes no fence above its own clock and the allowed skew
  RejoinsWithoutVotes,\* what others have prepared does not become the rejoining replica's vote
  ServesWhenClosed,   \* nothing above the fence is served while something below it is undecided
  LosesNothingAhead   \* an assumption: the lost replica has promised nothing, and accepted no abort,
                      \*   above its fence

VARIABLES
  disk,       \* [Replica -> its records as last forced]
  crashes, losses,
  rejoining,  \* [Replica -> the fence that it rejoins at, NotRejoining]
  replies     \* [Replica -> <<replica, the transactions that it named>>: answers to the rejoining one]

restart == <<disk, crashes, losses, rejoining, replies>>
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
  /\ replies = [r \in Replica |-> {}]

\* The log is forced: all that happened so far is durable, and the replies leave.
Force(r) ==
  /\ LogsReplies = "yes" /\ disk[r] # Image(r)
  /\ disk' = [disk EXCEPT ![r] = Image(r)]
  /\ sent' = sent \cup outbox[r]
  /\ outbox' = [outbox EXCEPT ![r] = {}]
  /\ UNCHANGED <<coordinators, records, outcome, installed, fence, watermark, up, crashes, losses, rejoining, replies>>

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
  /\ UNCHANGED <<coordinators, sent, fence, watermark, up, disk, losses, rejoining, replies>>

-----------------------------------------------------------------------------
Blank == [execution |-> [t \in Txn |-> NoExec], vote |-> [t \in Txn |-> "-"],
          promised |-> [t \in Txn |-> 0], accepted |-> [t \in Txn |-> <<0, None>>],
          outcome |-> [t \in Txn |-> None], installed |-> {}]

\* The transactions of its votes to commit and of the commits that it has accepted, and with the
\* assumption those of all its replies.
BelowFence(r) ==
  {m[2] : m \in {v \in sent :
    /\ v[4] = r
    /\ \/ LosesNothingAhead
       \/ v[1] = "vote" /\ v[5] = "COMMIT"
       \/ v[1] = "accepted" /\ proposed[v[2]][v[3]] # Abort}}

\* Everything is lost.
Lose(r) ==
  /\ losses < Losses /\ up[r]
  /\ losses' = losses + 1
  /\ Become(r, Blank)
  /\ outbox' = [outbox EXCEPT ![r] = {}]
  /\ IF FencesOthers
     THEN /\ up' = [up EXCEPT ![r] = FALSE]
          /\ \E f \in 0..Txns :
               /\ FencesWithSkew => \A t \in BelowFence(r) : t <= f
               /\ RefusesFencesAhead => fence[r] <= f
               /\ rejoining' = [rejoining EXCEPT ![r] = f]
     ELSE UNCHANGED <<up, rejoining>>
  /\ fence' = [fence EXCEPT ![r] = 0]
  /\ watermark' = [watermark EXCEPT ![r] = 0]
  /\ UNCHANGED <<coordinators, sent, disk, crashes, replies>>

\* What an answer names: what may commit or has committed up to the fence, and above it what is fenced.
Names(q, f) ==
  {t \in Txn : \/ t <= f /\ (Holds(q, t) \/ outcome[q][t] # None)
               \/ IsFenced(q, t)}

\* A TruncatePrepare of the rejoining replica r reaches q, which fences and answers.
FenceFor(r, q) ==
  /\ rejoining[r] # NotRejoining /\ up[q] /\ q # r
  /\ ~ \E m \in replies[r] : m[1] = q
  /\ fence' = [fence EXCEPT ![q] = IF fence[q] < rejoining[r] THEN rejoining[r] ELSE fence[q]]
  /\ replies' = [replies EXCEPT ![r] = @ \cup {<<q, Names(q, rejoining[r])>>}]
  /\ UNCHANGED <<coordinators, sent, records, outcome, installed, watermark, up, outbox, disk, crashes,
                 losses, rejoining>>

\* What q knows of a transaction; nothing has been forgotten but what its watermark stands for.
Knows(q, t) == outcome[q][t] # None \/ t <= watermark[q]
OutcomeAt(q, t) ==
  IF outcome[q][t] # None THEN outcome[q][t]
  ELSE IF IsCommitted(q, t) THEN Commit((CHOOSE x \in installed[q] : x[1] = t)[2])
  ELSE Abort

\* The rejoining replica takes the outcomes that are known in a quorum, and that of what nobody named:
\* below the fence that is an abort.
TakeOver(r, ms) ==
  LET f == rejoining[r]
      Q == {m[1] : m \in ms}
      named == UNION {m[2] : m \in ms}
      known == {t \in Txn : \E q \in Q : Knows(q, t)}
      outcomeOf(t) ==
        IF t \in known THEN OutcomeAt(CHOOSE q \in Q : Knows(q, t), t)
        ELSE IF t <= f /\ t \notin named THEN Abort
        ELSE None
      adopted(t) == {q \in Q : vote[q][t] = "COMMIT"}
      takes(t) == ~RejoinsWithoutVotes /\ t <= f /\ outcomeOf(t) = None /\ adopted(t) # {}
  IN /\ (RejoinsWithoutVotes /\ ServesWhenClosed) => named \subseteq known
     /\ outcome' = [outcome EXCEPT ![r] =
          [t \in Txn |-> IF t <= f \/ t \in named THEN outcomeOf(t) ELSE None]]
     /\ installed' = [installed EXCEPT ![r] =
          {x \in Txn \X Execs : (x[1] <= f \/ x[1] \in named) /\ outcomeOf(x[1]) = Commit(x[2])}]
     /\ execution' = [execution EXCEPT ![r] =
          [t \in Txn |-> IF takes(t) THEN execution[CHOOSE q \in adopted(t) : TRUE][t] ELSE NoExec]]
     /\ vote' = [vote EXCEPT ![r] = [t \in Txn |-> IF takes(t) THEN "COMMIT" ELSE "-"]]
     /\ sent' = sent \cup {<<"vote", t, execution'[r][t], r, "COMMIT">> : t \in {u \in Txn : takes(u)}}

\* All that was named is decided: it takes the outcomes, and answers for what is above its fence.
Rejoin(r) ==
  /\ rejoining[r] # NotRejoining
  /\ \E ms \in SUBSET replies[r] : Cardinality(ms) = F("first") + 1 /\ TakeOver(r, ms)
  /\ up' = [up EXCEPT ![r] = TRUE]
  /\ fence' = [fence EXCEPT ![r] = rejoining[r]]
  /\ watermark' = [watermark EXCEPT ![r] = IF RejoinsWithoutVotes THEN rejoining[r] ELSE 0]
  /\ rejoining' = [rejoining EXCEPT ![r] = NotRejoining]
  /\ replies' = [replies EXCEPT ![r] = {}]
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

SpecWithRestart == InitRestart /\ [][NextWithRestart]_<<vars, restart>>

\* I2 with replicas that forget: what a replica has lost, its watermark stands for.
HeldOrFenced ==
  \A x \in Committed :
    IsSlowQuorum({r \in Replica : \/ execution[r][x[1]] = x[2] /\ Holds(r, x[1])
                                  \/ x \in installed[r]
                                  \/ ~up[r]
                                  \/ x[1] <= watermark[r]}, "first")
=============================================================================
