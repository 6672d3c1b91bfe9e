package org.mortydb.peers.etcd;

import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.mortydb.peers.etcd.wire.RangeRequest;
import org.mortydb.peers.etcd.wire.RangeResponse;
import org.mortydb.peers.etcd.wire.TxnRequest;
import org.mortydb.peers.etcd.wire.TxnResponse;
import org.mortydb.peers.occ.UnusableException;

/** Two calls of etcd's service KV, without retries. */
final class KvCalls {
  private static final long TIMEOUT_SECONDS = 10;
  private static final String SERVICE = "etcdserverpb.KV";

  private static final MethodDescriptor<RangeRequest, RangeResponse> RANGE =
      method("Range", RangeRequest.getDefaultInstance(), RangeResponse.getDefaultInstance());
  private static final MethodDescriptor<TxnRequest, TxnResponse> TXN =
      method("Txn", TxnRequest.getDefaultInstance(), TxnResponse.getDefaultInstance());

  private final ManagedChannel channel;

  KvCalls(ManagedChannel channel) {
    this.channel = channel;
  }

  private static <Q extends Message, A extends Message> MethodDescriptor<Q, A> method(
      String name, Q request, A response) {
    return MethodDescriptor.<Q, A>newBuilder()
        .setType(MethodType.UNARY)
        .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
        .setRequestMarshaller(ProtoUtils.marshaller(request))
        .setResponseMarshaller(ProtoUtils.marshaller(response))
        .build();
  }

  CompletableFuture<RangeResponse> range(RangeRequest request) {
    return call(RANGE, request);
  }

  CompletableFuture<TxnResponse> txn(TxnRequest request) {
    return call(TXN, request);
  }

  private <Q, A> CompletableFuture<A> call(MethodDescriptor<Q, A> method, Q request) {
    CompletableFuture<A> answer = new CompletableFuture<>();
    CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    ClientCalls.asyncUnaryCall(
        channel.newCall(method, options),
        request,
        new StreamObserver<A>() {
          @Override
          public void onNext(A value) {
            answer.complete(value);
          }

          @Override
          public void onError(Throwable failure) {
            answer.completeExceptionally(explained(failure));
          }

          @Override
          public void onCompleted() {
            // The value has already arrived.
          }
        });
    return answer;
  }

  /** Distinguishes permanent refusals from failures that allow a retry. */
  private static Throwable explained(Throwable failure) {
    Status status = Status.fromThrowable(failure);
    return switch (status.getCode()) {
      case INVALID_ARGUMENT, UNIMPLEMENTED, RESOURCE_EXHAUSTED, PERMISSION_DENIED ->
          new UnusableException("etcd refuses: " + status.getDescription(), failure);
      default -> failure;
    };
  }

  /** Whether a failure means that the call has no effect. */
  static boolean isRefusal(Throwable failure) {
    return failure instanceof UnusableException || failure.getCause() instanceof UnusableException;
  }

  void close() {
    channel.shutdownNow();
  }
}
