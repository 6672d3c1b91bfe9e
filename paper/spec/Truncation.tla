----------------------------- MODULE Truncation -----------------------------
(* Validation with an agreed watermark.  TruncatePrepare fences a replica and *)
(* has it return its records at or below the proposed watermark.  With f+1    *)
(* answers, what they hold is recovered until it is decided; what they do not *)
(* hold never commits.  TruncateCommit brings the decisions: a replica takes  *)
(* them over, forgets its records, and answers nothing at or below the        *)
(* watermark any more.                                                        *)
EXTENDS Validation

ASSUME Second = {}

CONSTANT Restarts   \* how many times replicas restart

\* The rules.  All TRUE is the protocol; each FALSE is refuted by TLC.
CONSTANTS
  FencesFirst,      \* a replica fences before it returns its records
  KeepsWatermark    \* fence and watermark survive a restart

VARIABLES
  answers,    \* <<watermark, replica, the transactions of the records that it returned>>
  truncated,  \* [1..Txns -> the decisions of the TruncateCommit for that watermark, or NotTruncated]
  restarts

truncation == <<answers, truncated, restarts>>
NotTruncated == <<>>

InitTruncation ==
  /\ Init
  /\ answers = {}
  /\ truncated = [w \in Txn |-> NotTruncated]
  /\ restarts = 0

HasRecord(r, t) ==
  execution[r][t] # NoExec \/ accepted[r][t][2] # None \/ outcome[r][t] # None

TruncatePrepare(r, w) ==
  /\ up[r] /\ watermark[r] < w /\ ~ \E a \in answers : a[1] = w /\ a[2] = r
  /\ truncated[w] = NotTruncated
  /\ fence' = IF FencesFirst /\ fence[r] < w THEN [fence EXCEPT ![r] = w] ELSE fence
  /\ answers' = answers \cup {<<w, r, {t \in 1..w : HasRecord(r, t)}>>}
  /\ UNCHANGED <<coordinators, sent, records, outcome, installed, watermark, up, outbox, truncated, restarts>>

\* The proposer has f+1 answers, and the outcome of whatever they hold.
TruncateCommit(w) ==
  /\ truncated[w] = NotTruncated
  /\ \E as \in SUBSET {a \in answers : a[1] = w} :
       /\ Cardinality(as) = F("first") + 1
       /\ LET held == UNION {a[3] : a \in as} IN
            /\ \A t \in held : Decided(t) # {}
            /\ truncated' = [truncated EXCEPT ![w] =
                 [t \in 1..w |-> IF t \in held THEN CHOOSE v \in Decided(t) : TRUE ELSE Abort]]
  /\ UNCHANGED <<vars, answers, restarts>>

Below(r, w, old, new) == [old EXCEPT ![r] = [t \in Txn |-> IF t <= w THEN new ELSE old[r][t]]]

\* A replica takes over what it missed and forgets the records; committed versions stay.
Truncate(r, w) ==
  /\ up[r] /\ truncated[w] # NotTruncated /\ watermark[r] < w
  /\ installed' = [installed EXCEPT ![r] =
       @ \cup {x \in (1..w) \X Execs : truncated[w][x[1]] = Commit(x[2])}]
  /\ outcome' = Below(r, w, outcome, None)
  /\ execution' = Below(r, w, execution, NoExec)
  /\ vote' = Below(r, w, vote, "-")
  /\ promised' = Below(r, w, promised, 0)
  /\ accepted' = Below(r, w, accepted, <<0, None>>)
  /\ watermark' = [watermark EXCEPT ![r] = w]
  /\ fence' = IF fence[r] < w THEN [fence EXCEPT ![r] = w] ELSE fence
  /\ UNCHANGED <<coordinators, sent, up, outbox, truncation>>

\* With a sound log nothing is lost; see Restart.
RestartWithLog(r) ==
  /\ ~KeepsWatermark /\ restarts < Restarts
  /\ watermark[r] > 0
  /\ restarts' = restarts + 1
  /\ fence' = [fence EXCEPT ![r] = 0]
  /\ watermark' = [watermark EXCEPT ![r] = 0]
  /\ UNCHANGED <<coordinators, sent, records, outcome, installed, up, outbox, answers, truncated>>

NextWithTruncation ==
  \/ NextOfCoordinators /\ UNCHANGED truncation
  \/ NextOfReplicas /\ UNCHANGED truncation
  \/ \E r \in Replica, w \in Txn : TruncatePrepare(r, w)
  \/ \E w \in Txn : TruncateCommit(w)
  \/ \E r \in Replica, w \in Txn : Truncate(r, w)
  \/ \E r \in Replica : RestartWithLog(r)

SpecWithTruncation == InitTruncation /\ [][NextWithTruncation]_<<vars, truncation>>

-----------------------------------------------------------------------------
\* I1, with the decisions that truncation spread.
AgreementWithTruncation ==
  \A t \in Txn :
    Cardinality(Decided(t) \cup {truncated[w][t] : w \in {x \in t..Txns : truncated[x] # NotTruncated}}) <= 1

\* I2 with records that were forgotten: the watermark stands for them.
HeldOrTruncated ==
  \A x \in Committed :
    IsSlowQuorum({r \in Replica : \/ execution[r][x[1]] = x[2] /\ Holds(r, x[1])
                                  \/ x \in installed[r]
                                  \/ x[1] <= watermark[r]}, "first")
=============================================================================
