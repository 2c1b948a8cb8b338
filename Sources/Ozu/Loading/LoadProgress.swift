/// How much of a download has arrived.
public struct LoadProgress: Hashable, Sendable {
  /// Bytes received so far.
  public var receivedByteCount: Int
  /// The length of the body in bytes; `nil` if the server did not state it.
  public var expectedByteCount: Int?

  /// Makes a progress value.
  public init(receivedByteCount: Int, expectedByteCount: Int?) {
    self.receivedByteCount = receivedByteCount
    self.expectedByteCount = expectedByteCount
  }

  /// The fraction from 0 to 1; `nil` if the length is not known.
  public var fraction: Double? {
    guard let expectedByteCount, expectedByteCount > 0 else { return nil }
    return min(1, Double(receivedByteCount) / Double(expectedByteCount))
  }
}
