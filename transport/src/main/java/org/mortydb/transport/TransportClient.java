package org.mortydb.transport;

import io.netty.channel.EventLoop;
import org.mortydb.config.DelayMatrix;
import org.mortydb.config.LinkOptions;

/** Connects to servers, and reconnects whenever a connection is lost. */
public final class TransportClient {
  private TransportClient() {}

  /**
   * Creates a link to a server. The link is down at first, calls the listener when it is up, and
   * lives until it is closed. Any thread may call this method.
   *
   * @param loop the link's event loop
   * @param server the name that the server must have
   * @param host name or address of the server's host
   * @param port the server's port
   * @param self this process, as it introduces itself
   * @param listener called on {@code loop} only
   */
  public static Link connect(
      EventLoop loop,
      String server,
      String host,
      int port,
      LocalProcess self,
      LinkOptions options,
      DelayMatrix delays,
      LinkListener listener) {
    return connect(loop, server, host, port, self, options, delays, listener, HostNames.SYSTEM);
  }

  /** The same with another way to look up names. */
  static Link connect(
      EventLoop loop,
      String server,
      String host,
      int port,
      LocalProcess self,
      LinkOptions options,
      DelayMatrix delays,
      LinkListener listener,
      HostNames.Resolver names) {
    ChannelLink link = new ChannelLink(loop, self, options, delays, listener);
    Handshake handshake =
        new Handshake(
            self,
            true,
            (peer, identity) ->
                peer instanceof PeerInfo.Server(String name, String region) && name.equals(server)
                    ? null
                    : "server '"
                        + server
                        + "' was expected at "
                        + host
                        + ":"
                        + port
                        + ", "
                        + peer
                        + " answers there: check addresses and configuration files");
    Dialer dialer = new Dialer(link, handshake, host, port, options, names);
    loop.execute(dialer::start);
    return link;
  }
}
