import CCodecs
import OzuBase
import OzuImaging

// Describes memory to the C code, which cannot know how long a block is. The length is checked here, and C compares
// the numbers with those that its library is about to write.

extension PixelFormat {
  var pixels: OzuPixels {
    switch self {
    case .bgra8: .BGRA8
    case .rgba16: .RGBA16
    case .gray8: .gray8
    }
  }
}

extension OzuRows {
  /// Rows of pixels in memory that must outlive the value. An empty size gives no rows, and C refuses them.
  ///
  /// - Precondition: the bytes hold `size.height` rows that are `bytesPerRow` apart; padding after the last pixel
  ///   may be missing.
  init(
    _ bytes: UnsafeMutableRawBufferPointer, bytesPerRow: Int, size: PixelSize, format: PixelFormat = .bgra8
  ) {
    guard !size.isEmpty else {
      self.init()
      return
    }
    let rowByteCount = PixelSize(size.width, 1).byteCount(as: format)
    precondition(
      size.width <= UInt32.max && size.height <= UInt32.max && bytesPerRow >= rowByteCount
        && bytes.count >= rowByteCount && (bytes.count - rowByteCount) / bytesPerRow >= size.height - 1,
      "memory that holds its rows")
    self.init(
      bytes: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes_per_row: bytesPerRow,
      width: UInt32(size.width), height: UInt32(size.height), format: format.pixels)
  }

  init(
    _ rows: Range<Int>, of bytes: UnsafeMutableRawBufferPointer, bytesPerRow: Int, width: Int,
    format: PixelFormat = .bgra8
  ) {
    self.init(
      UnsafeMutableRawBufferPointer(rebasing: bytes[(rows.lowerBound * bytesPerRow)...]),
      bytesPerRow: bytesPerRow, size: PixelSize(width, rows.count), format: format)
  }
}

extension IncrementalPixels {
  var rows: OzuRows { OzuRows(memory, bytesPerRow: bytesPerRow, size: size) }
}

extension OzuBytes {
  /// Takes over the block of an encoder; `nil` if there is none.
  consuming func data() -> Data? {
    // It was allocated by malloc, and C keeps no pointer to it. It grew by doubling; caches count the bytes of the file.
    bytes.map { bytes in
      Data(
        bytesNoCopy: realloc(bytes, max(1, count)) ?? UnsafeMutableRawPointer(bytes), count: count,
        deallocator: .free)
    }
  }
}

/// The pixels of a picture that is decoded piece by piece, as BGRA, transparent at first.
///
/// Bitmaps are immutable, but the library continues to write: so the session owns this memory, and a copy is shown.
/// `@unchecked Sendable`: one thread at a time calls its session.
final class IncrementalPixels: @unchecked Sendable {
  let size: PixelSize
  let bytesPerRow: Int
  /// `size.height` rows that are `bytesPerRow` apart.
  let memory: UnsafeMutableRawBufferPointer

  /// - Precondition: the bytes were checked against limits.
  init(size: PixelSize) {
    self.size = size
    bytesPerRow = Bitmap.bytesPerRow(width: size.width, format: .bgra8)
    memory = .allocate(byteCount: bytesPerRow * size.height, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
  }

  deinit {
    memory.deallocate()
  }

  /// A copy of the first rows, each in its final form after `finish`; the rows below are transparent.
  func copy(
    rows: Int, isOpaque: Bool, colorSpace: ColorSpaceTag, pool: PixelBufferPool,
    finish: (UnsafeMutableRawPointer, Int) -> Void = { _, _ in }
  ) -> Bitmap {
    Bitmap(
      size: size, isOpaque: isOpaque && rows == size.height, colorSpace: colorSpace, pool: pool
    ) { target, _ in
      // The rows of both have the same distance, by the same rule.
      let byteCount = rows * bytesPerRow
      target.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<byteCount]))
      UnsafeMutableRawBufferPointer(rebasing: target[byteCount...]).initializeMemory(
        as: UInt8.self, repeating: 0)
      guard let first = target.baseAddress else { return }
      for y in 0..<rows { finish(first + y * bytesPerRow, size.width) }
    }
  }
}
