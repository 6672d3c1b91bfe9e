package org.mortydb.workloads;

import java.io.Serial;

/** A workload cannot be created with the given value of an option. */
public final class InvalidOptionException extends IllegalArgumentException {
  @Serial private static final long serialVersionUID = 1L;

  private final transient WorkloadOption<?> option;
  private final String problem;

  /**
   * @param problem the rule that the value breaks, as the rest of a sentence that begins with the
   *     option's name: "must be 1 to 10, is 11"
   */
  public InvalidOptionException(WorkloadOption<?> option, String problem) {
    super(option.name() + " " + problem);
    this.option = option;
    this.problem = problem;
  }

  /** The option. */
  public WorkloadOption<?> option() {
    return option;
  }

  /** The problem, without the option's name. */
  public String problem() {
    return problem;
  }
}
