/**
 * Retwis, the small social network of the TAPIR and Morty papers, with real contents: every value
 * written follows from what was read.
 */
@NullMarked
package org.mortydb.workloads.retwis;

import org.jspecify.annotations.NullMarked;
