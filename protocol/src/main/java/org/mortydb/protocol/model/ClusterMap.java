package org.mortydb.protocol.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.table.ByteCursor;

/**
 * Which partition holds each bucket, and which servers replicate each partition, for the
 * transactions above a cut of the serial order (docs/protocol.md, section 15). A transaction lives
 * under one map, which its timestamp determines, so its partitions never change. Immutable.
 */
public final class ClusterMap {
  /** The most servers that join and leave a cluster. */
  private static final int MOST_SERVERS = 2_000;

  private final int number;
  private final int before;
  private final long cutMicros;
  private final int f;
  private final SortedMap<Integer, List<String>> servers;
  private final SortedMap<String, Member> joined;
  private final SortedSet<String> left;

  /**
   * The runs of buckets that lie in one partition, as long as can be: the first bucket after each
   * run, ascending. Peers send maps, and a short message must not fill much memory.
   */
  private final char[] ends;

  /** The partition of each run. */
  private final char[] owners;

  /** The partition, if there is only one; otherwise -1. */
  private final int only;

  /**
   * A map.
   *
   * @param number of the map, 0 for the first one; a later map has a higher number
   * @param before the number of the map that it follows; 0 for the first one
   * @param cutMicros the time of the cut: the map holds for transactions of later times, up to the
   *     cut of the next map; 0 for the first map
   * @param f failures tolerated in each partition, 1 or more
   * @param servers the servers of each partition, one for each replica, in the order of their
   *     indices; 2f+1 different names for each, of printable ASCII characters without spaces
   * @param partitions the partition of each of the {@link Bucket#COUNT} buckets
   * @throws IllegalArgumentException when an argument is out of its range, or a partition has no
   *     bucket or no servers
   */
  public ClusterMap(
      int number,
      int before,
      long cutMicros,
      int f,
      Map<Integer, List<String>> servers,
      int[] partitions) {
    this(
        number,
        before,
        cutMicros,
        f,
        servers,
        Collections.emptyMap(),
        Collections.emptySet(),
        Runs.of(partitions));
  }

  private ClusterMap(
      int number,
      int before,
      long cutMicros,
      int f,
      Map<Integer, List<String>> servers,
      Map<String, Member> joined,
      Set<String> left,
      Runs runs) {
    Limits.checkNumber("map", number);
    if (before < 0 || (number == 0 ? before != 0 : before >= number)) {
      throw new IllegalArgumentException("map " + number + " cannot follow map " + before);
    }
    if (cutMicros < 0 || cutMicros > Limits.MAX_TIME_MICROS || (number == 0) != (cutMicros == 0)) {
      throw new IllegalArgumentException("map " + number + " has the cut " + cutMicros);
    }
    if (f < 1 || f > Limits.MAX_F) {
      throw new IllegalArgumentException("f must be from 1 to " + Limits.MAX_F + ", is " + f);
    }
    TreeMap<Integer, List<String>> copied = new TreeMap<>();
    servers.forEach(
        (partition, names) -> {
          if (partition < 0
              || partition >= Limits.MAX_PARTITIONS
              || names.size() != 2 * f + 1
              || names.stream().anyMatch(ClusterMap::isNoName)
              || new HashSet<>(names).size() != names.size()) {
            throw new IllegalArgumentException(
                "partition " + partition + " has the servers " + names + ", with f = " + f);
          }
          copied.put(partition, List.copyOf(names));
        });
    this.joined = Collections.unmodifiableSortedMap(new TreeMap<>(joined));
    this.left = Collections.unmodifiableSortedSet(new TreeSet<>(left));
    checkServers(number, copied);
    ends = runs.ends();
    owners = runs.owners();
    BitSet used = new BitSet();
    for (int run = 0; run < owners.length; run++) {
      if (!copied.containsKey((int) owners[run])) {
        throw new IllegalArgumentException(
            "bucket "
                + (run == 0 ? 0 : (int) ends[run - 1])
                + " is in partition "
                + (int) owners[run]
                + ", which has no servers");
      }
      used.set(owners[run]);
    }
    if (used.cardinality() != copied.size()) {
      throw new IllegalArgumentException(
          "of the partitions " + copied.keySet() + ", only " + used + " have buckets");
    }
    this.number = number;
    this.before = before;
    this.cutMicros = cutMicros;
    this.f = f;
    this.servers = Collections.unmodifiableSortedMap(copied);
    this.only = copied.size() == 1 ? copied.firstKey() : -1;
  }

  private void checkServers(int ofNumber, SortedMap<Integer, List<String>> partitions) {
    if (joined.size() + left.size() > (ofNumber == 0 ? 0 : MOST_SERVERS)) {
      throw new IllegalArgumentException(
          "map " + ofNumber + " has " + (joined.size() + left.size()) + " servers too many");
    }
    for (String name : joined.keySet()) {
      if (isNoName(name) || left.contains(name)) {
        throw new IllegalArgumentException(
            "server '" + name + "' has no name, or has left as well");
      }
    }
    for (String name : left) {
      if (isNoName(name) || partitions.values().stream().anyMatch(group -> group.contains(name))) {
        throw new IllegalArgumentException("server '" + name + "' has left, and holds a partition");
      }
    }
  }

  /** The runs of buckets that lie in one partition: where each ends, and its partition. */
  private record Runs(char[] ends, char[] owners) {
    static Runs of(int[] partitions) {
      if (partitions.length != Bucket.COUNT) {
        throw new IllegalArgumentException(
            "a map has " + Bucket.COUNT + " buckets, not " + partitions.length);
      }
      Collector runs = new Collector();
      for (int partition : partitions) {
        runs.add(1, partition);
      }
      return runs.runs();
    }
  }

  /** Collects runs, which grow with what is added. */
  private static final class Collector {
    private char[] ends = new char[4];
    private char[] owners = new char[4];
    private int count;
    private int bucket;

    void add(int length, int partition) {
      if (length < 1 || length > Bucket.COUNT - bucket) {
        throw new IllegalArgumentException("a map has a run of " + length + " buckets");
      }
      if (partition < 0 || partition >= Limits.MAX_PARTITIONS) {
        throw new IllegalArgumentException(
            "bucket " + bucket + " is in partition " + partition + ", which has no servers");
      }
      bucket += length;
      if (count == 0 || owners[count - 1] != partition) {
        if (count == ends.length) {
          ends = Arrays.copyOf(ends, 2 * count);
          owners = Arrays.copyOf(owners, 2 * count);
        }
        owners[count++] = (char) partition;
      }
      ends[count - 1] = (char) bucket;
    }

    boolean isFull() {
      return bucket == Bucket.COUNT;
    }

    Runs runs() {
      return new Runs(Arrays.copyOf(ends, count), Arrays.copyOf(owners, count));
    }
  }

  private static boolean isNoName(String name) {
    return !Member.isText(name);
  }

  /**
   * The first map of a cluster, in which each partition holds as many buckets as any other, or one
   * more. The names of its servers are the indices of replicas.
   *
   * @param f failures tolerated in each partition, 1 or more
   * @param count of partitions, from 1 to {@link Limits#MAX_PARTITIONS}
   */
  public static ClusterMap first(int f, int count) {
    ArrayList<String> names = new ArrayList<>();
    for (int i = 0; i <= 2 * f; i++) {
      names.add(Integer.toString(i));
    }
    return first(f, Collections.nCopies(count, names));
  }

  /**
   * The first map of a cluster, as above, with the names of servers.
   *
   * @param placement the servers of each partition, by the indices of its replicas
   */
  public static ClusterMap first(int f, List<List<String>> placement) {
    TreeMap<Integer, List<String>> servers = new TreeMap<>();
    for (int partition = 0; partition < placement.size(); partition++) {
      servers.put(partition, placement.get(partition));
    }
    int[] partitions = new int[Bucket.COUNT];
    Arrays.setAll(partitions, bucket -> Bucket.partition(bucket, placement.size()));
    return new ClusterMap(0, 0, 0, f, servers, partitions);
  }

  /** The number of the map. */
  public int number() {
    return number;
  }

  /** The number of the map that it follows; 0 for the first map. */
  public int before() {
    return before;
  }

  /** The time of the cut; 0 for the first map. */
  public long cutMicros() {
    return cutMicros;
  }

  /**
   * The cut: the map holds for transactions above it. It is the highest place of its time, and
   * belongs to no transaction.
   */
  public TxnId cut() {
    return number == 0 ? TxnId.INITIAL : new TxnId(cutMicros, Long.MAX_VALUE, 0);
  }

  /** The number of failures tolerated in each partition. */
  public int f() {
    return f;
  }

  /** The servers of each partition, by the indices of its replicas. The keys ascend. */
  public SortedMap<Integer, List<String>> servers() {
    return servers;
  }

  /** The servers that have joined after the first map, by name. The configuration lacks them. */
  public SortedMap<String, Member> joined() {
    return joined;
  }

  /** The names of servers that have left, of the configuration or not. */
  public SortedSet<String> left() {
    return left;
  }

  /** Whether the map has a partition. */
  public boolean has(int partition) {
    return servers.containsKey(partition);
  }

  /** The partition of a bucket, from 0 to {@link Bucket#COUNT} - 1. */
  public int partitionOf(int bucket) {
    Objects.checkIndex(bucket, Bucket.COUNT);
    int at = Arrays.binarySearch(ends, (char) (bucket + 1));
    return owners[at < 0 ? -at - 1 : at];
  }

  /** The partition that holds a key. */
  public int partitionOf(Key key) {
    return only >= 0 ? only : partitionOf(Bucket.of(key));
  }

  /** Whether a partition may hold keys of a range. */
  public boolean mayHold(int partition, KeyRange range) {
    int bucket = Bucket.of(range);
    return bucket == Bucket.SEVERAL ? has(partition) : partitionOf(bucket) == partition;
  }

  /**
   * The map that follows this one when buckets move. All other buckets stay where they are.
   *
   * @param nextNumber the number of the next map
   * @param nextCutMicros the time of its cut
   * @param nextF failures tolerated in each of its partitions; if it is another f than that of this
   *     map, all buckets have to move
   * @param moved for each new partition its servers
   * @param to the new partition of each bucket that moves
   * @throws IllegalArgumentException if that is no map, or does not follow this one
   */
  public ClusterMap moved(
      int nextNumber,
      long nextCutMicros,
      int nextF,
      Map<Integer, List<String>> moved,
      Map<Integer, Integer> to) {
    int[] next = new int[Bucket.COUNT];
    Arrays.setAll(next, bucket -> to.getOrDefault(bucket, partitionOf(bucket)));
    BitSet used = new BitSet();
    Arrays.stream(next).forEach(used::set);
    TreeMap<Integer, List<String>> nextServers = new TreeMap<>();
    servers.forEach(
        (partition, names) -> {
          if (used.get(partition)) {
            nextServers.put(partition, names);
          }
        });
    nextServers.putAll(moved);
    return follows(
        new ClusterMap(
            nextNumber, number, nextCutMicros, nextF, nextServers, joined, left, Runs.of(next)));
  }

  private ClusterMap follows(ClusterMap next) {
    String why = next.whyNotAfter(this);
    if (why != null) {
      throw new IllegalArgumentException(why);
    }
    return next;
  }

  /**
   * The map that follows this one when a server joins or leaves. No bucket moves.
   *
   * @param nextNumber the number of the next map
   * @param nextCutMicros the time of its cut
   * @param name of the server
   * @param member the server that joins; null if it leaves
   * @throws IllegalArgumentException if that is no map, such as when the server holds a partition
   */
  public ClusterMap withServer(
      int nextNumber, long nextCutMicros, String name, @Nullable Member member) {
    TreeMap<String, Member> nextJoined = new TreeMap<>(joined);
    TreeSet<String> nextLeft = new TreeSet<>(left);
    nextJoined.remove(name);
    nextLeft.remove(name);
    if (member == null) {
      nextLeft.add(name);
    } else {
      nextJoined.put(name, member);
    }
    return follows(
        new ClusterMap(
            nextNumber,
            number,
            nextCutMicros,
            f,
            servers,
            nextJoined,
            nextLeft,
            new Runs(ends, owners)));
  }

  /**
   * Why this map cannot follow another one; null if it can. Buckets that move go to partitions that
   * the other map does not have. A partition of both maps has the same replicas in both.
   */
  public @Nullable String whyNotAfter(ClusterMap other) {
    if (number <= other.number || before != other.number || cutMicros <= other.cutMicros) {
      return "map " + number + " does not follow map " + other.number;
    }
    for (int bucket = 0; bucket < Bucket.COUNT; bucket = nextEnd(other, bucket)) {
      int partition = partitionOf(bucket);
      if (partition != other.partitionOf(bucket) && other.has(partition)) {
        return "bucket " + bucket + " moves to partition " + partition + ", which is not new";
      }
    }
    for (Map.Entry<Integer, List<String>> partition : servers.entrySet()) {
      List<String> earlier = other.servers.get(partition.getKey());
      if (earlier != null && !earlier.equals(partition.getValue())) {
        return "partition " + partition.getKey() + " gets other servers, and the same number";
      }
    }
    return null;
  }

  /** The first bucket above another one that lies in another run here or in another map. */
  private int nextEnd(ClusterMap other, int bucket) {
    return Math.min(endAfter(bucket), other.endAfter(bucket));
  }

  private int endAfter(int bucket) {
    int at = Arrays.binarySearch(ends, (char) (bucket + 1));
    return ends[at < 0 ? -at - 1 : at];
  }

  /** The partitions of an earlier map from which a partition gets its buckets, ascending. */
  public BitSet sourcesOf(int partition, ClusterMap earlier) {
    BitSet sources = new BitSet();
    for (int bucket = 0; bucket < Bucket.COUNT; bucket = nextEnd(earlier, bucket)) {
      if (partitionOf(bucket) == partition) {
        sources.set(earlier.partitionOf(bucket));
      }
    }
    return sources;
  }

  /** The share, from 0 to 1, of an earlier map's partition's buckets that have left it here. */
  public double shareThatLeaves(int partition, ClusterMap earlier) {
    int all = 0;
    int leave = 0;
    for (int bucket = 0; bucket < Bucket.COUNT; ) {
      int next = nextEnd(earlier, bucket);
      if (earlier.partitionOf(bucket) == partition) {
        all += next - bucket;
        leave += partitionOf(bucket) == partition ? 0 : next - bucket;
      }
      bucket = next;
    }
    return all == 0 ? 0 : (double) leave / all;
  }

  /** The partitions of an earlier map that lose buckets to this one, ascending. */
  public BitSet sources(ClusterMap earlier) {
    BitSet sources = new BitSet();
    for (int bucket = 0; bucket < Bucket.COUNT; bucket = nextEnd(earlier, bucket)) {
      if (partitionOf(bucket) != earlier.partitionOf(bucket)) {
        sources.set(earlier.partitionOf(bucket));
      }
    }
    return sources;
  }

  /** The partitions of this map that an earlier one does not have, ascending. */
  public BitSet destinations(ClusterMap earlier) {
    BitSet destinations = new BitSet();
    servers.keySet().stream().filter(one -> !earlier.has(one)).forEach(destinations::set);
    return destinations;
  }

  /** How many bytes {@link #write} writes. */
  public long storedBytes() {
    return bytes().length;
  }

  /** The map in bytes; {@link #of} reads them. */
  public byte[] bytes() {
    ByteCursor bytes = new ByteCursor();
    write(bytes);
    return Arrays.copyOf(bytes.bytes(), bytes.at());
  }

  /**
   * Reads bytes that hold a map, and nothing else.
   *
   * @throws IllegalArgumentException if they do not
   */
  public static ClusterMap of(byte[] bytes) {
    ByteCursor cursor = new ByteCursor(bytes, 0);
    ClusterMap map = read(cursor);
    if (cursor.at() != bytes.length) {
      throw new IllegalArgumentException("a map of the cluster has more bytes than it should");
    }
    return map;
  }

  /** Writes the map; {@link #read} reads it. */
  public void write(ByteCursor to) {
    to.writeInt(number);
    to.writeInt(before);
    to.writeLong(cutMicros);
    to.writeInt(f);
    to.writeInt(servers.size());
    servers.forEach(
        (partition, names) -> {
          to.writeInt(partition);
          names.forEach(name -> write(name, to));
        });
    for (int run = 0; run < ends.length; run++) {
      to.writeInt(ends[run] - (run == 0 ? 0 : ends[run - 1]));
      to.writeInt(owners[run]);
    }
    to.writeInt(joined.size());
    joined.forEach(
        (name, member) -> {
          write(name, to);
          write(member.region(), to);
          write(member.address(), to);
          write(member.listen(), to);
          write(member.admin(), to);
        });
    to.writeInt(left.size());
    left.forEach(name -> write(name, to));
  }

  private static void write(String text, ByteCursor to) {
    to.writeByte(text.length());
    text.chars().forEach(to::writeByte);
  }

  private static String readText(ByteCursor from) {
    StringBuilder text = new StringBuilder();
    for (int length = from.readByte(); length > 0; length--) {
      text.append((char) from.readByte());
    }
    return text.toString();
  }

  /** How many servers follow. */
  private static int readServers(ByteCursor from) {
    int count = from.readInt();
    if (count < 0 || count > MOST_SERVERS) {
      throw new IllegalArgumentException("a map names " + count + " servers, beyond the limit");
    }
    return count;
  }

  /**
   * Reads a map.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static ClusterMap read(ByteCursor from) {
    try {
      int number = from.readInt();
      int before = from.readInt();
      long cutMicros = from.readLong();
      int f = from.readInt();
      int count = from.readInt();
      if (f < 1 || f > Limits.MAX_F || count < 1 || count > Limits.MAX_PARTITIONS) {
        throw new IllegalArgumentException(
            "a map has f = " + f + " and " + count + " partitions, beyond the limits");
      }
      TreeMap<Integer, List<String>> servers = new TreeMap<>();
      for (int i = 0; i < count; i++) {
        int partition = from.readInt();
        ArrayList<String> names = new ArrayList<>();
        for (int index = 0; index <= 2 * f; index++) {
          names.add(readText(from));
        }
        servers.put(partition, names);
      }
      Collector runs = new Collector();
      while (!runs.isFull()) {
        runs.add(from.readInt(), from.readInt());
      }
      TreeMap<String, Member> joined = new TreeMap<>();
      for (int i = readServers(from); i > 0; i--) {
        String name = readText(from);
        joined.put(
            name, new Member(readText(from), readText(from), readText(from), readText(from)));
      }
      TreeSet<String> left = new TreeSet<>();
      for (int i = readServers(from); i > 0; i--) {
        left.add(readText(from));
      }
      if (from.at() > from.bytes().length) {
        throw new IllegalArgumentException("the bytes of a map are cut off");
      }
      return new ClusterMap(number, before, cutMicros, f, servers, joined, left, runs.runs());
    } catch (IndexOutOfBoundsException | NegativeArraySizeException e) {
      throw new IllegalArgumentException("the bytes of a map are cut off", e);
    }
  }

  /** This map with another cut. */
  public ClusterMap withCut(long newCutMicros) {
    return new ClusterMap(
        number, before, newCutMicros, f, servers, joined, left, new Runs(ends, owners));
  }

  /** Whether another map differs from this one in nothing but its cut, or not at all. */
  public boolean isButForItsCut(ClusterMap other) {
    return number == other.number
        && (number == 0 ? equals(other) : withCut(other.cutMicros).equals(other));
  }

  @Override
  public boolean equals(@Nullable Object o) {
    return o instanceof ClusterMap other
        && number == other.number
        && before == other.before
        && cutMicros == other.cutMicros
        && f == other.f
        && servers.equals(other.servers)
        && joined.equals(other.joined)
        && left.equals(other.left)
        && Arrays.equals(ends, other.ends)
        && Arrays.equals(owners, other.owners);
  }

  @Override
  public int hashCode() {
    return 31 * number + Long.hashCode(cutMicros);
  }

  /** Number, cut, and partitions with their servers and how many buckets they hold. */
  @Override
  public String toString() {
    int[] buckets = new int[servers.lastKey() + 1];
    for (int run = 0; run < ends.length; run++) {
      buckets[owners[run]] += ends[run] - (run == 0 ? 0 : ends[run - 1]);
    }
    StringBuilder text = new StringBuilder("map " + number + " above " + cutMicros + ", f " + f);
    servers.forEach(
        (partition, names) ->
            text.append(
                ", p" + partition + " with " + buckets[partition] + " buckets on " + names));
    if (!joined.isEmpty()) {
      text.append(", joined ").append(joined.keySet());
    }
    if (!left.isEmpty()) {
      text.append(", left ").append(left);
    }
    return text.toString();
  }
}
