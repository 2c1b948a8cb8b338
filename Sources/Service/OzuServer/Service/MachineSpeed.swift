import Glibc
import OzuImaging

/// How much slower this machine is than a usual server, for limits on processor time: the same picture must not pass on
/// one machine and fail on another.
enum MachineSpeed {
  /// The processor time of the work below on a core of a usual server (3 GHz).
  static let reference = Duration.microseconds(2_500)

  /// 1 for a usual server and for every faster machine, up to 16 for slower ones. Measured once, in about 20 milliseconds of
  /// processor time.
  static let slowness = factor(of: measure())

  static func factor(of time: Duration) -> Double { min(16, max(1, time / reference)) }

  /// The processor time of a fixed amount of work. Of several times the shortest is taken: other programs can make it
  /// longer, and never shorter.
  private static func measure() -> Duration {
    var state: (UInt16, UInt16, UInt16) = (1, 2, 3)
    return (0..<8).map { _ in
      let start = DecodingContext.systemThreadTime()
      // `nrand48` reads and writes the three numbers alone. Each call depends on the one before.
      withUnsafeMutablePointer(to: &state) { pointer in
        pointer.withMemoryRebound(to: UInt16.self, capacity: 3) { words in
          for _ in 0..<400_000 { _ = nrand48(words) }
        }
      }
      return DecodingContext.systemThreadTime() - start
    }.min() ?? reference
  }
}
