import Foundation

extension ImagePipeline.Configuration {
  /// The clocks and the waiting, which tests replace. `ImagePipeline.testing` of OzuTesting sets them from one fake clock.
  public struct Testing: Sendable {
    /// The clock of the timings.
    public var now: @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    /// The clock for freshness.
    public var currentDate: @Sendable () -> Date = { Date() }
    /// Waits: before a download is tried again, after many cancellations, and until a deadline.
    public var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    init() {}
  }
}
