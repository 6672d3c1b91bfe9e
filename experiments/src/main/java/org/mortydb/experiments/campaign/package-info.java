/** Campaigns: all runs that the records of a report lack. */
@NullMarked
package org.mortydb.experiments.campaign;

import org.jspecify.annotations.NullMarked;
