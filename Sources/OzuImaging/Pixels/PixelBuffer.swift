/// A block of pixel memory that is lent by a pool. It goes back when the last bitmap that uses it is released.
///
/// `@unchecked Sendable`: the bytes are written only inside `Bitmap.init(…initializingWith:)`, before any other
/// code can see the buffer, and are read-only after that.
final class PixelBuffer: @unchecked Sendable {
  let memory: UnsafeMutableRawBufferPointer
  private let pool: PixelBufferPool

  init(byteCount: Int, pool: PixelBufferPool) {
    memory = pool.takeBlock(byteCount: byteCount)
    self.pool = pool
  }

  deinit {
    pool.giveBack(memory)
  }
}
