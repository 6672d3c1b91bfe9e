/**
 * Clusters for tests: real servers within the process of the tests, which talk over real
 * connections of the loopback interface and keep everything in memory.
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
