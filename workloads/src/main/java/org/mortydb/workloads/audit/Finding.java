package org.mortydb.workloads.audit;

import java.util.List;

/**
 * What became of one condition.
 *
 * @param condition what must hold
 * @param checked in how many cases it was looked at
 * @param violations in how many of them it does not hold
 * @param explanations the first of these
 */
public record Finding(String condition, long checked, long violations, List<String> explanations) {}
