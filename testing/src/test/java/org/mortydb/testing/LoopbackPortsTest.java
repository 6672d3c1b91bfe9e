package org.mortydb.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LoopbackPortsTest {
  @Test
  void areFreeForServersAndFoundByNobodyElse() throws Exception {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    for (int port : LoopbackPorts.free(5)) {
      new ServerSocket(port, 1, loopback).close();
      assertThatThrownBy(() -> new DatagramSocket(port, loopback).close())
          .as("what another process tries first")
          .isInstanceOf(BindException.class);
    }
  }

  @Test
  void areNeverTheSameTwice() throws Exception {
    List<Integer> all = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      all.addAll(LoopbackPorts.free(10));
    }
    assertThat(all).hasSize(200).doesNotHaveDuplicates().allMatch(port -> port < 32_768);
  }
}
