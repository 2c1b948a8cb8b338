/// Reads the chunks for the pixels of a file one after the other, and checks the checksum of each.
///
/// Every access is checked: a length that goes beyond the file ends the reading.
struct PNGChunkReader {
  /// The kinds that are read; the reader steps over all others.
  enum Kind {
    case palette
    case transparency
    case imageData
    case end
  }

  private let file: UnsafeRawBufferPointer
  private let checksum: (UnsafeRawBufferPointer) -> UInt32
  private var position = 8

  init(_ file: UnsafeRawBufferPointer, checksum: @escaping (UnsafeRawBufferPointer) -> UInt32) {
    self.file = file
    self.checksum = checksum
  }

  /// The next part of the image data; `nil` unless it follows immediately, as the standard requires (§5.6).
  mutating func nextImageData() -> UnsafeRawBufferPointer? {
    guard file.count - position >= 8, word(at: position + 4) == Self.imageDataName else { return nil }
    return next()?.content
  }

  /// The next chunk that is read; `nil` if there is none, or if a chunk is broken, misplaced or misnamed, or is unknown and
  /// critical.
  mutating func next() -> (kind: Kind, content: UnsafeRawBufferPointer)? {
    while file.count - position >= 12 {
      let length = Int(word(at: position))
      guard length <= file.count - position - 12 else { return nil }
      let name = word(at: position + 4)
      let start = position + 4
      position += 12 + length
      let content = UnsafeRawBufferPointer(rebasing: file[start + 4..<start + 4 + length])
      let kind: Kind? =
        switch name {
        case 0x504C_5445: .palette
        case 0x7452_4E53: .transparency
        case Self.imageDataName: .imageData
        case 0x4945_4E44: .end
        default: nil
        }
      let isHeader = name == 0x4948_4452
      guard isHeader == (start == 12), Self.isName(name) else { return nil }
      if kind == nil, !isHeader {
        // The fifth bit of the first letter is 0 in the names of critical chunks, which a reader must know (§5.4).
        guard name >> 29 & 1 == 1 else { return nil }
        continue
      }
      let checked = UnsafeRawBufferPointer(rebasing: file[start..<start + 4 + length])
      guard checksum(checked) == word(at: start + 4 + length) else { return nil }
      if let kind { return (kind, content) }
    }
    return nil
  }

  private static let imageDataName: UInt32 = 0x4944_4154

  private static func isName(_ name: UInt32) -> Bool {
    (0..<4).allSatisfy { index in
      let letter = name >> (8 * UInt32(index)) & 0xDF
      return 0x41...0x5A ~= letter
    }
  }

  private func word(at offset: Int) -> UInt32 {
    UInt32(bigEndian: file.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
}
