package org.mortydb.sim.host;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.sim.kernel.Kernel;

/**
 * A server: replicas of one or more partitions, each with its own thread, and one disk. Its process
 * can crash between two events or between two effects of a step, and restart from the disk. A
 * replica whose disk may lack some of its promises joins its partition again.
 */
public final class ReplicaHost extends Host {
  private final CpuModel cpuModel;
  private final DiskSpec diskSpec;
  private final SimDisk disk;
  private final List<Slot> slots = new ArrayList<>();
  private boolean up = true;

  /** Whether records that counted as kept may be lost, and the replicas have not rejoined. */
  private boolean doubtful;

  /** The number of starts of the process. */
  private long incarnation = 1;

  /** The number of effects until the process crashes; 0 if no crash is due. */
  private int effectsLeft;

  /** The crash that is due before a certain message; null if none is. */
  private @Nullable MessageCrash messageCrash;

  /** What arms a crash once a checkpoint is written; null if none is due. */
  private @Nullable Runnable onCheckpoint;

  /** A crash instead of sending the last of some messages of a kind. */
  private static final class MessageCrash {
    final Predicate<Message> kind;
    final Runnable then;
    int left;

    MessageCrash(Predicate<Message> kind, int left, Runnable then) {
      this.kind = kind;
      this.left = left;
      this.then = then;
    }
  }

  /** A replica's place on the server, even while the server is down. */
  private static final class Slot {
    final ReplicaId id;
    final Supplier<? extends HostedMachine> program;
    final ReplicaLog log;

    /** Whether it must join before it serves, unless its log says that it has joined. */
    boolean joins;

    /** Whether the disk was lost, or replaced; the replica may have promised something before. */
    boolean lostItsMemory;

    @Nullable MachineHost process;

    Slot(ReplicaId id, Supplier<? extends HostedMachine> program, ReplicaLog log) {
      this.id = id;
      this.program = program;
      this.log = log;
    }

    /**
     * Whether the process runs and has promised nothing to its peers, nor did an earlier one whose
     * memory is lost. The process alone cannot tell.
     */
    boolean isNew() {
      return process != null && !lostItsMemory && process.isNew();
    }
  }

  /** A server without replicas, with an infinitely fast disk. */
  public ReplicaHost(HostSpec spec, Kernel kernel, Fabric fabric, CpuModel cpuModel) {
    this(spec, kernel, fabric, cpuModel, DiskSpec.FREE, new SplittableRandom(0));
  }

  /**
   * A server without replicas.
   *
   * @param random draws the durations of forces, and the records that survive a crash
   */
  public ReplicaHost(
      HostSpec spec,
      Kernel kernel,
      Fabric fabric,
      CpuModel cpuModel,
      DiskSpec diskSpec,
      SplittableRandom random) {
    super(spec, kernel, fabric);
    this.cpuModel = cpuModel;
    this.diskSpec = diskSpec;
    this.disk =
        new SimDisk(
            kernel,
            diskSpec.durability(),
            diskSpec.maxForceMicros(),
            random,
            () -> perform(this::releaseWhatIsDurable));
  }

  /**
   * Adds a replica and starts it. It serves from the start.
   *
   * @param program builds the machine at every start of the server
   */
  public void add(ReplicaId id, Supplier<? extends HostedMachine> program) {
    add(id, program, false);
  }

  /** Adds a replica that founds its partition together with its peers. */
  public void addFounder(ReplicaId id, Supplier<? extends HostedMachine> program) {
    add(id, program, true);
  }

  private void add(ReplicaId id, Supplier<? extends HostedMachine> program, boolean joins) {
    Slot slot = new Slot(id, program, disk.log());
    slot.joins = joins;
    slots.add(slot);
    fabric().add(id, this);
    if (up) {
      start(slot);
    }
  }

  /** Ends a replica of a partition that will never be. */
  public void remove(ReplicaId id) {
    for (Slot slot : slots) {
      if (slot.id.equals(id) && slot.process != null) {
        slot.process.kill();
        slot.process = null;
      }
    }
    slots.removeIf(slot -> slot.id.equals(id));
  }

  private void start(Slot slot) {
    MachineHost process =
        new MachineHost(this, slot.id, slot.program.get(), slot.log, disk, diskSpec, cpuModel);
    slot.process = process;
    process.start(slot.joins ? incarnation : 0, doubtful);
  }

  @Override
  void receive(Endpoint from, Endpoint to, Message message) {
    for (Slot slot : slots) {
      MachineHost process = slot.process;
      if (process != null && slot.id.equals(to)) {
        perform(() -> process.receive(from, message));
      }
    }
  }

  // ---- crashes ------------------------------------------------------------------------------

  /** Whether the process runs. */
  public boolean isUp() {
    return up;
  }

  /** Whether the process runs and all its replicas serve. */
  public boolean isServing() {
    return slots.stream()
        .allMatch(slot -> slot.process != null && (slot.process.isServing() || slot.isNew()));
  }

  /**
   * Whether the process runs, and all its replicas serve and would still serve after a crash now.
   */
  public boolean isServingDurably() {
    return isServing()
        && slots.stream()
            .allMatch(
                slot ->
                    slot.isNew()
                        || (slot.process != null && slot.process.hasEnded())
                        || slot.log.knowsThatItServes(disk.durable()));
  }

  /** Lets the process crash after a number of effects, possibly within a step. */
  public void crashAfter(int effects) {
    if (effects < 1) {
      throw new IllegalArgumentException("effects must be at least 1, not " + effects);
    }
    effectsLeft = effects;
  }

  /**
   * Lets the process crash instead of sending a message.
   *
   * @param kind the messages that count
   * @param messages which of them is not sent, from 1
   * @param then called at the crash
   */
  public void crashBefore(Predicate<Message> kind, int messages, Runnable then) {
    messageCrash = new MessageCrash(kind, messages, then);
  }

  /**
   * Lets the process crash some effects after the next checkpoint was written, before or after it
   * becomes valid.
   *
   * @param then called when the checkpoint is written
   */
  public void crashAfterCheckpoint(int effects, Runnable then) {
    onCheckpoint =
        () -> {
          then.run();
          crashAfter(effects);
        };
  }

  /** Cancels a crash that is due after some effects, before a message or after a checkpoint. */
  public void spare() {
    effectsLeft = 0;
    messageCrash = null;
    onCheckpoint = null;
  }

  /** Whether a message is sent. It is not if the process crashes before it. */
  boolean survives(Message message) {
    MessageCrash due = messageCrash;
    if (due == null || !due.kind.test(message) || --due.left > 0) {
      return true;
    }
    due.then.run();
    crash();
    return false;
  }

  /** A replica has written a checkpoint. */
  void checkpointed() {
    Runnable due = onCheckpoint;
    onCheckpoint = null;
    if (due != null) {
      due.run();
    }
  }

  /** Whether an effect takes place. It does not if the process crashes before it. */
  boolean survivesEffect() {
    if (effectsLeft > 0 && --effectsLeft == 0) {
      crash();
      return false;
    }
    return true;
  }

  /** Ends the process at once. Unforced records may be lost, unless durability is ASYNC. */
  public void crash() {
    crash(false);
  }

  /** Ends the process because the machine goes down. Unforced records may be lost. */
  public void losePower() {
    crash(true);
  }

  private void crash(boolean powerFails) {
    if (!up) {
      return;
    }
    doubtful = (doubtful && !isServingDurably()) || (powerFails && isAsync());
    up = false;
    spare();
    boolean withinStep = false;
    for (Slot slot : slots) {
      MachineHost process = slot.process;
      if (process != null) {
        withinStep |= process.kill();
      }
      slot.process = null;
      fabric().observer().onCrash(slot.id);
    }
    forgetWhatIsLate();
    int lost = disk.crash(powerFails);
    fabric().observer().onServerCrash(withinStep, lost);
    fabric().trace().fold(index(), lost);
    boolean within = withinStep;
    fabric()
        .trace()
        .write(
            () ->
                name()
                    + " crashes"
                    + (within ? " within a step" : "")
                    + (powerFails ? " without power" : "")
                    + ", losing "
                    + lost
                    + " records");
    if (diskSpec.durability() == SimDurability.MEMORY) {
      wipe();
    }
  }

  /**
   * Clears the disk. The replicas must join when the process restarts.
   *
   * @throws IllegalStateException if the process runs
   */
  public void wipe() {
    if (up) {
      throw new IllegalStateException(name() + " is running and cannot lose its disk");
    }
    for (Slot slot : slots) {
      slot.log.wipe();
      slot.joins = true;
      slot.lostItsMemory = true;
    }
    fabric().observer().onWipe();
    fabric().trace().write(() -> name() + " has lost its disk");
  }

  private boolean isAsync() {
    return diskSpec.durability() == SimDurability.ASYNC;
  }

  /** Whether the server has to rejoin because it may have lost records that counted as kept. */
  public boolean isDoubtful() {
    return doubtful && !isServingDurably();
  }

  /** Its replicas. */
  public List<ReplicaId> replicas() {
    return slots.stream().map(slot -> slot.id).toList();
  }

  /** Reads all records of a replica in the order in which it restores them. */
  public void replay(ReplicaId replica, Consumer<LogRecord> to) {
    Objects.requireNonNull(logOf(replica)).replay(to);
  }

  /** Replaces the records of all replicas while the server is down; nothing is in doubt then. */
  public void replace(Map<ReplicaId, List<LogRecord>> records) {
    for (Slot slot : slots) {
      slot.log.replace(Objects.requireNonNull(records.get(slot.id)));
      slot.joins = true;
      slot.lostItsMemory = true; // of what it has promised above the cut
    }
    doubtful = false;
  }

  /** Restarts the process with its checkpoints and logs, unless it runs. */
  public void restart() {
    if (up) {
      return;
    }
    up = true;
    incarnation++;
    fabric().trace().write(() -> name() + " starts again");
    slots.forEach(this::start);
  }

  /**
   * Restarts the server without its memory, and lets it serve at once. This breaks the protocol.
   */
  public void restartWithoutMemory() {
    if (!up) {
      for (Slot slot : slots) {
        slot.log.clear();
        slot.joins = false;
      }
    }
    restart();
  }

  private void releaseWhatIsDurable() {
    for (Slot slot : slots) {
      MachineHost process = slot.process;
      if (process != null) {
        process.release();
      }
    }
  }

  /**
   * Whether a replica would still hold a committed execution after a crash now: its sets, or a
   * state that includes it.
   */
  public boolean holdsDurably(ReplicaId replica, ExecutionId execution) {
    ReplicaLog log = logOf(replica);
    return log != null
        && (log.holds(execution, disk.kept()) || log.reaches(execution.txn(), disk.kept()));
  }

  /** Whether a replica held an execution durably until its disk was lost. */
  public boolean hasLost(ReplicaId replica, ExecutionId execution) {
    ReplicaLog log = logOf(replica);
    return log != null && log.hasLost(execution);
  }

  /** The log of a replica on this server; null if it has no such replica. */
  @Nullable ReplicaLog logOf(ReplicaId replica) {
    for (Slot slot : slots) {
      if (slot.id.equals(replica)) {
        return slot.log;
      }
    }
    return null;
  }
}
