package org.mortydb.sim.host;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.sim.kernel.Kernel;

/**
 * A server: replicas of one or more partitions, each with a thread of its own, and a disk for all.
 * Its process can die, between two events or between two effects of a step, and start again with
 * what the disk has kept; a replica that may have promised more than that joins its partition anew.
 */
public final class ReplicaHost extends Host {
  private final CpuModel cpuModel;
  private final DiskSpec diskSpec;
  private final Disk disk;
  private final List<Slot> slots = new ArrayList<>();
  private boolean up = true;

  /** Counts the starts of the process. */
  private long incarnation = 1;

  /** After how many more effects the process dies; 0 if it is not doomed. */
  private int effectsLeft;

  /** A replica's place on the server, whether or not the server is up. */
  private static final class Slot {
    final ReplicaId id;
    final Supplier<? extends HostedMachine> program;
    final ReplicaLog log;

    /** Whether it serves only once its log says so, or it has joined. */
    boolean joins;

    @Nullable MachineHost process;

    Slot(ReplicaId id, Supplier<? extends HostedMachine> program, ReplicaLog log) {
      this.id = id;
      this.program = program;
      this.log = log;
    }
  }

  /** A server without replicas, with an infinitely fast disk. */
  public ReplicaHost(HostSpec spec, Kernel kernel, Fabric fabric, CpuModel cpuModel) {
    this(spec, kernel, fabric, cpuModel, DiskSpec.FREE, new SplittableRandom(0));
  }

  /**
   * A server without replicas.
   *
   * @param random draws how long forces take, and what survives a crash
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
        new Disk(
            kernel, diskSpec.maxForceMicros(), random, () -> perform(this::releaseWhatIsDurable));
  }

  /**
   * Puts a replica on this server and starts it, with its first tick; it serves from the first.
   *
   * @param program makes the machine, at every start of the server
   */
  public void add(ReplicaId id, Supplier<? extends HostedMachine> program) {
    add(id, program, false);
  }

  /** Puts a replica on this server that founds its partition together with the others of it. */
  public void addFounder(ReplicaId id, Supplier<? extends HostedMachine> program) {
    add(id, program, true);
  }

  private void add(ReplicaId id, Supplier<? extends HostedMachine> program, boolean joins) {
    Slot slot = new Slot(id, program, disk.log());
    slot.joins = joins;
    slots.add(slot);
    fabric().add(id, this);
    start(slot);
  }

  private void start(Slot slot) {
    MachineHost process =
        new MachineHost(this, slot.id, slot.program.get(), slot.log, disk, diskSpec, cpuModel);
    slot.process = process;
    process.start(slot.joins ? incarnation : 0);
  }

  @Override
  void receive(Endpoint from, Endpoint to, Message message) {
    for (int i = 0; i < slots.size(); i++) {
      MachineHost process = slots.get(i).process;
      if (process != null && slots.get(i).id.equals(to)) {
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
    for (Slot slot : slots) {
      MachineHost process = slot.process;
      if (process == null || !process.isServing()) {
        return false;
      }
    }
    return true;
  }

  /**
   * Whether the process runs, and all its replicas serve and would after a crash at this moment.
   */
  public boolean isServingDurably() {
    if (!isServing()) {
      return false;
    }
    for (Slot slot : slots) {
      if (!slot.log.knowsThatItServes(disk.durable())) {
        return false;
      }
    }
    return true;
  }

  /** Has the process die when it has had so many more effects, which may be amid a step. */
  public void crashAfter(int effects) {
    if (effects < 1) {
      throw new IllegalArgumentException("a process has at least one more effect, not " + effects);
    }
    effectsLeft = effects;
  }

  /** Has the process live on, if it was to die after some more effects. */
  public void spare() {
    effectsLeft = 0;
  }

  /** Whether an effect takes place; it does not if the process dies before it. */
  boolean survivesEffect() {
    if (effectsLeft > 0 && --effectsLeft == 0) {
      crash();
      return false;
    }
    return true;
  }

  /** Ends the process at once; what was not forced may be lost. */
  public void crash() {
    if (!up) {
      return;
    }
    up = false;
    effectsLeft = 0;
    boolean amidStep = false;
    for (Slot slot : slots) {
      MachineHost process = slot.process;
      if (process != null) {
        amidStep |= process.kill();
      }
      slot.process = null;
      fabric().observer().onCrash(slot.id);
    }
    forgetWhatIsLate();
    int lost = disk.crash();
    fabric().observer().onServerCrash(amidStep, lost);
    fabric().trace().fold(index(), lost);
    boolean within = amidStep;
    fabric()
        .trace()
        .write(
            () ->
                name()
                    + " crashes"
                    + (within ? " amid a step" : "")
                    + ", losing "
                    + lost
                    + " records");
    if (diskSpec.durability() == Durability.MEMORY) {
      wipe();
    }
  }

  /**
   * Loses what the disk has kept; the replicas have to join when the process starts again.
   *
   * @throws IllegalStateException when the process runs
   */
  public void wipe() {
    if (up) {
      throw new IllegalStateException(name() + " runs, and cannot lose its disk");
    }
    for (Slot slot : slots) {
      slot.log.wipe();
      slot.joins = true;
    }
    fabric().observer().onWipe();
    fabric().trace().write(() -> name() + " has lost its disk");
  }

  /** Starts the process again, unless it runs, with its checkpoints and logs. */
  public void restart() {
    if (up) {
      return;
    }
    up = true;
    incarnation++;
    fabric().trace().write(() -> name() + " starts again");
    slots.forEach(this::start);
  }

  /** Has the server start again, and serve, as if it were new, which no server ever may. */
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
    for (int i = 0; i < slots.size(); i++) {
      MachineHost process = slots.get(i).process;
      if (process != null) {
        process.release();
      }
    }
  }

  /**
   * Whether a replica of this server would still hold a committed execution if the server crashed
   * now: its sets, or a state that is complete beyond it.
   */
  public boolean holdsDurably(ReplicaId replica, ExecutionId execution) {
    for (Slot slot : slots) {
      if (slot.id.equals(replica)) {
        return slot.log.holds(execution, disk.durable())
            || slot.log.reaches(execution.txn(), disk.durable());
      }
    }
    return false;
  }

  /** Whether a replica of this server held an execution durably until the disk was lost. */
  public boolean hasLost(ReplicaId replica, ExecutionId execution) {
    for (Slot slot : slots) {
      if (slot.id.equals(replica)) {
        return slot.log.hasLost(execution);
      }
    }
    return false;
  }

  /** Everything that the disk holds of a replica, checkpoint first. For tests. */
  List<LogRecord> onDisk(ReplicaId replica) {
    List<LogRecord> records = new ArrayList<>();
    for (Slot slot : slots) {
      if (slot.id.equals(replica)) {
        slot.log.replay(records::add);
      }
    }
    return records;
  }
}
