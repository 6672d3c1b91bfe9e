/**
 * A data directory with a write-ahead log and checkpoints; the content of records is opaque here.
 * docs/decisions/0001-storage.md gives the reasons for the design.
 */
@NullMarked
package org.mortydb.storage;

import org.jspecify.annotations.NullMarked;
