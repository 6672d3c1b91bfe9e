package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.WriteId;

/**
 * A table gives its keys in order, whether or not it was told that many would come, and whether or
 * not they rest.
 */
class KeyTableTest {
  private final KeyTable table = new KeyTable(RowLimits.DEFAULTS);
  private final TreeMap<Key, KeyState> model = new TreeMap<>();
  private final HashMap<Key, Integer> slots = new HashMap<>();

  private void add(Key name) {
    if (table.get(name) == null) {
      KeyState key = new KeyState(name);
      table.add(key);
      model.put(name, key);
      slots.put(name, key.slot());
    }
  }

  private void remove(Key name) {
    if (model.remove(name) != null) {
      table.remove(get(name));
      assertThat(table.get(name)).isNull();
    }
  }

  private KeyState get(Key name) {
    return Objects.requireNonNull(table.get(name));
  }

  private void assertInOrder(KeyRange range) {
    assertThat(table.from(range.from()))
        .extracting(KeyState::key)
        .isEqualTo(List.copyOf(model.tailMap(range.from(), true).keySet()));
    assertThat(table.in(range))
        .extracting(KeyState::key)
        .isEqualTo(List.copyOf(range.in(model).keySet()));
  }

  /** Keys of up to 24 bytes, many of them with a common beginning, and beginnings of others. */
  private static Key random(SplittableRandom random, int common) {
    byte[] bytes = new byte[common + random.nextInt(25 - common)];
    for (int i = common; i < bytes.length; i++) {
      bytes[i] = (byte) (random.nextInt(4) * 85);
    }
    return Key.wrap(bytes);
  }

  @Test
  void keysThatCameWhileItDeferredAreInOrder() {
    for (int seed = 0; seed < 300; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      int common = random.nextInt(12);
      List<Key> names = new ArrayList<>();
      int steps = random.nextInt(200);
      for (int i = 0; i < steps; i++) {
        switch (random.nextInt(14)) {
          case 0 -> table.defer();
          case 1 -> table.order();
          case 2 -> assertInOrder(new KeyRange(random(random, 0), null));
          case 5, 6 -> table.rest();
          case 3, 4 -> {
            if (!names.isEmpty()) {
              remove(names.get(random.nextInt(names.size())));
            }
          }
          default -> {
            names.add(random(random, common));
            add(names.getLast());
          }
        }
      }
      assertInOrder(KeyRange.ALL);
      assertThat(table.all()).extracting(KeyState::key).hasSameElementsAs(model.keySet());
      model.keySet().forEach(name -> assertThat(get(name).slot()).isEqualTo(slots.get(name)));
      names.forEach(this::remove);
      assertThat(table.size()).isZero();
      assertInOrder(KeyRange.ALL);
    }
  }

  /** Among them are many that differ only far from their beginnings, or in zeros at the end. */
  @Test
  void manyKeysThatCameWhileItDeferredAreInOrder() {
    SplittableRandom random = new SplittableRandom(3);
    table.defer();
    for (int i = 0; i < 5_000; i++) {
      byte[] bytes = new byte[i % 3 == 0 ? 9 + i % 80 : 60];
      byte[] begin = Key.of(i % 2 == 0 ? "user" : "tweet").bytes();
      System.arraycopy(begin, 0, bytes, 0, begin.length);
      for (int at = i % 5 == 0 ? 9 : bytes.length - 4; at < bytes.length && i % 4 != 0; at++) {
        bytes[at] = (byte) random.nextInt(256);
      }
      add(Key.wrap(bytes));
    }
    table.rest();
    table.order();
    assertInOrder(KeyRange.ALL);
  }

  @Test
  void aKeyThatCameBackIsThereOnce() {
    table.defer();
    add(Key.of("a"));
    remove(Key.of("a"));
    add(Key.of("b"));
    add(Key.of("a"));
    assertInOrder(KeyRange.ALL);
    assertThat(table.in(KeyRange.ALL)).hasSize(2);
  }

  // ---- rest ---------------------------------------------------------------------------------

  private static TxnId txn(int time) {
    return new TxnId(1_000L + time, -5L * time, time % 3);
  }

  /** Puts all keys to rest that may; each call to {@link KeyTable#get} delays it by one round. */
  private void rest() {
    table.rest();
    table.rest();
  }

  private static Version committed(int writer, Value value) {
    Version version = new Version(new WriteId(txn(writer), writer), value, 3);
    version.commit();
    return version;
  }

  private static List<String> stateOf(KeyState key) {
    List<String> state = new ArrayList<>();
    state.add(key.key() + " " + key.slot() + " " + key.floor());
    for (int i = 0; i < key.versions().size(); i++) {
      Version version = key.versions().get(i);
      state.add(version.id() + "=" + version.value() + " " + version.isDeletion());
    }
    for (int i = 0; i < 60; i++) {
      state.add(key.isReadPast(txn(i)) + " " + key.isReadAsAbsentPast(txn(i)));
      state.add("" + key.isRegisteredPast(txn(i)));
    }
    state.add(key.versions().committed() + " " + key.isListedIn(7) + " " + key.isPrunable());
    return state;
  }

  /** Gives a key committed versions and readers, and perhaps a floor. */
  private static void fill(KeyState key, SplittableRandom random) {
    for (int i = random.nextInt(4); i > 0; i--) {
      byte[] value = new byte[random.nextInt(300)];
      random.nextBytes(value);
      Value written = random.nextInt(4) == 0 ? Value.ABSENT : Value.wrap(value);
      key.versions().insert(committed(10 * i + random.nextInt(10), written));
    }
    for (int i = random.nextInt(4); i > 0; i--) {
      TxnId version = random.nextInt(4) == 0 ? TxnId.INITIAL : txn(random.nextInt(40));
      key.committedReads().add(version, txn(40 + random.nextInt(20)));
      TxnId registered = txn(40 + random.nextInt(20));
      key.registeredReads().add(registered, 0, version, registered);
    }
    if (random.nextInt(4) == 0) {
      key.raiseFloor(txn(random.nextInt(20)), new HeldCuts());
    }
    key.listIn(random.nextInt(9));
  }

  /** The same steps on a key that rests in between, and on one that never does. */
  @Test
  void aKeyThatHasRestedDoesWhatItWouldHaveDone() {
    for (int seed = 0; seed < 400; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Key name = Key.of("key " + seed);
      table.add(new KeyState(name));
      KeyState never = new KeyState(name);
      for (int step = 0; step < 60; step++) {
        if (random.nextInt(3) == 0) {
          rest();
          assertThat(table.awake()).isZero();
        }
        int kind = random.nextInt(15);
        int draw = random.nextInt(60);
        int other = random.nextInt(60);
        String rested = act(get(name), kind, draw, other);
        assertThat(rested)
            .as("seed %s, step %s", seed, step)
            .isEqualTo(act(never, kind, draw, other));
      }
      never.place(get(name).slot());
      assertThat(stateOf(get(name))).isEqualTo(stateOf(never));
      table.remove(get(name));
    }
  }

  /** Rows move when others go, also the row of a key that is awake. */
  @Test
  void aRowThatHasMovedIsTheSame() {
    SplittableRandom random = new SplittableRandom(7);
    Key name = Key.of("the one");
    List<KeyState> others = new ArrayList<>();
    for (int i = 0; i < 600; i++) {
      KeyState key = new KeyState(Key.of(i == 100 ? "the one" : "other " + i));
      table.add(key);
      for (int version = 1; version <= (i == 100 ? 4 : 1); version++) {
        byte[] value = new byte[i == 100 ? 50 : 7_000];
        random.nextBytes(value);
        key.versions().insert(committed(version, Value.wrap(value)));
        key.committedReads().add(txn(version), txn(version + 1));
      }
      if (i != 100) {
        others.add(key);
      }
    }
    List<String> before = stateOf(get(name));
    rest();
    KeyState one = get(name);
    for (KeyState other : others) {
      table.remove(get(other.key()));
    }
    assertThat(stateOf(one)).isEqualTo(before);
    rest();
    assertThat(stateOf(get(name))).isEqualTo(before);
  }

  private static String act(KeyState key, int kind, int draw, int other) {
    VersionChain versions = key.versions();
    return switch (kind) {
      case 0, 1, 2, 3 -> {
        int writer = draw + (kind == 0 ? 0 : 60 + 10 * versions.size()); // most are the newest
        if (versions.find(txn(writer)) == null) {
          versions.insert(
              committed(writer, other < 6 ? Value.ABSENT : Value.wrap(new byte[other])));
        }
        yield "" + versions.size();
      }
      case 4, 5 -> {
        Version newest = versions.newestBelow(txn(Integer.MAX_VALUE - 2_000));
        TxnId version = newest == null || draw < 6 ? TxnId.INITIAL : newest.writer();
        TxnId reader = txn(60 + 10 * other + draw);
        if (kind == 4) {
          key.committedReads().add(version, reader);
        } else {
          key.registeredReads().add(reader, 0, version, reader);
        }
        yield "";
      }
      case 6 -> {
        key.prune(txn(3 * draw), txn(3 * other), new HeldCuts());
        yield "" + key.isPrunable();
      }
      case 7 -> key.isReadPast(txn(10 * draw)) + " " + key.isReadAsAbsentPast(txn(10 * draw));
      case 8 -> "" + key.isRegisteredPast(txn(10 * draw));
      case 9 -> {
        Version found = versions.newestBelow(txn(10 * draw));
        yield found == null ? "none" : found.id() + "=" + found.value();
      }
      case 10 -> versions.size() == 0 ? "" : "" + versions.remove(versions.get(0).writer());
      case 11 -> versions.newestCommittedUpTo(txn(10 * draw)) + " " + versions.committed();
      case 12 -> {
        if (draw < 20) {
          versions.eraseUpTo(txn(other));
        }
        yield "" + key.hasValueAt(txn(10 * other));
      }
      case 13 -> found(versions, draw) + found(versions, 60 + draw) + found(versions, 70 + other);
      default -> {
        key.limitVersions(8, new HeldCuts());
        yield key.floor() + " " + versions.indexBelow(txn(10 * draw));
      }
    };
  }

  private static String found(VersionChain versions, int writer) {
    Version found = versions.find(txn(writer));
    return found == null
        ? "none"
        : found.id() + "=" + found.value() + found.isCommitted() + found.isDeletion();
  }

  /** Older versions stay in the row when one of them is looked for a few times. */
  @Test
  void aVersionIsFoundInTheRowOfAKeyThatWokeUp() {
    KeyState key = added("k");
    for (int i = 1; i <= 4; i++) {
      key.versions().insert(committed(10 * i, i == 2 ? Value.ABSENT : Value.of("v" + i)));
    }
    rest();
    VersionChain versions = get(key.key()).versions();
    for (int times = 0; times < 6; times++) {
      assertThat(found(versions, 10)).isEqualTo(version(10, "v1"));
      assertThat(found(versions, 20)).contains("truetrue");
      assertThat(found(versions, 25)).isEqualTo("none");
      assertThat(found(versions, 40)).isEqualTo(version(40, "v4"));
      assertThat(versions.size()).isEqualTo(4);
    }
  }

  private static String version(int writer, String value) {
    return new WriteId(txn(writer), writer) + "=" + Value.of(value) + "truefalse";
  }

  @Test
  void aKeyWakesUpAsItWas() {
    for (int seed = 0; seed < 300; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Key name = random(random, 0);
      KeyState key = new KeyState(name);
      table.add(key);
      fill(key, random);
      boolean queued = random.nextBoolean() && key.queueForPruning();
      List<String> before = stateOf(key);

      rest();
      assertThat(table.awake()).isZero();
      assertThat(table.at(key.slot())).extracting(KeyTableTest::stateOf).isEqualTo(before);
      assertThat(table.awake()).isZero();
      get(name);
      rest(); // with values that were not looked at
      KeyState woken = get(name);
      assertThat(woken).isNotSameAs(key).isSameAs(table.at(key.slot())).isSameAs(get(name));
      assertThat(stateOf(woken)).isEqualTo(before);
      assertThat(woken.queueForPruning()).isEqualTo(!queued);
      table.remove(woken);
      rest();
      assertThat(table.size()).isZero();
    }
  }

  @Test
  void aKeyIsPrunedAtRestAsItIsAwake() {
    HeldCuts cuts = new HeldCuts();
    int pruned = 0;
    for (int seed = 0; seed < 1_000; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      KeyState awake = new KeyState(Key.of("k" + seed));
      fill(awake, random);
      KeyState resting = new KeyState(awake.key());
      fill(resting, new SplittableRandom(seed));
      resting.queueForPruning();
      table.add(resting);
      TxnId fence = txn(random.nextInt(60));
      TxnId forgotten = txn(random.nextInt(50));
      int slot = resting.slot();
      assertThat(table.pruneAtRest(slot, forgotten, fence)).isEqualTo(KeyState.Pruned.NOT);
      rest();

      KeyState.Pruned how = table.pruneAtRest(slot, forgotten, fence);
      assertThat(table.awake()).isZero();
      KeyState after = get(awake.key());
      if (how == KeyState.Pruned.NOT) {
        after.prune(forgotten, fence, cuts);
      } else {
        boolean prunable = how == KeyState.Pruned.AND_PRUNABLE;
        assertThat(after.isPrunable()).isEqualTo(prunable);
        assertThat(after.queueForPruning()).isEqualTo(!prunable);
        assertThat(after.dropDeletion(forgotten)).isNull();
        pruned++;
      }
      awake.prune(forgotten, fence, cuts);
      awake.place(slot);
      assertThat(stateOf(after)).isEqualTo(stateOf(awake));
    }
    assertThat(pruned).isBetween(200, 800);
  }

  private KeyState added(String name) {
    add(Key.of(name));
    return get(Key.of(name));
  }

  private void assertStaysAwake(KeyState key) {
    rest();
    rest();
    assertThat(table.get(key.key())).isSameAs(key);
  }

  private void assertRests(KeyState key) {
    rest();
    assertThat(table.awake()).isZero();
    assertThat(table.get(key.key())).isNotSameAs(key);
  }

  @Test
  void aKeyDoesNotRestWhileATransactionPointsToIt() {
    KeyState pinned = added("pinned");
    pinned.pin();
    assertStaysAwake(pinned);
    pinned.unpin();
    assertRests(pinned);

    KeyState read = added("read");
    TxnRecord reader = new TxnRecord(txn(1));
    reader.heardFrom(new ClientId(1));
    KeyState.Subscription subscription = read.subscribe(reader, 1);
    assertStaysAwake(read);
    Objects.requireNonNull(subscription).end();
    assertRests(read);

    KeyState voted = added("voted");
    voted.addPreparedRead(reader, TxnId.INITIAL, reader.id());
    assertStaysAwake(voted);
    voted.removePreparedRead(reader);
    assertRests(voted);

    KeyState written = added("written");
    written.versions().insert(new Version(new WriteId(txn(2), 1), Value.of("new"), 0));
    assertStaysAwake(written);
    written.versions().remove(txn(2));
    assertRests(written);

    KeyState retracted = added("retracted"); // the writer still lists the key
    reader.addWritten(retracted);
    assertStaysAwake(retracted);
    reader.clearWritten();
    assertRests(retracted);
  }

  @Test
  void aKeyInUseRestsInTheNextRound() {
    KeyState key = added("a");
    table.rest();
    assertThat(table.awake()).isEqualTo(1);
    get(Key.of("a"));
    table.rest();
    assertThat(table.awake()).isEqualTo(1);
    assertRests(key);
  }

  @Test
  void aKeyThatIsTooLongRestsOnceItIsShorter() {
    KeyState key = added("a");
    key.versions().insert(committed(1, Value.wrap(new byte[9_000])));
    assertStaysAwake(key);
    key.versions().remove(txn(1));
    table.mayRest(key);
    assertRests(key);
  }

  @Test
  void onlyKeysThatWereUsedLatelyStayAwake() {
    for (int i = 0; i < 20_000; i++) {
      table.add(new KeyState(Key.of("k" + i)));
      get(Key.of("k0"));
      table.restSome();
      assertThat(table.awake()).isLessThanOrEqualTo(RowLimits.DEFAULTS.warmKeys() + 1);
    }
    assertThat(table.size()).isEqualTo(20_000);
    KeyState hot = get(Key.of("k0"));
    assertThat(table.at(0)).isSameAs(hot);
    int awake = table.awake();
    get(Key.of("k1"));
    assertThat(table.awake()).isEqualTo(awake + 1);
  }

  @Test
  void keysInUseDoNotKeepOthersAwake() {
    for (int i = 0; i < 5_000; i++) {
      added("pinned" + i).pin();
      table.restSome();
    }
    for (int i = 0; i < 20_000; i++) {
      added("idle" + i);
      table.restSome();
    }
    assertThat(table.awake()).isBetween(5_000, 12_000);
  }

  /** A copy of changes must miss none, and need not look at the others. */
  @Test
  void keysThatHaveChangedAreFoundAmongMany() {
    SplittableRandom random = new SplittableRandom(5);
    int keys = 30_000;
    for (int i = 0; i < keys; i++) {
      add(Key.of("k" + i));
    }
    TreeMap<Key, Long> newest = new TreeMap<>();
    long time = 100;
    for (int round = 0; round < 20; round++) {
      for (int i = 0; i < 50; i++) {
        Key name = Key.of("k" + random.nextInt(keys));
        KeyState key = get(name);
        WriteId id = new WriteId(new TxnId(++time, 1, 0), 1);
        Version version = new Version(id, Value.of("v"), 0);
        key.versions().insert(version);
        key.versions().commit(version);
        newest.put(name, time);
      }
      table.rest();
      long since = time - random.nextInt(120);
      Key from = Key.of("k" + random.nextInt(keys));
      Set<Key> found = new HashSet<>();
      KeyTable.Changed changed = table.changedFrom(from, since);
      changed.forEachRemaining(key -> found.add(key.key()));
      TreeMap<Key, Long> expected = new TreeMap<>(newest.tailMap(from));
      expected.values().removeIf(at -> at < since);
      assertThat(found).containsAll(expected.keySet());
      assertThat(found.size() + changed.passed()).isEqualTo(model.tailMap(from).size());
      assertThat(found.size()).isLessThan(2_000);
    }
  }
}
