------------------------------- MODULE Rejoin -------------------------------
(* Restart and Truncation together: replicas lose everything and rejoin while *)
(* the others agree on watermarks.                                            *)
EXTENDS Restart, Truncation

InitOfRejoin == InitRestart /\ InitTruncation

NextOfRejoin ==
  \/ NextOfCoordinators /\ UNCHANGED <<restart, truncation>>
  \/ NextOfReplicas /\ UNCHANGED <<restart, truncation>>
  \/ \E r \in Replica : Lose(r) /\ UNCHANGED truncation
  \/ \E r \in Replica, q \in Replica : FenceFor(r, q) /\ UNCHANGED truncation
  \/ \E r \in Replica : Rejoin(r) /\ UNCHANGED truncation
  \/ \E r \in Replica, w \in Txn : TruncatePrepare(r, w) /\ UNCHANGED restart
  \/ \E w \in Txn : TruncateCommit(w) /\ UNCHANGED restart
  \/ \E r \in Replica, w \in Txn : Truncate(r, w) /\ UNCHANGED restart

SpecOfRejoin == InitOfRejoin /\ [][NextOfRejoin]_<<vars, restart, truncation>>
=============================================================================
