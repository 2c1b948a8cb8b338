/// The directories of EXIF data, which are a TIFF file in small (TIFF 6.0 §2), and reading their entries.
///
/// Nothing is copied and nothing followed but what is asked for, so loops of directories cannot arise. The bytes are given
/// to each call, since a span cannot be kept.
struct EXIFDirectories {
  private static let longestText = 64

  /// Where the byte-order mark stands, from which offsets count.
  let start: Int
  /// Where the first directory stands.
  let first: Int
  let order: EXIFByteOrder

  /// `nil` when the bytes do not begin as TIFF does.
  init?(_ bytes: Span<UInt8>) {
    start = bytes.hasBytes("Exif", at: 0) ? 6 : 0
    guard let order = EXIFByteOrder(bytes, tiff: start),
      order.integer(bytes, at: start + 2, byteCount: 2) == 42,
      let offset = order.integer(bytes, at: start + 4, byteCount: 4)
    else { return nil }
    self.order = order
    first = start + offset
  }

  /// Where the directory behind the first stands; `nil` when there is none.
  func second(_ bytes: Span<UInt8>) -> Int? {
    guard let count = order.integer(bytes, at: first, byteCount: 2),
      let offset = order.integer(bytes, at: first + 2 + count * 12, byteCount: 4), offset > 0
    else { return nil }
    return start + offset
  }

  /// Where the entry of a tag stands in a directory.
  func entry(_ tag: Int, _ directory: Int, _ bytes: Span<UInt8>) -> Int? {
    guard let count = order.integer(bytes, at: directory, byteCount: 2) else { return nil }
    for index in 0..<count where order.integer(bytes, at: directory + 2 + index * 12, byteCount: 2) == tag {
      return directory + 2 + index * 12
    }
    return nil
  }

  /// A whole number that stands in its entry.
  func integer(_ tag: Int, _ directory: Int, _ bytes: Span<UInt8>) -> Int? {
    entry(tag, directory, bytes).flatMap { order.value(bytes, entry: $0) }
  }

  /// A fraction.
  func rational(_ tag: Int, _ directory: Int, _ bytes: Span<UInt8>) -> Double? {
    guard let entry = entry(tag, directory, bytes), order.integer(bytes, at: entry + 2, byteCount: 2) == 5,
      let offset = order.integer(bytes, at: entry + 8, byteCount: 4),
      let numerator = order.integer(bytes, at: start + offset, byteCount: 4),
      let denominator = order.integer(bytes, at: start + offset + 4, byteCount: 4), denominator > 0
    else { return nil }
    return Double(numerator) / Double(denominator)
  }

  /// A text, cut off after 64 bytes; `nil` when it is empty.
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
