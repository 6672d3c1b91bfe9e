package org.mortydb.cli.backup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mortydb.cli.backup.BackupException.Kind;
import org.mortydb.cli.links.ReplicaLinks;
import org.mortydb.client.ClusterUnreachableException;
import org.mortydb.client.net.ClientOptions;
import org.mortydb.client.net.ClusterChange;
import org.mortydb.client.net.MortyClient;
import org.mortydb.config.ClusterConfig;
import org.mortydb.protocol.cut.CutReader;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.storage.FileProblem;
import org.mortydb.transport.tls.InvalidCredentialsException;

/**
 * Makes a backup of a running cluster: every transaction that committed up to a cut of the serial
 * order, and no other (docs/protocol.md, section 11). No transaction waits for the backup or
 * conflicts with it. Servers may stop meanwhile if another replica of each partition holds the cut.
 */
public final class Backup {
  private static final int ATTEMPTS = 3;
  private static final long TICK_MILLIS = 250;
  private static final long ANSWER_MICROS = 2_000_000;

  /** The most parts of a partition that are read but not yet written. */
  private static final int PARTS_AHEAD = 2;

  private final ClusterConfig cluster;
  private final String region;
  private final KeyRange range;
  private final Path file;
  private final long patienceNanos;
  private final Consumer<String> progress;

  /**
   * A finished backup.
   *
   * @param file the path of the file
   * @param cluster the name of the cluster
   * @param cut the place in the serial order, as a time
   * @param cutMicros the same in microseconds since 1970
   * @param rows the number of keys with a value
   * @param bytes the size of keys and values
   * @param fileBytes the size of the file
   * @param digest SHA-256 of keys and values in their order
   * @param seconds how long the backup took
   */
  public record Summary(
      String file,
      String cluster,
      String cut,
      long cutMicros,
      long rows,
      long bytes,
      long fileBytes,
      String digest,
      double seconds) {}

  private Backup(
      ClusterConfig cluster,
      String region,
      KeyRange range,
      Path file,
      Duration patience,
      Consumer<String> progress) {
    this.cluster = cluster;
    this.region = region;
    this.range = range;
    this.file = file;
    this.patienceNanos = patience.toNanos();
    this.progress = progress;
  }

  /**
   * Makes a backup.
   *
   * @param region the region of this process; servers there are read from first
   * @param range the keys to back up
   * @param file the file to write; an existing file is replaced
   * @param patience how long nothing may arrive before the backup is given up
   * @param progress gets a line of text about the progress now and then
   * @throws BackupException when the backup cannot be made
   * @throws InvalidCredentialsException when the cluster uses TLS, and there are no credentials
   */
  public static Summary make(
      ClusterConfig cluster,
      String region,
      KeyRange range,
      Path file,
      Duration patience,
      Consumer<String> progress)
      throws InvalidCredentialsException, InterruptedException {
    if (!cluster.system().scans()) {
      throw new BackupException(
          Kind.FAILED,
          "cluster '%s' runs %s: only clusters that run morty or its variants can be backed up"
              .formatted(cluster.name(), cluster.system()));
    }
    return new Backup(cluster, region, range, file, patience, progress).make();
  }

  private Summary make() throws InvalidCredentialsException, InterruptedException {
    long startNanos = System.nanoTime();
    for (int attempt = 1; ; attempt++) {
      try (Reading reading = new Reading(maps())) {
        return write(reading, startNanos);
      } catch (OutdatedException e) {
        if (attempt == ATTEMPTS) {
          throw new BackupException(
              Kind.FAILED,
              "the map of the cluster has changed %d times while the backup was made; start again when no change is under way (morty partitions show)"
                  .formatted(ATTEMPTS),
              e);
        }
        progress.accept("the map of the cluster has changed; starting again with a later cut");
      } catch (CutLostException e) {
        if (attempt == ATTEMPTS) {
          throw new BackupException(
              Kind.FAILED,
              "partition %d has lost the cut %d times: its replicas were restarted, did not hear this command for twice server.replica.retention, or keys are written so fast that their versions at the cut were forgotten (server.replica.max-versions-per-key)"
                  .formatted(e.partition, ATTEMPTS),
              e);
        }
        progress.accept(
            "partition " + e.partition + " has lost the cut; starting again with a later cut");
      }
    }
  }

  /** The maps of the cluster, from their records. */
  private MapHistory maps() throws InterruptedException {
    if (!cluster.changes()) {
      return new MapHistory(cluster.firstMap());
    }
    try (MortyClient client = MortyClient.connect(cluster, ClientOptions.inRegion(region))) {
      return ClusterChange.show(client, Duration.ofNanos(patienceNanos)).maps();
    } catch (ClusterUnreachableException | ClusterChange.RefusedException e) {
      throw new BackupException(Kind.FAILED, String.valueOf(e.getMessage()), e);
    } catch (TimeoutException e) {
      throw new BackupException(
          Kind.FAILED, "the record of the cluster's map could not be read; see 'morty status'", e);
    }
  }

  private Summary write(Reading reading, long startNanos) throws InterruptedException {
    BackupHeader header =
        BackupHeader.of(
            cluster.name(), reading.cut.timeMicros(), hex(range.from()), hex(range.to()));
    try (BackupWriter out = new BackupWriter(file, header)) {
      PriorityQueue<Feed> heads = new PriorityQueue<>((a, b) -> a.head().compareTo(b.head()));
      for (Feed feed : reading.feeds.values()) {
        if (feed.advance(out.rows())) {
          heads.add(feed);
        }
      }
      for (Feed feed = heads.poll(); feed != null; feed = heads.poll()) {
        VersionedValue row = feed.row();
        if (row.value().isFailed()) {
          throw new BackupException(
              Kind.FAILED,
              "a merge into key %s has failed, so the key has no value that a backup can hold; put or delete the key and start again"
                  .formatted(row.key()));
        }
        if (!row.value().isAbsent()) {
          out.write(new BackupRow(row.key(), row.value(), row.version().writer()));
        }
        if (feed.advance(out.rows())) {
          heads.add(feed);
        }
      }
      String digest = out.finish();
      double seconds = (System.nanoTime() - startNanos) / 1e9;
      return new Summary(
          file.toString(),
          cluster.name(),
          header.cut(),
          header.cutMicros(),
          out.rows(),
          out.bytes(),
          Files.size(file),
          digest,
          seconds);
    } catch (IOException e) {
      throw new BackupException(
          Kind.FAILED, "the backup cannot be written to " + file + ": " + FileProblem.of(e), e);
    }
  }

  private static String hex(@Nullable Key key) {
    return key == null ? "" : HexFormat.of().formatHex(key.bytes());
  }

  private static final class CutLostException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final int partition;

    CutLostException(int partition) {
      this.partition = partition;
    }
  }

  /** The map at the cut is a later one than that of the reader. */
  private static final class OutdatedException extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  // ---- reading ------------------------------------------------------------------------------

  private record Part(List<VersionedValue> rows, boolean last) {}

  /** The rows of one partition, for the thread that merges them. */
  private static final class Feed {
    private final Reading reading;
    private final int partition;
    private final LinkedBlockingQueue<Part> parts = new LinkedBlockingQueue<>();
    private final ArrayDeque<VersionedValue> rows = new ArrayDeque<>();
    private boolean last;

    /** Parts that were delivered and not yet taken; used on the event loop. */
    private int ahead;

    Feed(Reading reading, int partition) {
      this.reading = reading;
      this.partition = partition;
    }

    Key head() {
      return rows.getFirst().key();
    }

    VersionedValue row() {
      return rows.getFirst();
    }

    /** Waits for the next row; returns false at the end. */
    boolean advance(long written) throws InterruptedException {
      rows.poll();
      while (rows.isEmpty() && !last) {
        Part part = parts.poll(TICK_MILLIS, TimeUnit.MILLISECONDS);
        reading.check(written);
        if (part != null) {
          rows.addAll(part.rows());
          last = part.last();
          reading.links.loop().execute(() -> reading.taken(this));
        }
      }
      return !rows.isEmpty();
    }
  }

  /** Reads from the cluster; lives on the event loop of its links. */
  private final class Reading implements CutReader.Host, AutoCloseable {
    final ReplicaLinks links;
    final TxnId cut;
    final Map<Integer, Feed> feeds = new LinkedHashMap<>();
    private final CutReader reader;

    // Read by the merging thread.
    private volatile @Nullable RuntimeException failure;
    private volatile long heardNanos = System.nanoTime();
    private volatile long lagMicros;
    private volatile int waiting;
    private volatile String silence = "";
    private long shownNanos;

    Reading(MapHistory maps) throws InvalidCredentialsException {
      // No replica votes beyond its clock plus the allowed skew. So every acknowledged commit is
      // below the cut, unless the local clock is behind.
      long cutMicros = nowMicros() + cluster.replicaOptions().allowedSkewMicros();
      ClusterMap map = maps.at(cutMicros);
      Topology topology =
          map.number() == 0 ? cluster.topology(region) : cluster.topology(region, map);
      if (topology == null) {
        throw new BackupException(
            Kind.FAILED, "nobody has said where the servers of " + map + " are; start again");
      }
      links = new ReplicaLinks(cluster, map, region, "morty-backup", this::received);
      cut = new TxnId(cutMicros, links.self().id(), 0);
      for (int partition : map.servers().keySet()) {
        feeds.put(partition, new Feed(this, partition));
      }
      long holdMicros = cluster.replicaOptions().holdMicros();
      reader = new CutReader(cut, range, topology, ANSWER_MICROS, holdMicros, this);
      lagMicros = cluster.replicaOptions().retentionMicros();
      waiting = feeds.size();
      var unused =
          links
              .loop()
              .scheduleAtFixedRate(this::tick, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private static long nowMicros() {
      return TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
    }

    private void tick() {
      reader.onTick(nowMicros());
      long lag = reader.lagMicros();
      if (lag != lagMicros) {
        lagMicros = lag;
        heardNanos = System.nanoTime();
      }
      waiting = reader.waiting();
      List<Integer> unheard = reader.unheard();
      silence =
          (unheard.isEmpty() ? "" : "; no replica of partitions " + unheard + " answers")
              + (links.problems().isEmpty() ? "" : "; " + links.problems());
    }

    private void received(ReplicaId from, Message message) {
      if (message instanceof Message.Refused(var txn, var reason, var clock)
          && reason == Message.Refusal.NOT_AUTHORIZED) {
        failure =
            new BackupException(
                Kind.FAILED,
                "server '%s' refuses backups by this client: grant the client the right admin (server.authorization)"
                    .formatted(links.serverOf(from).name()));
        return;
      }
      reader.onMessage(nowMicros(), from, message);
    }

    @Override
    public void send(ReplicaId to, Message message) {
      links.send(to, message);
    }

    @Override
    public void rows(int partition, List<VersionedValue> rows, boolean last) {
      heardNanos = System.nanoTime();
      Feed feed = Objects.requireNonNull(feeds.get(partition));
      feed.parts.add(new Part(rows, last));
      if (++feed.ahead < PARTS_AHEAD) {
        reader.more(nowMicros(), partition);
      }
    }

    void taken(Feed feed) {
      feed.ahead--;
      reader.more(nowMicros(), feed.partition);
    }

    @Override
    public void lost(int partition) {
      failure = new CutLostException(partition);
    }

    @Override
    public void outdated() {
      failure = new OutdatedException();
    }

    /** Shows the progress; throws when the backup cannot go on. */
    void check(long written) {
      RuntimeException failed = failure;
      if (failed != null) {
        throw failed;
      }
      long now = System.nanoTime();
      if (now - heardNanos > patienceNanos) {
        throw new BackupException(
            Kind.FAILED,
            "nothing has arrived for %d s%s; see 'morty status'"
                .formatted(TimeUnit.NANOSECONDS.toSeconds(now - heardNanos), silence));
      }
      if (now - shownNanos > TimeUnit.SECONDS.toNanos(1)) {
        shownNanos = now;
        progress.accept(
            waiting > 0
                ? String.format(
                    Locale.ROOT,
                    "waiting until all transactions up to the cut are decided: %.0f s left; %d of"
                        + " %d partitions ready%s",
                    lagMicros / 1e6,
                    feeds.size() - waiting,
                    feeds.size(),
                    silence)
                : String.format(Locale.ROOT, "%,d rows", written));
      }
    }

    @Override
    public void close() {
      links.close();
    }
  }
}
