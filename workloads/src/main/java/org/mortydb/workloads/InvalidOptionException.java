package org.mortydb.workloads;

import java.io.Serial;

/** A workload cannot be created with a value of an option. */
public final class InvalidOptionException extends IllegalArgumentException {
  @Serial private static final long serialVersionUID = 1L;

  private final transient WorkloadOption<?> option;
  private final String problem;

  /**
   * @param problem what the value must be, as the rest of a sentence that begins with the option's
   *     name: "must be 1 to 10, is 11"
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

  /** What is wrong, without the option's name. */
  public String problem() {
    return problem;
  }
}
