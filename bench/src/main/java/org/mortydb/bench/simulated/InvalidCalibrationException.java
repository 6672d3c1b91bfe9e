package org.mortydb.bench.simulated;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** A calibration cannot be read, or lacks costs that a simulation needs. */
public final class InvalidCalibrationException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  InvalidCalibrationException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
