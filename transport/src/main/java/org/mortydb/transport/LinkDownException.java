package org.mortydb.transport;

import java.io.IOException;

/** A link went down before the peer had answered. */
public final class LinkDownException extends IOException {
  LinkDownException(LinkFailure reason) {
    super(reason.detail());
  }
}
