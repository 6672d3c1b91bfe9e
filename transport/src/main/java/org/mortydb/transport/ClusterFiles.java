package org.mortydb.transport;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.Address;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.DelayMatrix;
import org.mortydb.config.InvalidConfigException;
import org.mortydb.config.LinkOptions;
import org.mortydb.config.RememberedCluster;
import org.mortydb.config.SeedFile;
import org.mortydb.config.ServerSpec;
import org.mortydb.config.TlsFiles;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.system.Morty;
import org.mortydb.transport.tls.ConfiguredTls;
import org.mortydb.transport.tls.Tls;
import org.mortydb.wire.WireFormat;

/**
 * Reads the file of a cluster. If the file names a few servers instead of describing the cluster,
 * asks them for the rest.
 *
 * <p>With TLS the answer comes from a server of the cluster, by its certificate. Without TLS it
 * comes from whoever listens there. The process connects to the other servers with the answer, and
 * they refuse it if they believe otherwise.
 */
public final class ClusterFiles {
  /** How long a client asks servers that do not answer. */
  public static final Duration PATIENCE_OF_CLIENTS = Duration.ofSeconds(10);

  /** How long a client that has the whole file asks who has joined and left. */
  private static final Duration PATIENCE_WITH_FILE = Duration.ofSeconds(3);

  /** How long a server asks that remembers what it was told: all may be starting, too. */
  private static final Duration PATIENCE_WITH_MEMORY = Duration.ofSeconds(5);

  private static final int MOST_REMEMBERED = 32;

  /** How long a server does so: others may be starting, too. */
  public static final Duration PATIENCE_OF_SERVERS = Duration.ofMinutes(1);

  /**
   * What came of asking one of the seeds.
   *
   * @param by the server that answered; null if none did
   * @param reply its answer; null exactly if there is a problem
   */
  private record Told(
      Address seed,
      PeerInfo.@Nullable Server by,
      @Nullable Reply reply,
      @Nullable LinkFailure problem) {

    /** Whether asking again is in vain. */
    boolean isFinal() {
      return problem == null || problem.kind() == LinkFailure.Kind.REFUSED;
    }

    String why() {
      return problem != null
          ? problem.detail()
          : reply instanceof Reply.Refused(String reason) ? reason : "it gave another answer";
    }
  }

  private ClusterFiles() {}

  /**
   * Reads the file for a client. May block while it asks servers.
   *
   * @param tls the client's certificate and key; null for those that the file names
   * @throws SeedsUnreachableException when none of the servers in the file tells the layout
   * @throws IOException when the file cannot be read, or the credentials cannot be used
   * @throws InvalidConfigException when the file is invalid, or contradicts the layout
   */
  public static ClusterConfig forClient(Path file, @Nullable TlsFiles tls)
      throws IOException, InvalidConfigException {
    SeedFile seeds = SeedFile.of(file);
    if (seeds != null) {
      return ask(
          file,
          seeds,
          new PeerInfo.Newcomer(""),
          ConfiguredTls.ofClient(seeds.security(), tls),
          PATIENCE_OF_CLIENTS);
    }
    ClusterConfig config = ClusterConfig.load(file);
    return config.changes() ? withMembers(config, tls) : config;
  }

  /**
   * Servers may have joined and left since the file was written, so one of them is asked. If none
   * answers, the file has to do: whoever connects says why it cannot.
   */
  private static ClusterConfig withMembers(ClusterConfig config, @Nullable TlsFiles tls)
      throws IOException, InvalidConfigException {
    List<Address> addresses =
        config.firstServers().stream().map(one -> new Address(one.host(), one.port())).toList();
    Told told =
        firstTold(
            config.name(),
            addresses,
            config.linkOptions(),
            new PeerInfo.Newcomer(""),
            ConfiguredTls.ofClient(config.security(), tls),
            PATIENCE_WITH_FILE,
            new LinkedHashMap<>());
    return told != null && told.reply instanceof Reply.Shared(String settings) && told.by != null
        ? config.withMembers(settings, told.by + " at " + told.seed)
        : config;
  }

  /**
   * Reads the file for a server. May block while it asks other servers.
   *
   * @param name the server's name
   * @throws SeedsUnreachableException when none of the servers in the file tells the layout
   * @throws IOException when the file cannot be read, or the credentials cannot be used
   * @throws InvalidConfigException when the file is invalid, or contradicts the layout
   */
  public static ClusterConfig forServer(Path file, String name)
      throws IOException, InvalidConfigException {
    SeedFile seeds = SeedFile.of(file);
    return seeds == null
        ? ClusterConfig.load(file)
        : ask(
            file,
            seeds,
            RememberedCluster.read(seeds, name),
            new PeerInfo.Newcomer(name),
            ConfiguredTls.ofServer(seeds.security(), name),
            PATIENCE_OF_SERVERS);
  }

  /** Asks all seeds at once, again and again, until one tells the layout. */
  static ClusterConfig ask(
      Path file, SeedFile seeds, PeerInfo.Newcomer self, @Nullable Tls tls, Duration patience)
      throws IOException, InvalidConfigException {
    return ask(file, seeds, null, self, tls, patience);
  }

  /**
   * The same for a server that may have been told before. It asks those that it knows as well, and
   * starts with what it remembers if nobody answers soon.
   */
  private static ClusterConfig ask(
      Path file,
      SeedFile seeds,
      @Nullable ClusterConfig remembered,
      PeerInfo.Newcomer self,
      @Nullable Tls tls,
      Duration patience)
      throws IOException, InvalidConfigException {
    Map<Address, String> problems = new LinkedHashMap<>();
    Set<Address> whom = new LinkedHashSet<>(seeds.seeds());
    if (remembered != null) {
      remembered.servers().stream()
          .filter(server -> !server.name().equals(self.server()))
          .limit(MOST_REMEMBERED)
          .forEach(server -> whom.add(new Address(server.host(), server.port())));
    }
    Told told =
        firstTold(
            seeds.cluster(),
            List.copyOf(whom),
            seeds.linkOptions(),
            self,
            tls,
            remembered == null ? patience : PATIENCE_WITH_MEMORY,
            problems);
    if (told == null && remembered != null) {
      return remembered;
    }
    if (told == null || told.by == null || !(told.reply instanceof Reply.Shared(String settings))) {
      throw nobody(file, seeds, problems);
    }
    return checked(seeds, settings, told.by, told.seed);
  }

  /**
   * Asks servers for the layout, all at once, again and again.
   *
   * @param problems gets the problem of each server that has not answered
   * @return the first answer; null if there is none in time
   */
  private static @Nullable Told firstTold(
      String cluster,
      List<Address> addresses,
      LinkOptions links,
      PeerInfo.Newcomer self,
      @Nullable Tls tls,
      Duration patience,
      Map<Address, String> problems)
      throws IOException {
    EventLoopGroup group = EventLoops.create(1, "morty-seeds");
    try {
      BlockingQueue<Told> answers = new LinkedBlockingQueue<>();
      LocalProcess process = new LocalProcess(cluster, new WireFormat(Morty.SYSTEM), self, tls);
      for (Address seed : addresses) {
        connect(group.next(), seed, process, links, answers);
      }
      addresses.forEach(seed -> problems.put(seed, "no answer in time"));
      long deadlineNanos = System.nanoTime() + patience.toNanos();
      Set<Address> refused = new HashSet<>();
      while (true) {
        Told told = answers.poll(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
        if (told == null || (told.reply instanceof Reply.Shared && told.by != null)) {
          return told;
        }
        problems.put(told.seed, told.why());
        if (told.isFinal()) {
          refused.add(told.seed);
        } else {
          refused.remove(told.seed);
        }
        if (refused.containsAll(addresses)) {
          return null;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while servers were asked for the layout", e);
    } finally {
      var _ = group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
  }

  private static IOException nobody(Path file, SeedFile seeds, Map<Address, String> problems) {
    StringBuilder text = new StringBuilder("no server in cluster.seeds of ");
    text.append(file).append(" told the layout of cluster '").append(seeds.cluster()).append("':");
    problems.forEach(
        (seed, problem) -> text.append("\n  ").append(seed).append(": ").append(problem));
    return new SeedsUnreachableException(
        text.append("\nname servers that run, or give this process the whole configuration file")
            .toString());
  }

  private static void connect(
      EventLoop loop,
      Address seed,
      LocalProcess process,
      LinkOptions options,
      BlockingQueue<Told> answers) {
    ChannelLink link =
        new ChannelLink(loop, process, options, DelayMatrix.NONE, new Asker(seed, answers));
    Handshake handshake =
        new Handshake(
            process,
            true,
            (peer, identity) ->
                peer instanceof PeerInfo.Server
                    ? null
                    : "a server was expected at " + seed + ", " + peer + " answers there");
    Dialer dialer =
        new Dialer(link, handshake, seed.host(), seed.port(), options, HostNames.SYSTEM);
    loop.execute(dialer::start);
  }

  /** Asks for the layout as soon as the link is up. */
  private record Asker(Address seed, BlockingQueue<Told> answers) implements LinkListener {
    @Override
    public void onUp(Link link, PeerInfo peer) {
      var _ =
          link.ask(new Question.AskLayout())
              .whenComplete(
                  (reply, failure) ->
                      answers.add(
                          new Told(
                              seed,
                              (PeerInfo.Server) peer,
                              reply,
                              failure == null
                                  ? null
                                  : new LinkFailure(
                                      LinkFailure.Kind.LOST,
                                      String.valueOf(failure.getMessage())))));
    }

    @Override
    public void onMessage(Link link, Endpoint from, Endpoint to, Message message) {}

    @Override
    public void onBatchEnd(Link link) {}

    @Override
    public void onDown(Link link, LinkFailure reason) {}

    @Override
    public void onConnectFailed(Link link, LinkFailure reason) {
      answers.add(new Told(seed, null, null, reason));
    }
  }

  /** Completes the file by what a server has told, which must have itself in it. */
  private static ClusterConfig checked(
      SeedFile seeds, String settings, PeerInfo.Server by, Address seed)
      throws IOException, InvalidConfigException {
    String from = by + " at " + seed;
    ClusterConfig config = seeds.complete(settings, from);
    ServerSpec spec = config.server(by.name());
    boolean inIt = spec != null && spec.region().equals(by.region());
    if (!config.name().equals(seeds.cluster()) || !inIt) {
      throw new IOException(
          "what "
              + from
              + " told of cluster '"
              + seeds.cluster()
              + "' describes cluster '"
              + config.name()
              + (inIt ? "'" : "', in which that server is not in region '" + by.region() + "'")
              + ": check the address, and the configuration of that server");
    }
    return config;
  }
}
