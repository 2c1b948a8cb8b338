import OzuImaging

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
