/**
 * Retwis, the small social network of the TAPIR and Morty papers, with real contents: the values
 * read determine every value written.
 */
@NullMarked
package org.mortydb.workloads.retwis;

import org.jspecify.annotations.NullMarked;
