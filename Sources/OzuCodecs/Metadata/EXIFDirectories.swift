/// The directories of EXIF data, which have the structure of a TIFF file (TIFF 6.0 §2), and reading of their
/// entries.
///
/// Nothing is copied, and no offset is followed except on demand, so loops of directories are harmless. The bytes
/// are a parameter of each call, because a span cannot be stored.
struct EXIFDirectories {
  private static let longestText = 64

  /// The offset of the byte-order mark, from which all offsets count.
  let start: Int
  /// The offset of the first directory.
  let first: Int
  let order: EXIFByteOrder

  /// `nil` if the bytes do not begin like TIFF.
  init?(_ bytes: Span<UInt8>) {
    start = bytes.hasBytes("Exif", at: 0) ? 6 : 0
    guard let order = EXIFByteOrder(bytes, tiff: start),
      order.integer(bytes, at: start + 2, byteCount: 2) == 42,
      let offset = order.integer(bytes, at: start + 4, byteCount: 4)
    else { return nil }
    self.order = order
    first = start + offset
  }

  /// The offset of the directory after the first; `nil` if there is none.
  func second(_ bytes: Span<UInt8>) -> Int? {
    guard let count = order.integer(bytes, at: first, byteCount: 2),
      let offset = order.integer(bytes, at: first + 2 + count * 12, byteCount: 4), offset > 0
    else { return nil }
    return start + offset
  }

  /// The offset of the entry of a tag in a directory.
  func entry(_ tag: Int, _ directory: Int, _ bytes: Span<UInt8>) -> Int? {
    guard let count = order.integer(bytes, at: directory, byteCount: 2) else { return nil }
    for index in 0..<count where order.integer(bytes, at: directory + 2 + index * 12, byteCount: 2) == tag {
      return directory + 2 + index * 12
    }
    return nil
  }

  /// An integer that is stored in its entry.
  func integer(_ tag: Int, _ directory: Int, _ bytes: Span<UInt8>) -> Int? {
    entry(tag, directory, bytes).flatMap { order.value(bytes, entry: $0) }
  }

  /// A value that is a fraction.
  func rational(_ tag: Int, _ directory: Int, _ bytes: Span<UInt8>) -> Double? {
    guard let entry = entry(tag, directory, bytes), order.integer(bytes, at: entry + 2, byteCount: 2) == 5,
      let offset = order.integer(bytes, at: entry + 8, byteCount: 4),
      let numerator = order.integer(bytes, at: start + offset, byteCount: 4),
      let denominator = order.integer(bytes, at: start + offset + 4, byteCount: 4), denominator > 0
    else { return nil }
    return Double(numerator) / Double(denominator)
  }

  /// A text, cut after 64 bytes; `nil` if it is empty.
  func text(_ tag: Int, _ directory: Int, _ bytes: Span<UInt8>) -> String? {
    guard let entry = entry(tag, directory, bytes), order.integer(bytes, at: entry + 2, byteCount: 2) == 2,
      let count = order.integer(bytes, at: entry + 4, byteCount: 4)
    else { return nil }
    let at = count <= 4 ? entry + 8 : start + (order.integer(bytes, at: entry + 8, byteCount: 4) ?? .max / 2)
    let characters = bytes.copy(from: at, byteCount: min(count, Self.longestText)).prefix { $0 != 0 }
    let text = String(decoding: characters, as: UTF8.self)
    let trimmed = text.reversed().drop { $0 == " " }.reversed()
    return trimmed.isEmpty ? nil : String(trimmed)
  }
}
