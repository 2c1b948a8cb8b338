/// The sum of reports, for people: `60 pictures, 312.4 MB to 4.1 MB in 7.20 s, 1 failed`.
struct RunSum: Sendable {
  /// The pictures that were loaded.
  var count = 0
  var leftOutCount = 0
  var fileCount = 0
  /// `nil` if the bytes of a source are not known.
  var byteCount: Int? = 0
  var writtenByteCount: Int?

  static func += (sum: inout RunSum, other: RunSum) {
    sum.count += other.count
    sum.leftOutCount += other.leftOutCount
    sum.fileCount += other.fileCount
    sum.byteCount = sum.byteCount.flatMap { own in other.byteCount.map { own + $0 } }
    if let more = other.writtenByteCount { sum.writtenByteCount = (sum.writtenByteCount ?? 0) + more }
  }

  func line(_ duration: Duration, failureCount: Int) -> String {
    var line = "\(count) \(count == 1 ? "picture" : "pictures")"
    if let byteCount { line += ", \(Format.bytes(byteCount))" }
    if let writtenByteCount {
      line += " to \(Format.bytes(writtenByteCount))"
      if fileCount > 0 { line += " in \(fileCount) \(fileCount == 1 ? "file" : "files")" }
    }
    line += fileCount > 0 ? ", \(Format.duration(duration))" : " in \(Format.duration(duration))"
    if leftOutCount > 0 { line += ", \(leftOutCount) not smaller and not written" }
    return failureCount == 0 ? line : line + ", \(failureCount) failed"
  }
}
