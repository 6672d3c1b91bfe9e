package org.mortydb.mutants;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.Arrays;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** The main program of the JVM that runs test classes: ends at the first failure. */
final class TestRun {
  private static final int FAILED = 1;
  private static final int NO_TESTS = 3;

  private TestRun() {}

  public static void main(String[] classes) {
    var request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(
                Arrays.stream(classes)
                    .map(name -> selectClass(TestRun.class.getClassLoader(), name))
                    .toList())
            .build();
    var listener = new EndAtFirstFailure();
    LauncherFactory.create().execute(request, listener);
    Runtime.getRuntime().halt(listener.tests == 0 ? NO_TESTS : 0);
  }

  private static final class EndAtFirstFailure implements TestExecutionListener {
    private volatile int tests;

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      if (result.getStatus() == Status.FAILED) {
        System.out.println(
            "FAILED: " + test.getUniqueId().replaceAll("\\[engine:[^]]*]/|[a-z-]+:|[\\[\\]]", ""));
        System.out.flush();
        Runtime.getRuntime().halt(FAILED);
      }
      if (test.isTest()) {
        tests = 1;
      }
    }
  }
}
