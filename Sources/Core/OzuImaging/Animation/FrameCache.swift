/// The finished frames of one animation, up to a limit in bytes.
///
/// An animation is a loop: the frame that was shown longest ago is the next one to be shown. So a full cache evicts
/// nothing and accepts nothing: in each round, the same frames are found in it.
struct FrameCache: Sendable {
  private let byteLimit: Int
  private var frames: [Int: Bitmap] = [:]
  private(set) var byteCount = 0

  init(byteLimit: Int) {
    self.byteLimit = byteLimit
  }

  subscript(index: Int) -> Bitmap? { frames[index] }

  mutating func insert(_ frame: Bitmap, at index: Int) {
    // The size that the pool lends, not the size that was asked for.
    let cost = PixelBufferPool.sizeClass(frame.byteCount)
    guard frames[index] == nil, byteCount + cost <= byteLimit else { return }
    frames[index] = frame
    byteCount += cost
  }

  mutating func removeAll() {
    frames.removeAll()
    byteCount = 0
  }
}
