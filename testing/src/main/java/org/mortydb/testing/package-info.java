/**
 * Clusters for tests: real servers in the process of the tests, with real connections over the
 * loopback interface and all data in memory.
 *
 * <p>With JUnit, in one line:
 *
 * {@snippet :
 * @MortyCluster
 * class TransferTest {
 *   @Test
 *   void movesMoney(Client client) {
 *     client.run(...);
 *   }
 * }
 * }
 *
 * <p>Anywhere else:
 *
 * {@snippet :
 * try (EmbeddedCluster cluster = EmbeddedCluster.start()) {
 *   Client client = cluster.client();
 *   ...
 * }
 * }
 */
@NullMarked
package org.mortydb.testing;

import org.jspecify.annotations.NullMarked;
