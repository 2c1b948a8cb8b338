import OzuImaging

/// The pixels of a bitmap that is being made, as words of BGRA, with every access checked.
///
/// Decoders in Swift write through this type, not through bare pointers: a wrong index from a hostile file stops
/// the program instead of writing outside the bitmap. Valid only inside the closure that provides the bytes.
struct PixelCanvas {
  static let opaqueBlack: UInt32 = 0xFF00_0000

  let size: PixelSize
  private let words: UnsafeMutableBufferPointer<UInt32>
  private let wordsPerRow: Int

  init(_ bytes: UnsafeMutableRawBufferPointer, bytesPerRow: Int, size: PixelSize) {
    words = bytes.bindMemory(to: UInt32.self)
    wordsPerRow = bytesPerRow / 4
    self.size = size
    precondition(
      wordsPerRow >= size.width && words.count >= wordsPerRow * size.height, "a canvas has its rows")
  }

  /// The word of a pixel: alpha, red, green, blue, beginning with the most significant byte.
  static func word(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) -> UInt32 {
    UInt32(alpha) << 24 | UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue)
  }

  func set(_ x: Int, _ y: Int, to word: UInt32) {
    precondition(x >= 0 && x < size.width && y >= 0 && y < size.height, "a pixel outside the canvas")
    words[y * wordsPerRow + x] = UInt32(littleEndian: word)
  }

  /// Writes the colours of indices to a row, from `x` on.
  ///
  /// - Precondition: there are 256 colours, so that every index has one.
  func write(_ indices: Span<UInt8>, colors: Span<UInt32>, x: Int, y: Int) {
    precondition(colors.count == 256, "a colour for each index")
    precondition(
      x >= 0 && indices.count <= size.width - x && y >= 0 && y < size.height, "pixels outside the canvas")
    let start = y * wordsPerRow + x
    for index in 0..<indices.count {
      // Both are in bounds, by the preconditions.
      words[start &+ index] = UInt32(
        littleEndian: colors[unchecked: Int(truncatingIfNeeded: indices[unchecked: index])])
    }
  }

  func fill(_ rows: Range<Int>, with word: UInt32) {
    precondition(rows.lowerBound >= 0 && rows.upperBound <= size.height, "rows outside the canvas")
    guard !rows.isEmpty else { return }
    words[rows.lowerBound * wordsPerRow..<rows.upperBound * wordsPerRow]
      .update(repeating: UInt32(littleEndian: word))
  }

  func fill(with word: UInt32) {
    fill(0..<size.height, with: word)
  }

  /// Multiplies the colours of all pixels by their alpha.
  func premultiply() {
    guard let start = words.baseAddress else { return }
    for y in 0..<size.height {
      Premultiplication.apply(to: UnsafeMutableRawPointer(start + y * wordsPerRow), width: size.width)
    }
  }
}
