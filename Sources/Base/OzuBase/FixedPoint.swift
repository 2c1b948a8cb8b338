/// Numbers as texts with a fixed count of digits after the point, as C prints them.
package enum FixedPoint {
  /// The number rounded to a count of digits, such as `0.35`.
  package static func text(_ value: Double, digits: Int) -> String {
    withVaList([Int32(clamping: digits), value]) { values in
      // The largest number has 309 digits before the point; what does not fit is cut off by the call.
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer in
        _ = vsnprintf(buffer.baseAddress, buffer.count, "%.*f", values)
        return buffer.baseAddress.map { String(cString: $0) } ?? ""
      }
    }
  }
}
