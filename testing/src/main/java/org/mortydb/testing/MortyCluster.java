package org.mortydb.testing;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Starts a cluster for the tests of a class. Constructors, tests, and the methods before and after
 * them can have parameters of these types:
 *
 * <ul>
 *   <li>{@link org.mortydb.client.Client} or {@link org.mortydb.client.net.MortyClient}: the
 *       cluster's own client
 *   <li>{@link EmbeddedCluster}: the cluster, to stop servers or to connect further clients
 *   <li>{@link org.mortydb.config.ClusterConfig}: its configuration
 * </ul>
 *
 * <p>The cluster starts before the first test and closes after the last one. Nested classes share
 * it unless they have the annotation themselves. So a test sees the data of earlier tests: use
 * different keys in each, or {@link #perTest}.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(MortyExtension.class)
public @interface MortyCluster {

  /** The number of tolerated failures, 1 or more: 2f+1 servers in as many regions. */
  int f() default 1;

  /** The number of partitions, 1 or more. */
  int partitions() default 1;

  /** The emulated one-way delay between any two regions, in milliseconds, 0 or more. */
  long delayMillis() default 0;

  /** Further settings of the configuration, such as {@code "cluster.system = occ"}. */
  String[] settings() default {};

  /** Whether every test has a new, empty cluster. */
  boolean perTest() default false;
}
