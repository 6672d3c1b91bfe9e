/**
 * The agent: runs a server and clients of an experiment on its host, for an authenticated
 * controller.
 */
@NullMarked
package org.mortydb.bench.agent;

import org.jspecify.annotations.NullMarked;
