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

extension Bitmap {
  /// The memory of the pixels, and the object that owns it.
  ///
  /// For toolkits that show pixels without copying them and call back when they are done: the bytes stay valid and
  /// do not change while the owner is retained.
  ///
  /// ```swift
  /// let storage = bitmap.storage
  /// let owner = Unmanaged.passRetained(storage.owner)   // released by the toolkit's own callback
  /// show(storage.bytes.baseAddress, storage.bytes.count, owner.toOpaque())
  /// ```
  public var storage: (bytes: UnsafeRawBufferPointer, owner: AnyObject) {
    // The buffer allocates its memory once, and nothing writes to it after the bitmap's initialiser.
    (withUnsafeBytes { $0 }, buffer)
  }
}
