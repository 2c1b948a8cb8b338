import OzuBase

/// A file of which only some parts are known, for formats whose header need not be at the beginning: TIFF, and JPEG with a
/// gain map.
package struct SparseFile {
  /// The next step on the way to the header.
  package enum Step: Equatable {
    /// To request these bytes.
    case request(Range<Int>)
    /// To read the header from `data`.
    case read
  }

  /// The length of the whole file in bytes.
  private let byteCount: Int
  /// The known parts, in no particular order.
  private var parts: [(offset: Int, bytes: Data)] = []

  package init(beginning: Data, byteCount: Int) {
    self.byteCount = byteCount
    add(beginning, at: 0)
  }

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

  /// The number of extra bytes to request before and after those that are missing: a directory and its values are near each other.
  private static let aroundByteCount = 16 << 10

  /// The next step; `nil` if only the whole file will do, as for most formats, or if more than `limit` bytes would then be known.
  ///
  /// - Parameter missing: the bytes that the reader of the header asks for.
  package func next(within limit: Int, missing: Range<Int>? = nil) -> Step? {
    guard byteCount <= Self.longestFile else { return nil }
    if let missing {
      let isThere = 0 <= missing.lowerBound && missing.upperBound <= byteCount && bytes(missing) == nil
      return isThere ? request(missing, within: limit) : nil
    }
    switch TIFFStructure(data)?.need({ bytes($0) != nil }) {
    case nil, .whole: return nil
    case .nothing: return .read
    case .bytes(let range):
      let first = max(0, range.lowerBound - Self.aroundByteCount)
      return request(
        first..<max(range.upperBound, min(byteCount, range.lowerBound + Self.aroundByteCount)), within: limit)
    }
  }

  private func request(_ range: Range<Int>, within limit: Int) -> Step? {
    parts.reduce(range.count) { $0 + $1.bytes.count } <= limit ? .request(range) : nil
  }
}
