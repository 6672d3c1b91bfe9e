package org.mortydb.check.jepsen;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.TxnId;

/** Serial positions of transactions in EDN: {@code [timeMicros clientId]}. */
public final class Places {
  private static final int PARTS = 2;

  private Places() {}

  /** A position as a value of EDN. */
  public static List<Long> toEdn(TxnId place) {
    return List.of(place.timeMicros(), place.clientId());
  }

  /** The position in a value of EDN; null if it is not a position. */
  public static @Nullable TxnId of(@Nullable Object edn) {
    return edn instanceof List<?> place
            && place.size() == PARTS
            && place.getFirst() instanceof Long timeMicros
            && place.getLast() instanceof Long clientId
            && timeMicros >= 0
        ? new TxnId(timeMicros, clientId, 0)
        : null;
  }
}
