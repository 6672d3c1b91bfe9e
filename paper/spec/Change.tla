------------------------------- MODULE Change -------------------------------
(* A change of the map: one bucket moves from a source partition to a new,    *)
(* destination partition, at a cut C of the serial order.  Up to C, the       *)
(* bucket is the source's; above C, the destination's.                        *)
(*                                                                            *)
(* Transactions are numbered in the order of their TxnIds.  A cut is the      *)
(* number of the last transaction below it.  There are two keys: "moves" is   *)
(* in the bucket that moves, "stays" in one that stays at the source.         *)
(*                                                                            *)
(* What other modules specify is one step here:                               *)
(* - An outcome is one step, which commits only with the votes of f+1         *)
(*   replicas of each participant, or aborts.  Decision shows that a          *)
(*   transaction has one outcome (I1), and that each path to a commit, fast,  *)
(*   slow or by a recovery, has these votes (I2).  Here any coordinator or    *)
(*   recovery may abort at any moment before that, so the outcomes of the     *)
(*   protocol are among those of this module.                                 *)
(* - A replica votes only when the versions read have committed there, and    *)
(*   learns of a commit only when it needs it.  A replica that knows more     *)
(*   votes for less.  Conditional votes are in Validation; for a change they  *)
(*   are votes.                                                               *)
(* - A round of truncation fences f+1 replicas in one step: see Truncation.   *)
(* - The record of the map is a register that is compared and set.  Each      *)
(*   transaction that writes it also reads it, so Validation shows that the   *)
(*   serial order of these is one of comparing and setting.  A plain read of  *)
(*   it may be old.                                                           *)
(* - The destination's copy is one step: see Deletion.                        *)
EXTENDS Integers, FiniteSets, Sequences, TLC

CONSTANTS
  Source, Destination,  \* the replicas of each partition, 2F+1 of each
  F,                    \* failures that a partition tolerates
  Txns,                 \* the numbers of transactions are 1..Txns
  Unused,               \* those of them that no transaction has
  Program,              \* what they read and write, see below
  Cuts,                 \* the cuts that a proposer may choose
  Watermarks,           \* where the source may truncate
  Changes,              \* how many changes may be proposed, one after the other
  Deaths,               \* how many drivers of changes die
  Crashes,              \* how many times a source replica stops and comes back with its log
  Losses, LossesThere   \* how many times replicas of the source, the destination, lose their disk

\* The rules.  All TRUE is the protocol; each FALSE is refuted by TLC.
CONSTANTS
  RefusesAboveSeal,     \* a sealed replica does not vote above the cut on what moves
  RefusesPastCuts,      \* a replica that has voted above the cut does not seal
  RefusesFencedCuts,    \* nor does one with a fence at or above the cut
  CountsForgottenReads, \* nor one that may have forgotten a registered read above the cut
  WaitsForClock,        \* it acknowledges when its clock and the allowed skew have reached the cut
  AcknowledgesOwnSeals, \* not a seal that it has taken over from others when it joined
  SealsMajority,        \* f+1 replicas have to be sealed, not f
  SealsFirst,           \* the change is decided when they are sealed, not before
  NamesChange,          \* an acknowledgement counts for its own change only
  KeepsSeals,           \* a seal survives a restart
  CollectsSeals,        \* a replica that joins takes over the seals of the others
  ComparesRecord,       \* a change is decided or given up only while it is under way
  AnyServerEnds,        \* any server may do so, not the driver alone
  ReleasesWhenGivenUp,  \* a seal is released when the change is given up, not before
  AsksTheRecord,        \* a sealed replica asks what became of the change
  CopiesAtCut,          \* the destination copies a replica with all up to the cut
  CopiesPeers,          \* or one of the destination that has copied
  FoundsOnce,           \* a destination replica that lost its disk joins, and does not begin again
  DropsWhenHeld         \* the source drops its versions when f+1 of the destination have them

Replica == Source \cup Destination
Txn == 1..Txns
Change == 1..Changes
NoKey == "none"

\* "increments": all read and write the key that moves.  "reader": the last one only reads it.
\* "crossing": by turns, they read one key and write the other one.
Reads(t) ==
  IF t \in Unused THEN NoKey
  ELSE IF Program = "crossing" /\ t % 2 = 1 THEN "stays" ELSE "moves"
Writes(t) ==
  IF t \in Unused \/ (Program = "reader" /\ t = Txns) THEN NoKey
  ELSE IF Program = "crossing" /\ t % 2 = 0 THEN "stays" ELSE "moves"
Keys(t) == {Reads(t), Writes(t)} \ {NoKey}
IsReadOnly(t) == Writes(t) = NoKey

Unread == -1
Initially == 0
NoSeals == [c \in Change |-> "-"]

VARIABLES
  \* the change
  record,     \* what the record of the map has said: a sequence of <<"proposed", change>> and so on
  cut,        \* [Change -> the cut that was proposed]
  driven,     \* whether the driver of the change under way is alive
  seal,       \* [Replica -> [Change -> its seal: "-", "own", or "taken over"]]
  acks,       \* <<change, replica>>: acknowledgements of seals
  \* the transactions
  map,        \* [Txn -> "-", or the map that it lives under: "old", "new"]
  read,       \* [Txn -> the writer of the version that it has read]
  voters,     \* [Txn -> the replicas that have voted to commit, or have registered its reads]
  outcome,    \* [Txn -> "-", "commit" or "abort"]
  \* the replicas
  status,     \* [Replica -> "serves", "lost" or, at the destination, "new"]
  installed,  \* [Replica -> the commits that it has installed]
  fence,      \* [Replica -> it votes on nothing up to here]
  watermark,  \* [Replica -> up to here, it knows all commits.  At the source, what it has joined with]
  agreed,     \* the watermark that the source has agreed on
  forgotten,  \* [Replica -> up to here, a restart may have forgotten registered reads]
  dropped,    \* whether the source has dropped what moves
  answered,   \* [Replica -> the others that have answered it while it joins]
  deaths, crashes,
  losses      \* of the source, and of the destination: <<so many, so many>>

change == <<record, cut, driven, acks, deaths>>
txns == <<map, read, voters, outcome>>
replicas == <<status, installed, fence, watermark, agreed, forgotten, dropped, answered, crashes,
              losses>>
vars == <<change, seal, txns, replicas>>

Init ==
  /\ record = <<>>
  /\ cut = [c \in Change |-> 0]
  /\ driven = FALSE
  /\ seal = [r \in Replica |-> NoSeals]
  /\ acks = {}
  /\ map = [t \in Txn |-> "-"]
  /\ read = [t \in Txn |-> Unread]
  /\ voters = [t \in Txn |-> {}]
  /\ outcome = [t \in Txn |-> "-"]
  /\ status = [r \in Replica |-> IF r \in Source THEN "serves" ELSE "new"]
  /\ installed = [r \in Replica |-> {}]
  /\ fence = [r \in Replica |-> 0]
  /\ watermark = [r \in Replica |-> 0]
  /\ agreed = 0
  /\ forgotten = [r \in Replica |-> 0]
  /\ dropped = FALSE
  /\ answered = [r \in Replica |-> {}]
  /\ deaths = 0 /\ crashes = 0 /\ losses = <<0, 0>>

Max(S) == IF S = {} THEN 0 ELSE CHOOSE x \in S : \A y \in S : y <= x
Higher(a, b) == IF a > b THEN a ELSE b
Group(r) == IF r \in Source THEN Source ELSE Destination
IsQuorum(S) == Cardinality(S) >= F + 1
Serves(r) == status[r] = "serves"

Said == {record[i] : i \in 1..Len(record)}
IsLast(kind, c) == record # <<>> /\ record[Len(record)] = <<kind, c>>
IsDecided(c) == <<"decided", c>> \in Said
IsGivenUp(c) == <<"given up", c>> \in Said

\* Who holds a key for a transaction.
Holders(k, m) == IF k = "moves" /\ m = "new" THEN Destination ELSE Source
KeysAt(r, t, m) == {k \in Keys(t) : r \in Holders(k, m)}
Participants(t, m) == {Holders(k, m) : k \in Keys(t)}

-----------------------------------------------------------------------------
(* Transactions. *)

\* Its vote to commit stands, or the read that it has registered.
Prepared(r, t) ==
  /\ r \in voters[t] /\ t > watermark[r] /\ outcome[t] # "abort"
  /\ IsReadOnly(t) => t > forgotten[r]

\* What it knows of a write, and of a read.
HasWrite(r, t, k) ==
  k = Writes(t) /\ (t \in installed[r] \/ (Prepared(r, t) /\ r \in Holders(k, map[t])))
HasRead(r, t, k) ==
  k = Reads(t) /\ (t \in installed[r] \/ Prepared(r, t)) /\ r \in Holders(k, map[t])

\* The map of a transaction is chosen by its number.  A client that has not heard of the change takes
\* the old one.
MayLiveUnder(t, m) == m = "new" => \E c \in Change : IsDecided(c) /\ t > cut[c]

\* The versions that are worth asking a vote for.
Readable(t) ==
  IF Reads(t) = NoKey THEN {Unread}
  ELSE {Initially} \cup {w \in 1..(t-1) : Writes(w) = Reads(t) /\ outcome[w] = "commit"}

\* Rules 4 to 6 of section 3.
IsValid(r, t, keys, v) ==
  /\ Reads(t) \in keys =>
       /\ v # Initially => v \in installed[r] \/ v > watermark[r]
       /\ \A w \in (v+1)..(t-1) : ~HasWrite(r, w, Reads(t))
  /\ Writes(t) \in keys =>
       \A u \in (t+1)..Txns : HasRead(r, u, Writes(t)) => read[u] >= t

IsSealed(r, t, keys) ==
  /\ RefusesAboveSeal /\ r \in Source /\ "moves" \in keys
  /\ dropped \/ \E c \in Change : seal[r][c] # "-" /\ t > cut[c]

\* Votes that change nothing are left out: those that come when enough were given.
Vote(r, t) ==
  /\ outcome[t] = "-" /\ Serves(r) /\ t > fence[r] /\ r \notin voters[t]
  /\ ~IsQuorum(voters[t] \cap Group(r))
  /\ IsReadOnly(t) \/ t > forgotten[r]
  /\ \E m \in IF map[t] = "-" THEN {"old", "new"} ELSE {map[t]} :
     \E v \in IF map[t] = "-" THEN Readable(t) ELSE {read[t]} :
       LET keys == KeysAt(r, t, m) IN
         /\ MayLiveUnder(t, m) /\ keys # {} /\ ~IsSealed(r, t, keys) /\ IsValid(r, t, keys, v)
         /\ map' = [map EXCEPT ![t] = m]
         /\ read' = [read EXCEPT ![t] = v]
         /\ installed' = [installed EXCEPT ![r] =
              IF Reads(t) \in keys /\ v > Initially THEN @ \cup {v} ELSE @]
  /\ voters' = [voters EXCEPT ![t] = @ \cup {r}]
  /\ UNCHANGED <<change, seal, outcome, status, fence, watermark, agreed, forgotten, dropped,
                 answered, crashes, losses>>

Decide(t, value) ==
  /\ outcome[t] = "-" /\ map[t] # "-"
  /\ outcome' = [outcome EXCEPT ![t] = value]
  /\ UNCHANGED <<change, seal, map, read, voters, replicas>>

Commit(t) ==
  /\ \A p \in Participants(t, map[t]) : IsQuorum(voters[t] \cap p)
  /\ Decide(t, "commit")

Abort(t) == ~IsReadOnly(t) /\ Decide(t, "abort")

-----------------------------------------------------------------------------
(* The change. *)

Propose(c) ==
  /\ c = Len(record) \div 2 + 1
  /\ record = <<>> \/ IsLast("given up", c-1)
  /\ record' = Append(record, <<"proposed", c>>)
  /\ \E at \in Cuts : cut' = [cut EXCEPT ![c] = at]
  /\ driven' = TRUE
  /\ UNCHANGED <<acks, deaths, seal, txns, replicas>>

\* It has voted on nothing above the cut, and has forgotten no such vote.
MaySeal(r, c) ==
  /\ RefusesPastCuts =>
       \A t \in (cut[c]+1)..Txns : ~(Prepared(r, t) /\ "moves" \in KeysAt(r, t, map[t]))
  /\ RefusesFencedCuts => fence[r] < cut[c]
  /\ CountsForgottenReads => forgotten[r] <= cut[c]

\* The message may be late: the change is given up.  A replica seals at once, and acknowledges when its
\* clock is near the cut.  Here it is one step: to seal earlier is to vote for less.  Clocks are not
\* variables: see Lose.  Seals that change nothing are left out, as votes are.
Seal(r, c) ==
  /\ Serves(r) /\ <<"proposed", c>> \in Said /\ seal[r][c] # "own"
  /\ ~IsQuorum({a \in acks : a[1] = c}) \/ IsGivenUp(c)
  /\ MaySeal(r, c) \/ (seal[r][c] = "taken over" /\ ~AcknowledgesOwnSeals)
  /\ seal' = [seal EXCEPT ![r][c] = "own"]
  /\ acks' = acks \cup {<<c, r>>}
  /\ UNCHANGED <<record, cut, driven, deaths, txns, replicas>>

AreSealed(c) ==
  Cardinality({a[2] : a \in {b \in acks : NamesChange => b[1] = c}})
    >= IF SealsMajority THEN F + 1 ELSE F

\* Acknowledgements are sent again to those who ask: what a driver has heard is no state of its own.
End(c, kind) ==
  /\ IF ComparesRecord THEN IsLast("proposed", c)
     ELSE <<"proposed", c>> \in Said /\ <<kind, c>> \notin Said
  /\ driven \/ AnyServerEnds
  /\ record' = Append(record, <<kind, c>>)
  /\ driven' = FALSE
  /\ UNCHANGED <<cut, acks, deaths, seal, txns, replicas>>

DecideChange(c) == (SealsFirst => AreSealed(c)) /\ End(c, "decided")
GiveUp(c) == End(c, "given up")

Die ==
  /\ driven /\ deaths < Deaths
  /\ deaths' = deaths + 1
  /\ driven' = FALSE
  /\ UNCHANGED <<record, cut, acks, seal, txns, replicas>>

\* A replica may read an old version of the record.  But what that says was decided.
Release(r, c) ==
  /\ AsksTheRecord /\ seal[r][c] # "-" /\ Serves(r)
  /\ IF ReleasesWhenGivenUp THEN IsGivenUp(c) ELSE ~IsDecided(c)
  /\ seal' = [seal EXCEPT ![r][c] = "-"]
  /\ UNCHANGED <<change, txns, replicas>>

-----------------------------------------------------------------------------
(* Truncation at the source, the copy, and dropping (section 6). *)

CommittedAt(p, w) ==
  {t \in 1..w : outcome[t] = "commit" /\ ~IsReadOnly(t) /\ Holders(Writes(t), map[t]) = p}

\* What these replicas may have voted on up to w is decided.
AllDecided(S, w) ==
  \A t \in 1..w : outcome[t] = "-" /\ ~IsReadOnly(t) =>
    \A r \in S : ~(r \in voters[t] /\ t > watermark[r])

FenceAll(S, w) == fence' = [r \in Replica |-> IF r \in S THEN Higher(fence[r], w) ELSE fence[r]]

\* A replica of the source that reaches the watermark installs all commits up to there, and votes for
\* less from then on.  So here it does so only for a copy.
Truncate(w) ==
  /\ w > agreed
  /\ \E S \in SUBSET {r \in Source : Serves(r)} :
       Cardinality(S) = F + 1 /\ AllDecided(S, w) /\ FenceAll(S, w)
  /\ agreed' = w
  /\ UNCHANGED <<change, seal, txns, status, installed, watermark, forgotten, dropped, answered,
                 crashes, losses>>

BecomeCopy(d, versions, w) ==
  /\ status' = [status EXCEPT ![d] = "serves"]
  /\ installed' = [installed EXCEPT ![d] = versions]
  /\ watermark' = [watermark EXCEPT ![d] = w]
  /\ FenceAll({d}, w)
  /\ UNCHANGED <<change, seal, txns, agreed, forgotten, dropped, answered, crashes, losses>>

\* A new replica of the destination copies one of the source that has all up to the cut.
Copy(d, r, c) ==
  /\ status[d] = "new" /\ IsDecided(c) /\ Serves(r) /\ ~dropped
  /\ CopiesAtCut => agreed >= cut[c]
  /\ LET has == IF CopiesAtCut THEN installed[r] \cup CommittedAt(Source, agreed) ELSE installed[r] IN
       BecomeCopy(d, {t \in has : t <= cut[c] /\ Writes(t) = "moves"}, cut[c])

\* Or one of the destination that has the copy already.
CopyPeer(d, q) ==
  /\ CopiesPeers /\ status[d] = "new" /\ Serves(q)
  /\ BecomeCopy(d, installed[q], watermark[q])

\* A replica that has lost the copy again is one of those that may fail.
Drop(c) ==
  /\ ~dropped /\ IsDecided(c) /\ agreed >= cut[c]
  /\ Cardinality({d \in Destination : status[d] # "new"}) >= IF DropsWhenHeld THEN F + 1 ELSE F
  /\ dropped' = TRUE
  /\ UNCHANGED <<change, seal, txns, status, installed, fence, watermark, agreed, forgotten,
                 answered, crashes, losses>>

-----------------------------------------------------------------------------
(* Restarts and lost disks (sections 8 and 9). *)

\* Registered reads are not in the log.  What tells is the bound of these reads.
Crash(r) ==
  /\ crashes < Crashes /\ r \in Source /\ Serves(r)
  /\ crashes' = crashes + 1
  /\ LET reads == {t \in Txn : IsReadOnly(t) /\ r \in voters[t]} IN
       forgotten' = [forgotten EXCEPT ![r] = Higher(@, Max(reads))]
  /\ seal' = IF KeepsSeals THEN seal ELSE [seal EXCEPT ![r] = NoSeals]
  /\ forgotten' # forgotten \/ seal' # seal
  /\ UNCHANGED <<change, txns, status, installed, fence, watermark, agreed, dropped, answered,
                 losses>>

\* What its clock and the allowed skew were above.
BelowFence(r) ==
  {fence[r]} \cup {t \in Txn : r \in voters[t]}
             \cup {cut[c] : c \in {x \in Change : WaitsForClock /\ <<x, r>> \in acks}}

\* It joins with a fence that is its clock and the allowed skew: see Restart.
Lose(r) ==
  /\ Serves(r)
  /\ Cardinality({q \in Group(r) : status[q] = "lost"}) < F
  /\ IF r \in Source THEN losses[1] < Losses ELSE losses[2] < LossesThere
  /\ losses' = IF r \in Source THEN <<losses[1] + 1, losses[2]>> ELSE <<losses[1], losses[2] + 1>>
  /\ seal' = [seal EXCEPT ![r] = NoSeals]
  /\ installed' = [installed EXCEPT ![r] = {}]
  /\ forgotten' = [forgotten EXCEPT ![r] = 0]
  /\ IF r \in Source \/ FoundsOnce
     THEN /\ status' = [status EXCEPT ![r] = "lost"]
          /\ \E w \in Max(BelowFence(r))..Txns : fence' = [fence EXCEPT ![r] = w]
          /\ UNCHANGED <<voters, watermark>>
     ELSE /\ status' = [status EXCEPT ![r] = "new"]
          /\ voters' = [t \in Txn |-> voters[t] \ {r}]
          /\ fence' = [fence EXCEPT ![r] = 0]
          /\ watermark' = [watermark EXCEPT ![r] = 0]
  /\ UNCHANGED <<change, map, read, outcome, agreed, dropped, answered, crashes>>

TakesOver(r, q) ==
  [c \in Change |-> IF CollectsSeals /\ seal[q][c] # "-" THEN "taken over" ELSE seal[r][c]]

\* Another replica fences, and says what it is sealed for.
Answer(q, r) ==
  /\ status[r] = "lost" /\ Serves(q) /\ Group(q) = Group(r) /\ q \notin answered[r]
  /\ FenceAll({q}, fence[r])
  /\ answered' = [answered EXCEPT ![r] = @ \cup {q}]
  /\ seal' = [seal EXCEPT ![r] = TakesOver(r, q)]
  /\ UNCHANGED <<change, txns, status, installed, watermark, agreed, forgotten, dropped, crashes,
                 losses>>

\* What the others may have voted on up to the fence is decided.  It copies one of them.
Join(r) ==
  /\ status[r] = "lost" /\ IsQuorum(answered[r]) /\ AllDecided(answered[r], fence[r])
  /\ \E q \in answered[r] :
       /\ Serves(q)
       /\ installed' = [installed EXCEPT ![r] =
            {t \in installed[q] : t <= fence[r]} \cup CommittedAt(Group(r), fence[r])]
  /\ watermark' = [watermark EXCEPT ![r] = fence[r]]
  /\ status' = [status EXCEPT ![r] = "serves"]
  /\ answered' = [answered EXCEPT ![r] = {}]
  /\ UNCHANGED <<change, seal, txns, fence, agreed, forgotten, dropped, crashes, losses>>

-----------------------------------------------------------------------------
Next ==
  \/ \E r \in Replica, t \in Txn : Vote(r, t)
  \/ \E t \in Txn : Commit(t)
  \/ \E t \in Txn : Abort(t)
  \/ \E c \in Change : Propose(c)
  \/ \E r \in Source, c \in Change : Seal(r, c)
  \/ \E c \in Change : DecideChange(c)
  \/ \E c \in Change : GiveUp(c)
  \/ Die
  \/ \E r \in Source, c \in Change : Release(r, c)
  \/ \E w \in Watermarks : Truncate(w)
  \/ \E d \in Destination, r \in Source, c \in Change : Copy(d, r, c)
  \/ \E d \in Destination, q \in Destination : CopyPeer(d, q)
  \/ \E c \in Change : Drop(c)
  \/ \E r \in Source : Crash(r)
  \/ \E r \in Replica : Lose(r)
  \/ \E r \in Replica, q \in Replica : Answer(q, r)
  \/ \E r \in Replica : Join(r)

Spec == Init /\ [][Next]_vars

\* Nobody has to propose, to vote or to seal.  The rest does not stop.
Fair ==
  /\ \A t \in Txn : WF_vars(Commit(t) \/ Abort(t))
  /\ \A c \in Change : WF_vars(DecideChange(c) \/ GiveUp(c))
  /\ \A r \in Source, c \in Change : WF_vars(Release(r, c))
  /\ \A w \in Watermarks : WF_vars(Truncate(w))
  /\ \A d \in Destination :
       WF_vars(\/ \E r \in Source, c \in Change : Copy(d, r, c)
               \/ \E q \in Destination : CopyPeer(d, q))

LiveSpec == Spec /\ Fair

-----------------------------------------------------------------------------
Committed == {t \in Txn : outcome[t] = "commit"}
CommittedBelow(t, k) == {w \in Committed : w < t /\ Writes(w) = k}

\* I3: each read returned the newest committed write below its reader.
Serializable ==
  \A t \in Committed : Reads(t) # NoKey => read[t] = Max(CommittedBelow(t, Reads(t)))

\* A replica of the destination that serves has all that committed up to the cut.
NothingLost ==
  \A c \in Change : IsDecided(c) =>
    \A d \in {r \in Destination : Serves(r)} : CommittedBelow(cut[c]+1, "moves") \subseteq installed[d]

\* I2: f+1 replicas hold a commit, the source's or the destination's.  A replica that joins counts.
Has(r, t) == status[r] = "lost" \/ t \in installed[r] \/ Prepared(r, t)
Held ==
  \A t \in Committed : Writes(t) = "moves" =>
    \/ map[t] = "old" /\ ~dropped /\ IsQuorum({r \in Source : Has(r, t)})
    \/ IsQuorum({r \in Destination : Has(r, t)})

\* A timestamp belongs to one partition: above the cut the source can commit nothing on what moves, and
\* up to the cut the destination votes on nothing.
OnePartition ==
  \A c \in Change, t \in Txn : IsDecided(c) /\ "moves" \in Keys(t) =>
    /\ map[t] = "old" /\ IsQuorum(voters[t] \cap Source) /\ outcome[t] # "abort" => t <= cut[c]
    /\ voters[t] \cap Destination # {} => t > cut[c]

\* Changes follow one another: what was decided stays decided, and what was given up is not decided.
OneChange ==
  \A i \in 1..Len(record) :
    IF i % 2 = 1 THEN record[i][1] = "proposed" /\ (i > 1 => record[i-1][1] = "given up")
    ELSE record[i][1] # "proposed" /\ record[i][2] = record[i-1][2]

\* A change ends, whoever dies: it is given up, or decided, and then the destination serves.
Ends ==
  \A c \in Change :
    <<"proposed", c>> \in Said ~>
      IsGivenUp(c) \/ (IsDecided(c) /\ \A d \in Destination : Serves(d))

\* No seal outlives a change that was given up.
Released ==
  \A r \in Source, c \in Change :
    IsGivenUp(c) /\ seal[r][c] # "-" ~> seal[r][c] = "-"

\* For counterexamples that need no abort.
OnlyCommits == \A t \in Txn : outcome[t] # "abort"

Symmetry == Permutations(Source) \cup Permutations(Destination)
=============================================================================
