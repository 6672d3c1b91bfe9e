package org.mortydb.telemetry.metrics;

import java.util.Locale;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Vote;

/** How things are called in labels: lower case, words joined by underscores. */
public final class Labels {
  /** What stands where there is nothing to say. */
  public static final String NONE = "none";

  private static final ClassValue<String> NAMES =
      new ClassValue<>() {
        @Override
        protected String computeValue(Class<?> type) {
          return type.getSimpleName()
              .replaceAll("(?<=[a-z0-9])(?=[A-Z])", "_")
              .toLowerCase(Locale.ROOT);
        }
      };

  private Labels() {}

  /** A constant's name. */
  public static String of(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  /** A type's name, such as {@code get_reply} for {@code GetReply}. */
  public static String of(Class<?> type) {
    return NAMES.get(type);
  }

  /**
   * What was voted: {@code commit}, {@code commit_on_condition}, {@code abandon} or {@code
   * abandon_finally}.
   */
  public static String vote(Vote vote) {
    return switch (vote) {
      case Vote.Commit(boolean onCondition) -> onCondition ? "commit_on_condition" : "commit";
      case Vote.Abandon abandon -> abandon(abandon.isFinal());
    };
  }

  static String abandon(boolean isFinal) {
    return isFinal ? "abandon_finally" : "abandon";
  }

  /** Why it was voted so; {@link #NONE} unless it was abandoned. */
  public static String reason(Vote vote) {
    return vote instanceof Vote.Abandon abandon ? of(abandon.reason()) : NONE;
  }

  /** {@code commit} or {@code abort}. */
  public static String outcome(Outcome outcome) {
    return of(outcome.getClass());
  }
}
