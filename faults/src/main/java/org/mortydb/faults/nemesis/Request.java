package org.mortydb.faults.nemesis;

import org.jspecify.annotations.Nullable;

/**
 * An operation that a client carries out in one transaction.
 *
 * @param f the kind of operation
 * @param value its argument in EDN
 */
public record Request(String f, @Nullable Object value) {}
