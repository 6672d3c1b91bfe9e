package org.mortydb.protocol.coordinator;

/** What a request to a replica was made for. */
sealed interface Requested permits ReadSlot, ScanRequest {}
