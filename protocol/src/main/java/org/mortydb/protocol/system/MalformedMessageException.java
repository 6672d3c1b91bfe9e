package org.mortydb.protocol.system;

/** Bytes that are no message of the codec that was asked to decode them. */
public final class MalformedMessageException extends Exception {
  private static final long serialVersionUID = 1L;

  /**
   * Says what is wrong.
   *
   * @param message a part of a sentence, such as {@code "Get.key is missing"}
   */
  public MalformedMessageException(String message) {
    super(message);
  }
}
