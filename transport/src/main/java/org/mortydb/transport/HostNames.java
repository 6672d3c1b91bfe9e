package org.mortydb.transport;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.Security;

/** Looks up the addresses of host names. */
public final class HostNames {
  /** The JVM's settings for how many seconds it keeps answers, and failures. */
  private static final String[] CACHE_SECONDS = {
    "networkaddress.cache.ttl", "networkaddress.cache.negative.ttl"
  };

  /** Looks up the addresses of one name. May block. */
  @FunctionalInterface
  interface Resolver {
    InetAddress[] resolve(String host) throws UnknownHostException;
  }

  /** The machine's own. */
  static final Resolver SYSTEM = InetAddress::getAllByName;

  private HostNames() {}

  /**
   * Makes this JVM keep no answers of look-ups, so that a server that moves is found at once. Call
   * it before the first look-up, in a program of its own; the setting is that of the whole JVM.
   */
  public static void neverKept() {
    for (String setting : CACHE_SECONDS) {
      Security.setProperty(setting, "0");
    }
  }
}
