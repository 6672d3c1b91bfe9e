package org.mortydb.transport;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import org.jspecify.annotations.Nullable;
import org.mortydb.wire.WireContract;
import org.mortydb.wire.proto.Frame;

/** A peer that can misbehave, over a plain socket and the generated classes. */
final class RawPeer implements AutoCloseable {
  private final Socket socket = new Socket();
  private final DataInputStream in;
  private final DataOutputStream out;

  RawPeer(InetSocketAddress address) throws IOException {
    socket.setReceiveBufferSize(16 * 1024);
    socket.setSoTimeout(10_000);
    socket.connect(address);
    in = new DataInputStream(socket.getInputStream());
    out = new DataOutputStream(socket.getOutputStream());
  }

  /** Sends a valid Hello of a client and reads the answer. */
  Frame shakeHands(String cluster, long client) throws IOException {
    send(hello(cluster, WireContract.VERSIONS.oldest(), client));
    Frame answer = receive();
    if (answer == null) {
      throw new EOFException("no answer to Hello");
    }
    return answer;
  }

  static Frame hello(String cluster, int version, long client) {
    Frame.Builder frame = Frame.newBuilder();
    frame
        .getHelloBuilder()
        .setCluster(cluster)
        .setProtocolVersion(version)
        .setClient(client)
        .setRegion("here");
    return frame.build();
  }

  void send(Frame frame) throws IOException {
    byte[] bytes = frame.toByteArray();
    byte[] all = new byte[WireContract.LENGTH_BYTES + bytes.length];
    for (int i = 0; i < WireContract.LENGTH_BYTES; i++) {
      all[i] = (byte) (bytes.length >>> (24 - 8 * i));
    }
    System.arraycopy(bytes, 0, all, WireContract.LENGTH_BYTES, bytes.length);
    send(all);
  }

  void send(byte[] bytes) throws IOException {
    out.write(bytes);
    out.flush();
  }

  /** The next frame; null if the connection was closed. */
  @Nullable Frame receive() throws IOException {
    try {
      byte[] bytes = new byte[in.readInt()];
      in.readFully(bytes);
      return Frame.parseFrom(bytes);
    } catch (EOFException | SocketException e) {
      return null;
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
