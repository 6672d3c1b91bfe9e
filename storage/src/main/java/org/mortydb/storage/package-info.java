/**
 * Bytes on disk, whatever they mean: a data directory with a write-ahead log and checkpoints.
 * docs/decisions/0001-storage.md says why it is built like this.
 */
@NullMarked
package org.mortydb.storage;

import org.jspecify.annotations.NullMarked;
