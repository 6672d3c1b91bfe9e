/**
 * Flat tables: rows of bytes, and indexes of numbers, which the collector neither marks nor copies
 * one by one. They know nothing of the protocol, and use nothing but arrays.
 */
@org.jspecify.annotations.NullMarked
package org.mortydb.protocol.table;
