package org.mortydb.wire;

import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.message.Message.CutState;
import org.mortydb.protocol.message.Message.PastLevel;
import org.mortydb.protocol.message.Message.PastState;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.model.Vote.Reason;

/**
 * The numbers of the enums on the wire. They are spelled out, so that constants can be reordered
 * without a change of the wire format.
 */
final class EnumNumbers {
  private static final Reason[] REASONS = Reason.values();
  private static final CutState[] CUT_STATES = CutState.values();
  private static final PastLevel[] PAST_LEVELS = PastLevel.values();
  private static final PastState[] PAST_STATES = PastState.values();
  private static final Refusal[] REFUSALS = Refusal.values();

  private EnumNumbers() {}

  static int of(Reason reason) {
    return switch (reason) {
      case TRUNCATED -> 1;
      case DIRTY_READ -> 2;
      case MISSED_WRITE -> 3;
      case WRITE_MISSED -> 4;
      case DROPPED -> 5;
      case CLOCK_AHEAD -> 6;
      case READ_AS_ABSENT -> 7;
      case REGISTERED_READ -> 8;
      case SEALED -> 9;
      case MERGE_FAILED -> 10;
      case MERGE_LIMIT -> 11;
    };
  }

  static int of(CutState state) {
    return switch (state) {
      case HELD -> 1;
      case READ -> 2;
      case GONE -> 3;
      case BUSY -> 4;
    };
  }

  static int of(PastLevel level) {
    return switch (level) {
      case AT -> 1;
      case NEWEST -> 2;
      case LOCAL -> 3;
    };
  }

  static int of(PastState state) {
    return switch (state) {
      case READ -> 1;
      case BEHIND -> 2;
      case GONE -> 3;
    };
  }

  static int of(Refusal refusal) {
    return switch (refusal) {
      case CLOCK_AHEAD -> 1;
      case TRUNCATED -> 2;
      case WRONG_PARTITION -> 3;
      case OVERSIZED -> 4;
      case NOT_AUTHORIZED -> 5;
      case NOT_SERVING -> 6;
      case INVALID -> 7;
      case SEALED -> 8;
      case MOVED -> 9;
    };
  }

  static @Nullable Reason reason(int number) {
    return find(REASONS, EnumNumbers::of, number);
  }

  static @Nullable CutState cutState(int number) {
    return find(CUT_STATES, EnumNumbers::of, number);
  }

  static @Nullable PastLevel pastLevel(int number) {
    return find(PAST_LEVELS, EnumNumbers::of, number);
  }

  static @Nullable PastState pastState(int number) {
    return find(PAST_STATES, EnumNumbers::of, number);
  }

  static @Nullable Refusal refusal(int number) {
    return find(REFUSALS, EnumNumbers::of, number);
  }

  /** The constant with a given number; null if there is none. */
  private static <E> @Nullable E find(E[] constants, ToIntFunction<E> numberOf, int number) {
    for (E constant : constants) {
      if (numberOf.applyAsInt(constant) == number) {
        return constant;
      }
    }
    return null;
  }
}
