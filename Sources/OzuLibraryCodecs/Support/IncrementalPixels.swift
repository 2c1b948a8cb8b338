import OzuImaging

/// The pixels of a picture that is being decoded piece by piece, as BGRA, transparent at first.
///
/// Bitmaps are immutable, and a library that decodes on goes on writing: so this memory belongs to the session, and
/// what is shown is a copy. `@unchecked Sendable`: its session is called by one thread at a time.
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

  /// A copy of the first rows, each in its last form after `finish`; what is below is transparent.
  func copy(
    rows: Int, isOpaque: Bool, colorSpace: ColorSpaceTag, pool: PixelBufferPool,
    finish: (UnsafeMutableRawPointer, Int) -> Void = { _, _ in }
  ) -> Bitmap {
    Bitmap(
      size: size, isOpaque: isOpaque && rows == size.height, colorSpace: colorSpace, pool: pool
    ) { target, _ in
      // The rows of both are as far apart, by the same rule.
      let byteCount = rows * bytesPerRow
      target.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<byteCount]))
      UnsafeMutableRawBufferPointer(rebasing: target[byteCount...]).initializeMemory(
        as: UInt8.self, repeating: 0)
      guard let first = target.baseAddress else { return }
      for y in 0..<rows { finish(first + y * bytesPerRow, size.width) }
    }
  }
}
