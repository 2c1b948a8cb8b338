#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A file of which only some parts are known.
package struct SparseFile {
  /// The length of the whole file in bytes.
  private let byteCount: Int
  /// The known parts, in no particular order.
  private var parts: [(offset: Int, bytes: Data)] = []

  package init(byteCount: Int) { self.byteCount = byteCount }

  /// Adds a part.
  package mutating func add(_ bytes: Data, at offset: Int) {
    if !bytes.isEmpty { parts.append((offset, Data(bytes))) }
  }

  /// The bytes of a range; `nil` unless one part contains the whole range.
  private func bytes(_ range: Range<Int>) -> Data? {
    for (offset, bytes) in parts where offset <= range.lowerBound && range.upperBound <= offset + bytes.count
    {
      return Data(bytes.dropFirst(range.lowerBound - offset).prefix(range.count))
    }
    return nil
  }

  /// The whole file, with zeros in the unknown ranges. The system allocates no memory for pages that are never
  /// touched.
  package var data: Data {
    var data = Data(count: byteCount)
    for (offset, bytes) in parts {
      data.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
    }
    return data
  }

  /// The length of a file is what its origin says. It has to have room in memory, and sums of offsets in `Int`.
  private static let longestFile = 4 << 30

  /// The bytes that are still missing before the header can be read; `nil` if that is not known, as for most formats.
  package var need: TIFFStructure.Need? {
    guard byteCount <= Self.longestFile else { return nil }
    return TIFFStructure(data)?.need { bytes($0) != nil }
  }
}
