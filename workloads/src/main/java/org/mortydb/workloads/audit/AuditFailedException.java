package org.mortydb.workloads.audit;

import java.io.Serial;

/** Records cannot be audited, because the transaction that reads them does not commit. */
public final class AuditFailedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  AuditFailedException(String message) {
    super(message);
  }
}
