package org.mortydb.transport;

import io.netty.channel.Channel;
import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SelectStrategyFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.nio.channels.spi.SelectorProvider;

/** Makes event loops: on Linux over epoll, elsewhere over NIO. */
public final class EventLoops {
  private EventLoops() {}

  /**
   * A group of event loops. Whoever makes it shuts it down.
   *
   * @param threads how many, at least 1
   * @param name what their threads' names begin with
   */
  public static EventLoopGroup create(int threads, String name) {
    return create(threads, name, DefaultSelectStrategyFactory.INSTANCE);
  }

  /** The same; {@code waiting} decides in each turn whether a loop sleeps until something comes. */
  public static EventLoopGroup create(int threads, String name, SelectStrategyFactory waiting) {
    IoHandlerFactory io =
        Epoll.isAvailable()
            ? EpollIoHandler.newFactory(0, waiting)
            : NioIoHandler.newFactory(SelectorProvider.provider(), waiting);
    return new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory(name, true), io);
  }

  /** The class of connections that the loops of a group serve. */
  public static Class<? extends Channel> socketChannel(EventLoopGroup group) {
    return isEpoll(group) ? EpollSocketChannel.class : NioSocketChannel.class;
  }

  /** The class of what listens for connections on the loops of a group. */
  public static Class<? extends ServerChannel> serverChannel(EventLoopGroup group) {
    return isEpoll(group) ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
  }

  private static boolean isEpoll(EventLoopGroup group) {
    return group instanceof IoEventLoopGroup io && io.isIoType(EpollIoHandler.class);
  }
}
