import Foundation

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
}
