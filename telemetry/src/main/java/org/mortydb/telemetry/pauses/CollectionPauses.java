package org.mortydb.telemetry.pauses;

import com.sun.management.GarbageCollectionNotificationInfo;
import com.sun.management.GcInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import javax.management.ListenerNotFoundException;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import javax.management.openmbean.CompositeData;

/** Records the pauses of this JVM's garbage collector, as the JVM reports them. */
public final class CollectionPauses implements NotificationListener, AutoCloseable {
  private final PauseRecorder recorder;
  private final List<NotificationEmitter> emitters = new ArrayList<>();
  private final long jvmStartMillis = ManagementFactory.getRuntimeMXBean().getStartTime();

  /** Records from now on, until {@link #close}. */
  public CollectionPauses(PauseRecorder recorder) {
    this.recorder = recorder;
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      if (stopsThreads(collector.getName()) && collector instanceof NotificationEmitter emitter) {
        emitter.addNotificationListener(this, null, null);
        emitters.add(emitter);
      }
    }
  }

  /** ZGC and Shenandoah report whole collections, most of which is concurrent, as cycles. */
  static boolean stopsThreads(String collector) {
    return !collector.endsWith("Cycles");
  }

  @Override
  public void handleNotification(Notification notification, Object handback) {
    if (notification
            .getType()
            .equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION)
        && notification.getUserData() instanceof CompositeData data) {
      GcInfo info = GarbageCollectionNotificationInfo.from(data).getGcInfo();
      long endMicros = (jvmStartMillis + info.getEndTime()) * 1_000;
      recorder.add(new Pause(Pause.Kind.COLLECTION, endMicros, info.getDuration() * 1_000));
    }
  }

  @Override
  public void close() {
    for (NotificationEmitter emitter : emitters) {
      try {
        emitter.removeNotificationListener(this);
      } catch (ListenerNotFoundException e) {
        // It is removed.
      }
    }
    emitters.clear();
  }
}
