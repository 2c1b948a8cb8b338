import Foundation

/// A file of which some parts are known.
struct SparseFile {
  /// The length of the whole.
  let byteCount: Int
  /// What is known, in no order.
  private(set) var parts: [(offset: Int, bytes: Data)] = []

  /// Adds a part.
  mutating func add(_ bytes: Data, at offset: Int) {
    if !bytes.isEmpty { parts.append((offset, Data(bytes))) }
  }

  /// Bytes that one part has; `nil` for others.
  func bytes(_ range: Range<Int>) -> Data? {
    for (offset, bytes) in parts where offset <= range.lowerBound && range.upperBound <= offset + bytes.count
    {
      return Data(bytes.dropFirst(range.lowerBound - offset).prefix(range.count))
    }
    return nil
  }

  /// The whole, with zeros where nothing is known. Memory that nobody looks at is not taken.
  var data: Data {
    var data = Data(count: byteCount)
    for (offset, bytes) in parts {
      data.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
    }
    return data
  }
}
