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

/** Creates event loops: epoll on Linux, NIO elsewhere. */
public final class EventLoops {
  private EventLoops() {}

  /**
   * Creates a group of event loops. The caller shuts it down.
   *
   * @param threads the number of threads, at least 1
   * @param name the prefix of the threads' names
   */
  public static EventLoopGroup create(int threads, String name) {
    return create(threads, name, DefaultSelectStrategyFactory.INSTANCE);
  }

  /**
   * Creates a group of event loops. In each turn, {@code waiting} decides whether a loop sleeps
   * until the next event.
   */
  public static EventLoopGroup create(int threads, String name, SelectStrategyFactory waiting) {
    IoHandlerFactory io =
        Epoll.isAvailable()
            ? EpollIoHandler.newFactory(0, waiting)
            : NioIoHandler.newFactory(SelectorProvider.provider(), waiting);
    return new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory(name, true), io);
  }

  /** The class of connections that the group's loops serve. */
  public static Class<? extends Channel> socketChannel(EventLoopGroup group) {
    return isEpoll(group) ? EpollSocketChannel.class : NioSocketChannel.class;
  }

  /** The class of listening sockets that the group's loops serve. */
  public static Class<? extends ServerChannel> serverChannel(EventLoopGroup group) {
    return isEpoll(group) ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
  }

  private static boolean isEpoll(EventLoopGroup group) {
    return group instanceof IoEventLoopGroup io && io.isIoType(EpollIoHandler.class);
  }
}
