/**
 * Real faults on real processes of this machine, under the workloads of the Jepsen suite, with
 * histories in its form.
 */
@NullMarked
package org.mortydb.faults.nemesis;

import org.jspecify.annotations.NullMarked;
