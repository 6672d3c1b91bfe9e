package org.mortydb.wire;

import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.message.Message.CutState;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.model.Vote.Reason;

/**
 * The numbers of the enums on the wire; spelt out, so that no reordering of constants moves them.
 */
final class Reasons {
  private Reasons() {}

  static int number(Reason reason) {
    return switch (reason) {
      case TRUNCATED -> 1;
      case DIRTY_READ -> 2;
      case MISSED_WRITE -> 3;
      case WRITE_MISSED -> 4;
      case DROPPED -> 5;
      case CLOCK_AHEAD -> 6;
    };
  }

  /** The reason of that number, or null if there is none. */
  static @Nullable Reason reason(int number) {
    return switch (number) {
      case 1 -> Reason.TRUNCATED;
      case 2 -> Reason.DIRTY_READ;
      case 3 -> Reason.MISSED_WRITE;
      case 4 -> Reason.WRITE_MISSED;
      case 5 -> Reason.DROPPED;
      case 6 -> Reason.CLOCK_AHEAD;
      default -> null;
    };
  }

  static int number(CutState state) {
    return switch (state) {
      case HELD -> 1;
      case READ -> 2;
      case GONE -> 3;
      case BUSY -> 4;
    };
  }

  /** The state of that number, or null if there is none. */
  static @Nullable CutState cutState(int number) {
    return switch (number) {
      case 1 -> CutState.HELD;
      case 2 -> CutState.READ;
      case 3 -> CutState.GONE;
      case 4 -> CutState.BUSY;
      default -> null;
    };
  }

  static int number(Refusal refusal) {
    return switch (refusal) {
      case CLOCK_AHEAD -> 1;
      case TRUNCATED -> 2;
      case WRONG_PARTITION -> 3;
      case OVERSIZED -> 4;
      case NOT_AUTHORIZED -> 5;
      case NOT_SERVING -> 6;
    };
  }

  /** The refusal of that number, or null if there is none. */
  static @Nullable Refusal refusal(int number) {
    return switch (number) {
      case 1 -> Refusal.CLOCK_AHEAD;
      case 2 -> Refusal.TRUNCATED;
      case 3 -> Refusal.WRONG_PARTITION;
      case 4 -> Refusal.OVERSIZED;
      case 5 -> Refusal.NOT_AUTHORIZED;
      case 6 -> Refusal.NOT_SERVING;
      default -> null;
    };
  }
}
