import Foundation
import OzuBase

/// Numbers for people.
enum Format {
  /// `12.3 ms`, `1.20 s`, `85 µs`.
  static func duration(_ duration: Duration) -> String {
    let milliseconds = duration.milliseconds
    return switch milliseconds {
    case ..<1: "\(whole(milliseconds * 1000)) µs"
    case ..<1000: fixed(milliseconds, 1) + " ms"
    default: fixed(milliseconds / 1000, 2) + " s"
    }
  }

  /// The nearest whole number as text; the end of the range for a number that has none.
  static func whole(_ value: Double) -> String {
    String(Int(clamping: value, rounded: .toNearestOrAwayFromZero))
  }

  /// `812 B`, `45.1 KB`, `1.4 MB`; thousands, as file managers count.
  static func bytes(_ count: Int) -> String {
    switch count {
    case ..<1000: "\(count) B"
    case ..<1_000_000: fixed(Double(count) / 1e3, 1) + " KB"
    case ..<1_000_000_000: fixed(Double(count) / 1e6, 1) + " MB"
    default: fixed(Double(count) / 1e9, 2) + " GB"
    }
  }

  /// A number with a fixed count of digits after the point.
  static func fixed(_ value: Double, _ digits: Int) -> String {
    String(format: "%.\(digits)f", value)
  }
}

extension Duration {
  var milliseconds: Double { self / .milliseconds(1) }
}
