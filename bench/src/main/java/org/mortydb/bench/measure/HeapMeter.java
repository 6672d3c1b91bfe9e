package org.mortydb.bench.measure;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import javax.management.MBeanServerConnection;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** The used heap of this process and of other Java processes of the same user. */
public final class HeapMeter implements AutoCloseable {
  private final MemoryMXBean self = ManagementFactory.getMemoryMXBean();
  private final List<JMXConnector> connections = new ArrayList<>();
  private final List<MBeanServerConnection> beans = new ArrayList<>();
  private final List<MemoryMXBean> others = new ArrayList<>();

  /**
   * @param processes the other processes; if one cannot be queried, none is
   */
  public HeapMeter(List<ProcessHandle> processes) {
    for (ProcessHandle process : processes) {
      try {
        connect(process);
      } catch (IOException | AttachNotSupportedException e) {
        close();
        return;
      }
    }
  }

  @SuppressWarnings("BanJNDI") // the address is that of a child process on this machine
  private void connect(ProcessHandle process) throws IOException, AttachNotSupportedException {
    VirtualMachine machine = VirtualMachine.attach(Long.toString(process.pid()));
    try {
      JMXServiceURL address = new JMXServiceURL(machine.startLocalManagementAgent());
      JMXConnector connection = JMXConnectorFactory.connect(address);
      connections.add(connection);
      MBeanServerConnection of = connection.getMBeanServerConnection();
      beans.add(of);
      others.add(
          ManagementFactory.newPlatformMXBeanProxy(
              of, ManagementFactory.MEMORY_MXBEAN_NAME, MemoryMXBean.class));
    } finally {
      machine.detach();
    }
  }

  /** The connections to the other processes; none if one of them cannot be queried. */
  public List<MBeanServerConnection> connections() {
    return List.copyOf(beans);
  }

  /** Collects garbage in this process, and returns its used heap in bytes. */
  public long ownAfterCollection() {
    return afterCollection(self);
  }

  /**
   * Collects garbage in the other processes, and returns their used heap in bytes; empty if there
   * are none, or if they cannot be queried.
   */
  public OptionalLong othersAfterCollection() {
    if (others.isEmpty()) {
      return OptionalLong.empty();
    }
    long sum = 0;
    for (MemoryMXBean other : others) {
      sum += afterCollection(other);
    }
    return OptionalLong.of(sum);
  }

  private static long afterCollection(MemoryMXBean memory) {
    memory.gc();
    return memory.getHeapMemoryUsage().getUsed();
  }

  @Override
  public void close() {
    others.clear();
    beans.clear();
    for (JMXConnector connection : connections) {
      try {
        connection.close();
      } catch (IOException e) {
        // The process has ended, and the connection with it.
      }
    }
    connections.clear();
  }
}
