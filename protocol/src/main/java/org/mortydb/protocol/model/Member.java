package org.mortydb.protocol.model;

/**
 * A server that has joined a cluster after its first map (docs/protocol.md, section 15). The
 * configuration does not have it, so the maps say where it is. The names of addresses are looked up
 * by those who connect.
 *
 * @param region its region, one of the configuration's
 * @param address to which others connect, as host:port
 * @param listen where the server listens, as host:port
 * @param admin the HTTP address for administrators, as host:port; empty if it has none
 */
public record Member(String region, String address, String listen, String admin) {

  /**
   * Checks the parts.
   *
   * @throws IllegalArgumentException if one is too long, or has other characters than printable
   *     ASCII without spaces, or if one but the last is empty
   */
  public Member {
    check("region", region);
    check("address", address);
    check("address where it listens", listen);
    if (!admin.isEmpty()) {
      check("admin address", admin);
    }
  }

  /** A server that listens where others connect, without an admin address. */
  public Member(String region, String address) {
    this(region, address, address, "");
  }

  private static void check(String what, String text) {
    if (!isText(text)) {
      throw new IllegalArgumentException(
          "the " + what + " of a server is '" + text + "': it must be short, and without spaces");
    }
  }

  /** Whether a text is a name or an address: short, of printable ASCII without spaces. */
  static boolean isText(String text) {
    return !text.isEmpty()
        && text.length() <= Limits.MAX_SERVER_NAME_BYTES
        && text.chars().allMatch(c -> c > ' ' && c <= '~');
  }
}
