package org.mortydb.transport;

import io.netty.channel.EventLoop;
import org.mortydb.config.DelayMatrix;
import org.mortydb.config.LinkOptions;

/** Connects to servers, and connects again whenever a connection is lost. */
public final class TransportClient {
  private TransportClient() {}

  /**
   * Makes a link to a server. It is down at first; the listener hears when it is up. It lives until
   * it is closed. May be called by any thread.
   *
   * @param loop where the link lives
   * @param server the name that the server must have
   * @param host name or address of the server's host
   * @param port its port
   * @param self what to tell the server
   * @param listener is called on {@code loop} only
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
    Dialer dialer = new Dialer(link, handshake, host, port, options);
    loop.execute(dialer::start);
    return link;
  }
}
