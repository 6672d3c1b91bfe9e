package org.mortydb.workloads.audit;

import java.util.List;

/**
 * The result for one condition.
 *
 * @param condition the condition
 * @param checked the number of cases that were checked
 * @param violations the number of cases that violate the condition
 * @param explanations the first violations
 */
public record Finding(String condition, long checked, long violations, List<String> explanations) {}
