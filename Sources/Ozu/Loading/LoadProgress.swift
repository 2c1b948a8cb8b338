/// How much of a download has arrived.
public struct LoadProgress: Hashable, Sendable {
  /// Bytes received so far.
  public var receivedByteCount: Int
  /// Bytes that were announced; `nil` when the server did not say.
  public var expectedByteCount: Int?

  /// Makes a progress.
  public init(receivedByteCount: Int, expectedByteCount: Int?) {
    self.receivedByteCount = receivedByteCount
    self.expectedByteCount = expectedByteCount
  }

  /// From 0 to 1; `nil` when the whole is not known.
  public var fraction: Double? {
    guard let expectedByteCount, expectedByteCount > 0 else { return nil }
    return min(1, Double(receivedByteCount) / Double(expectedByteCount))
  }
}
