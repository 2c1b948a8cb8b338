/// An instant, in nanoseconds since the first one that the process has read.
///
/// The layout of `ContinuousClock.Instant` is known at run time only, which makes every type slow that contains one.
/// Tasks and loads use this type too.
package struct JobInstant: Comparable, Hashable, Sendable {
  private let nanoseconds: Int64

  private static let origin = ContinuousClock.now

  package init(_ instant: ContinuousClock.Instant) {
    nanoseconds = Self.origin.duration(to: instant).nanoseconds
  }

  private init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  package static func < (a: JobInstant, b: JobInstant) -> Bool { a.nanoseconds < b.nanoseconds }

  package func advanced(by duration: Duration) -> JobInstant {
    let (sum, isOver) = nanoseconds.addingReportingOverflow(duration.nanoseconds)
    return JobInstant(nanoseconds: isOver ? .max : sum)
  }

  package func duration(to other: JobInstant) -> Duration { .nanoseconds(other.nanoseconds - nanoseconds) }
}

extension Duration {
  /// Rounded towards zero, and limited to ±292 years.
  fileprivate var nanoseconds: Int64 {
    Int64(clamping: attoseconds / 1_000_000_000)
  }
}
