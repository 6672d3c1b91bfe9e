package org.mortydb.bench.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.mortydb.workloads.load.Progress;

/**
 * The demonstration against a real Zipkin server, which Maven fetches. Run it by itself, in the
 * root of the project:
 *
 * <pre>
 * mvn -B -ntp -pl bench -am test -Dtest=TraceDemoTest -Dsurefire.failIfNoSpecifiedTests=false \
 *   -Dmorty.zipkin=true
 * </pre>
 */
@EnabledIfSystemProperty(
    named = "morty.zipkin",
    matches = "true",
    disabledReason = "fetches and runs a Zipkin server; -Dmorty.zipkin=true enables it")
@Timeout(600)
class TraceDemoTest {
  @Test
  void zipkinHasATraceOfEachKind() throws Exception {
    String before = System.getProperty("morty.home");
    System.setProperty("morty.home", Path.of("..").toAbsolutePath().normalize().toString());
    try (ZipkinServer server = ZipkinServer.start(ZipkinServer.fetch());
        ZipkinApi zipkin = new ZipkinApi(server.base())) {
      List<TraceDemo.Found> found = new TraceDemo(1, 20_000, 12, 40, 5).run(zipkin, Progress.NONE);
      assertThat(found).extracting(TraceDemo.Found::kind).containsExactly(TraceKind.values());
      for (TraceDemo.Found one : found) {
        ZipkinTrace trace = zipkin.trace(one.traceId()).orElseThrow();
        assertThat(one.kind().missing(trace)).as(one.kind().title()).isNull();
        assertThat(one.note()).isNotEmpty();
        assertThat(one.link()).hasToString(server.base() + "/zipkin/traces/" + one.traceId());
      }
      crossesProcesses(zipkin, found.getFirst());
      namesItsCause(zipkin, of(found, TraceKind.REEXECUTED));
      isOfADeadClient(zipkin, of(found, TraceKind.RECOVERED));
    } finally {
      if (before == null) {
        System.clearProperty("morty.home");
      } else {
        System.setProperty("morty.home", before);
      }
    }
  }

  private static TraceDemo.Found of(List<TraceDemo.Found> found, TraceKind kind) {
    return found.stream().filter(one -> one.kind() == kind).findFirst().orElseThrow();
  }

  private static void crossesProcesses(ZipkinApi zipkin, TraceDemo.Found fast) throws Exception {
    ZipkinTrace trace = zipkin.trace(fast.traceId()).orElseThrow();
    assertThat(trace.spans())
        .extracting(span -> Objects.requireNonNull(span.localEndpoint()).serviceName())
        .contains("morty-server-1", "morty-server-2", "morty-server-3")
        .anyMatch(service -> Objects.requireNonNull(service).startsWith("morty-client-region-"));
    assertThat(trace.isWhole()).isTrue();
  }

  /** The writer of the version that made the read stale has a trace too, and it committed. */
  private static void namesItsCause(ZipkinApi zipkin, TraceDemo.Found found) throws Exception {
    ZipkinTrace trace = zipkin.trace(found.traceId()).orElseThrow();
    ZipkinSpan again = trace.all("re-execution").getFirst();
    String version = again.tag("morty.cause.version");
    ZipkinTrace writer = zipkin.trace(again.tag("morty.cause.trace")).orElseThrow();
    ZipkinSpan root = Objects.requireNonNull(writer.root());
    assertThat(version).startsWith(root.tag("morty.txn") + "/");
    assertThat(found.cause()).isEqualTo(zipkin.page(writer.id()));
    assertThat(trace.all("read"))
        .anyMatch(read -> read.hasTag("morty.key", again.tag("morty.cause.key")));
  }

  private static void isOfADeadClient(ZipkinApi zipkin, TraceDemo.Found found) throws Exception {
    ZipkinTrace trace = zipkin.trace(found.traceId()).orElseThrow();
    assertThat(trace.root()).as("the dead client's root span").isNull();
    assertThat(trace.all("validate"))
        .hasSize(3)
        .allMatch(one -> one.hasTag("morty.vote", "commit"));
    assertThat(trace.all("install")).allMatch(one -> one.hasTag("morty.outcome", "commit"));
  }
}
