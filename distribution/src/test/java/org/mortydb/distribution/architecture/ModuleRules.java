package org.mortydb.distribution.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.Map.entry;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.Scanner;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.Timer;
import java.util.TimerTask;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/**
 * What each module may use, as rules over the packages below a base package. The base is a
 * parameter so that the rules can be held against fixtures that break them.
 */
final class ModuleRules {
  private static final Set<String> BELOW_BENCH =
      Set.of(
          "protocol",
          "config",
          "wire",
          "transport",
          "telemetry",
          "client",
          "server",
          "testing",
          "check",
          "workloads",
          "sim",
          "cli");

  /** Each module, with the modules it may use. */
  static final Map<String, Set<String>> MAY_USE =
      new TreeMap<>(
          Map.ofEntries(
              entry("protocol", Set.of()),
              entry("baselines", Set.of("protocol", "wire")),
              entry("storage", Set.of()),
              entry("config", Set.of("protocol")),
              entry("wire", Set.of("protocol")),
              entry("transport", Set.of("protocol", "config", "wire")),
              entry("telemetry", Set.of("protocol", "config")),
              entry("client", Set.of("protocol", "config", "wire", "transport", "telemetry")),
              entry(
                  "server",
                  Set.of("protocol", "storage", "config", "wire", "transport", "telemetry")),
              entry("testing", Set.of("config", "transport", "client", "server")),
              entry("check", Set.of("protocol")),
              entry("workloads", Set.of("protocol", "config", "client", "check")),
              entry("sim", Set.of("protocol", "client", "check")),
              entry(
                  "cli",
                  Set.of(
                      "protocol",
                      "storage",
                      "config",
                      "wire",
                      "transport",
                      "client",
                      "server",
                      "check")),
              entry("bench", and(BELOW_BENCH, "storage")),
              entry("faults", and(BELOW_BENCH, "bench")),
              entry("experiments", and(BELOW_BENCH, "bench"))));

  /** The modules with the state machines. */
  private static final List<String> PURE = List.of("protocol", "baselines");

  /** Types of java.lang and java.util that know the time, draw lots, wait, or reach outside. */
  private static final Class<?>[] IMPURE = {
    Calendar.class,
    Date.class,
    InheritableThreadLocal.class,
    Process.class,
    ProcessBuilder.class,
    Properties.class,
    Random.class,
    Runtime.class,
    Scanner.class,
    ServiceLoader.class,
    SplittableRandom.class,
    Thread.class,
    ThreadGroup.class,
    ThreadLocal.class,
    Timer.class,
    TimerTask.class,
    UUID.class,
  };

  /** Calls whose answer differs between two runs of one seed. */
  private static final Set<String> UNREPEATABLE_CALLS =
      Set.of(
          "java.lang.Math.random",
          "java.lang.StrictMath.random",
          "java.lang.System.identityHashCode",
          "java.util.UUID.randomUUID",
          "java.util.concurrent.ThreadLocalRandom.current",
          // The order of these collections differs from one JVM to the next.
          "java.util.Map.copyOf",
          "java.util.Map.of",
          "java.util.Map.ofEntries",
          "java.util.Set.copyOf",
          "java.util.Set.of",
          "java.util.stream.Collectors.toUnmodifiableMap",
          "java.util.stream.Collectors.toUnmodifiableSet");

  private static final Set<String> UNSEEDED_GENERATORS =
      Set.of("java.util.Random", "java.util.SplittableRandom", "java.security.SecureRandom");

  private static final Set<String> PARALLEL_STREAMS = Set.of("parallel", "parallelStream");

  private static final Set<String> AMBIENT_CALLS =
      Set.of("currentTimeMillis", "nanoTime", "getenv", "getProperty", "exit", "gc", "load");

  private final String base;

  ModuleRules(String base) {
    this.base = base;
  }

  private static Set<String> and(Set<String> modules, String another) {
    Set<String> all = new TreeSet<>(modules);
    all.add(another);
    return all;
  }

  List<ArchRule> all() {
    List<ArchRule> rules = new ArrayList<>();
    for (String module : PURE) {
      rules.add(usesNothingButPureJava(module));
      rules.add(asksNothingOfTheMachine(module));
    }
    rules.add(simulationReachesNoNetwork());
    for (String module : List.of("protocol", "baselines", "check", "sim")) {
      rules.add(runsAreRepeatable(module));
    }
    for (String module : MAY_USE.keySet()) {
      rules.add(moduleUsesOnlyItsOwn(module));
      rules.add(packagesAreFreeOfCycles(module));
    }
    return List.copyOf(rules);
  }

  ArchRule moduleUsesOnlyItsOwn(String module) {
    Set<String> mayUse = MAY_USE.get(module);
    String[] barred =
        MAY_USE.keySet().stream()
            .filter(other -> !other.equals(module) && !mayUse.contains(other))
            .map(this::packagesOf)
            .toArray(String[]::new);
    return noClasses()
        .that()
        .resideInAPackage(packagesOf(module))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(barred)
        .as("Module " + module + " uses no modules but " + mayUse);
  }

  ArchRule usesNothingButPureJava(String module) {
    DescribedPredicate<JavaClass> pure =
        resideInAnyPackage(
                packagesOf("protocol"),
                packagesOf(module),
                "java.lang",
                "java.lang.annotation",
                "java.lang.invoke",
                "java.lang.runtime",
                "java.math",
                "java.util",
                "java.util.function",
                "java.util.stream",
                "org.jspecify.annotations")
            .and(not(belongToAnyOf(IMPURE)))
            .or(belongToAnyOf(ByteOrder.class)); // of numbers in rows
    return classes()
        .that()
        .resideInAPackage(packagesOf(module))
        .and()
        .resideOutsideOfPackage(base + ".baselines.codec")
        .and()
        .doNotHaveFullyQualifiedName(base + ".protocol.system.TransactionSystems$Loaded")
        .should()
        .onlyDependOnClassesThat(isArrayOrPrimitive().or(pure))
        .as(
            "Module "
                + module
                + " uses nothing but java.math, the pure part of java.lang and java.util, and the protocol;"
                + " codecs and the look-up of plug-ins excepted");
  }

  ArchRule asksNothingOfTheMachine(String module) {
    return noClasses()
        .that()
        .resideInAPackage(packagesOf(module))
        .should()
        .accessTargetWhere(
            access(
                "the clock, the environment, the process or its threads",
                (owner, name) ->
                    (owner.equals("java.lang.System") && AMBIENT_CALLS.contains(name))
                        || (owner.equals("java.util.Arrays") && name.startsWith("parallel"))))
        .as("Module " + module + " gets the time with the event, and asks nothing of the machine");
  }

  ArchRule runsAreRepeatable(String module) {
    return noClasses()
        .that()
        .resideInAPackage(packagesOf(module))
        .should()
        .accessTargetWhere(
            access(
                "what differs from run to run",
                (owner, name) ->
                    UNREPEATABLE_CALLS.contains(owner + "." + name)
                        || (owner.startsWith("java.util.") && PARALLEL_STREAMS.contains(name))))
        .orShould()
        .accessTargetWhere(
            describe(
                "an unseeded generator",
                access ->
                    access.getName().equals("<init>")
                        && UNSEEDED_GENERATORS.contains(access.getTargetOwner().getName())
                        && access.getTarget().getFullName().endsWith("()")))
        .as("Runs of module " + module + " are repeatable");
  }

  ArchRule simulationReachesNoNetwork() {
    return noClasses()
        .that()
        .resideInAPackage(packagesOf("sim"))
        .should()
        .transitivelyDependOnClassesThat(
            resideInAnyPackage(
                packagesOf("config"),
                packagesOf("wire"),
                packagesOf("transport"),
                "io.netty..",
                "com.google.protobuf..",
                "com.typesafe.config..",
                "org.slf4j.."))
        .as("The simulator uses the part of the client that is free of input and output");
  }

  ArchRule packagesAreFreeOfCycles(String module) {
    DescribedPredicate<JavaClass> inModule = resideInAPackage(packagesOf(module));
    SliceAssignment byPackage =
        new SliceAssignment() {
          @Override
          public SliceIdentifier getIdentifierOf(JavaClass javaClass) {
            return inModule.test(javaClass)
                ? SliceIdentifier.of(javaClass.getPackageName())
                : SliceIdentifier.ignore();
          }

          @Override
          public String getDescription() {
            return "packages of module " + module;
          }
        };
    return slices().assignedFrom(byPackage).should().beFreeOfCycles();
  }

  private String packagesOf(String module) {
    return base + "." + module + "..";
  }

  private static DescribedPredicate<JavaClass> isArrayOrPrimitive() {
    return describe(
        "arrays of primitives, or primitives", type -> type.getBaseComponentType().isPrimitive());
  }

  private static DescribedPredicate<JavaAccess<?>> access(String what, CallMatcher matcher) {
    return describe(
        what, access -> matcher.matches(access.getTargetOwner().getName(), access.getName()));
  }

  private interface CallMatcher {
    boolean matches(String owner, String name);
  }
}
