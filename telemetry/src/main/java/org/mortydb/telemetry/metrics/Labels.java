package org.mortydb.telemetry.metrics;

import java.util.Locale;
import org.mortydb.protocol.model.Vote;

/** The values of labels: lower case, words joined by underscores. */
public final class Labels {
  /** The value of a label that does not apply. */
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

  /** The name of a constant. */
  public static String of(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  /** The name of a type, such as {@code get_reply} for {@code GetReply}. */
  public static String of(Class<?> type) {
    return NAMES.get(type);
  }

  /**
   * The name of a vote: {@code commit}, {@code commit_on_condition}, {@code abandon} or {@code
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
}
