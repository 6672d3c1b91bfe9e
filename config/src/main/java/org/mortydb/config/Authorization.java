package org.mortydb.config;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rights of clients. Immutable.
 *
 * @param byName the rights of clients by the names in their certificates
 * @param others the right of all other clients
 */
public record Authorization(Map<String, Right> byName, Right others) {

  /** Copies the map. */
  public Authorization {
    byName = Map.copyOf(byName);
  }

  /**
   * Returns the right of a client.
   *
   * @param identity the identity in its certificate; null without TLS, where everything is allowed
   */
  public Right of(@Nullable Identity identity) {
    if (identity == null) {
      return Right.ADMIN;
    }
    return byName.getOrDefault(identity.name(), others);
  }
}
