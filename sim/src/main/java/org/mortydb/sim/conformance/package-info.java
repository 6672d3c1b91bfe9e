/** A conformance test for systems that others build (docs/how-to/add-a-system.md). */
@NullMarked
package org.mortydb.sim.conformance;

import org.jspecify.annotations.NullMarked;
