/// A block of pixel memory on loan from a pool; it goes back when the last bitmap that shows it is gone.
///
/// `@unchecked Sendable`: the bytes are written only inside `Bitmap.init(…initializingWith:)`, before the
/// buffer is visible to anyone else, and are read-only from then on.
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
