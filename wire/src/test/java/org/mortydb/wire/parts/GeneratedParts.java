package org.mortydb.wire.parts;

import com.google.protobuf.ByteString;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/** Parts of messages as the classes that protoc generates from the schema. */
public final class GeneratedParts {
  private GeneratedParts() {}

  public static org.mortydb.wire.proto.TxnId txn(TxnId txn) {
    return org.mortydb.wire.proto.TxnId.newBuilder()
        .setTimeMicros(txn.timeMicros())
        .setClientId(txn.clientId())
        .setHome(txn.home())
        .build();
  }

  public static org.mortydb.wire.proto.WriteId version(WriteId version) {
    var out = org.mortydb.wire.proto.WriteId.newBuilder();
    if (!version.isInitial()) {
      out.setWriter(txn(version.writer())).setValueId(version.valueId());
    }
    return out.build();
  }

  public static org.mortydb.wire.proto.Read read(Read read) {
    return org.mortydb.wire.proto.Read.newBuilder()
        .setKey(bytes(read.key()))
        .setVersion(version(read.version()))
        .build();
  }

  public static org.mortydb.wire.proto.Write write(Write write) {
    var out =
        org.mortydb.wire.proto.Write.newBuilder()
            .setKey(bytes(write.key()))
            .setValueId(write.valueId())
            .setForm(write.value().isAbsent() ? 0 : write.value().form());
    if (!write.value().isAbsent()) {
      out.setValue(bytes(write.value()));
    }
    return out.build();
  }

  public static ByteString bytes(Key key) {
    return ByteString.copyFrom(key.bytes());
  }

  public static ByteString bytes(Value value) {
    return ByteString.copyFrom(value.bytes());
  }
}
