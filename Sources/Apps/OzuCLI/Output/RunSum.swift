import Ozu

/// The sum of several reports, for people: `60 pictures, 312.4 MB to 4.1 MB in 7.20 s, 1 failed`.
struct RunSum {
  /// The pictures that were loaded.
  private(set) var count = 0
  private var (leftOutCount, fileCount) = (0, 0)
  /// `nil` if the bytes of a source are not known.
  private var byteCount: Int? = 0
  private var writtenByteCount: Int?

  mutating func add(_ report: LoadReport) {
    if report.written?.isLeftOut ?? false {
      leftOutCount += 1
      return
    }
    count += 1
    add(report.byteCount)
    if let written = report.written { writtenByteCount = (writtenByteCount ?? 0) + written.image.data.count }
  }

  mutating func add(_ report: SetReport) {
    count += 1
    add(report.largest?.sourceByteCount ?? 0)
    fileCount += report.files.count
    writtenByteCount = (writtenByteCount ?? 0) + report.files.reduce(0) { $0 + $1.image.data.count }
  }

  private mutating func add(_ sourceByteCount: Int?) {
    byteCount = byteCount.flatMap { sum in sourceByteCount.map { sum + $0 } }
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
