import Foundation
import OzuImaging

/// A file of which only some parts are known.
struct SparseFile {
  /// The length of the whole file in bytes.
  let byteCount: Int
  /// The known parts, in no particular order.
  private(set) var parts: [(offset: Int, bytes: Data)] = []

  /// Adds a part.
  mutating func add(_ bytes: Data, at offset: Int) {
    if !bytes.isEmpty { parts.append((offset, Data(bytes))) }
  }

  /// The bytes of a range; `nil` unless one part contains the whole range.
  func bytes(_ range: Range<Int>) -> Data? {
    for (offset, bytes) in parts where offset <= range.lowerBound && range.upperBound <= offset + bytes.count
    {
      return Data(bytes.dropFirst(range.lowerBound - offset).prefix(range.count))
    }
    return nil
  }

  /// The whole file, with zeros in the unknown ranges. The system allocates no memory for pages that are never
  /// touched.
  var data: Data {
    var data = Data(count: byteCount)
    for (offset, bytes) in parts {
      data.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
    }
    return data
  }

  /// The length of a file is what its origin says. It has to have room in memory, and sums of offsets in `Int`.
  private static let longestFile = 4 << 30

  /// The bytes that are still missing before the header can be read; `nil` if that is not known, as for most formats.
  var need: TIFFStructure.Need? {
    guard byteCount <= Self.longestFile else { return nil }
    return TIFFStructure(data)?.need { bytes($0) != nil }
  }
}
