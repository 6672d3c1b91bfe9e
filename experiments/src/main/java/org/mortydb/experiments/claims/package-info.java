/**
 * The claims of the paper as data: their runs, and the verdicts that follow from the records. In
 * this order: {@code Claim}, {@code ClaimFile}, {@code ClaimRunner}, {@code Judge}.
 */
@NullMarked
package org.mortydb.experiments.claims;

import org.jspecify.annotations.NullMarked;
