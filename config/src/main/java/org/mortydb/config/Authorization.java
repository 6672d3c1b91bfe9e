package org.mortydb.config;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What each client may do. Immutable.
 *
 * @param byName the rights of clients by the names in their certificates
 * @param others the right of all others
 */
public record Authorization(Map<String, Right> byName, Right others) {

  /** Copies the map. */
  public Authorization {
    byName = Map.copyOf(byName);
  }

  /**
   * The right of a client.
   *
   * @param identity who it is by its certificate; null without TLS, where nobody's name is known
   *     and everything is allowed
   */
  public Right of(@Nullable Identity identity) {
    if (identity == null) {
      return Right.ADMIN;
    }
    return byName.getOrDefault(identity.name(), others);
  }
}
