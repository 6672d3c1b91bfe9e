package org.mortydb.protocol.coordinator;

/** The purpose of a request to a replica. */
sealed interface Requested permits ReadSlot, ScanRequest {}
