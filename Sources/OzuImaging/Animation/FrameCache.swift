/// Finished frames of one animation, as many as a number of bytes holds.
///
/// An animation is a loop, and what a loop needs last is what it has just shown. So the cache does not throw out
/// the oldest frame, which is the next one, but stays as it is once it is full: of each round, the frames that
/// fit are found.
struct FrameCache: Sendable {
  private let byteLimit: Int
  private var frames: [Int: Bitmap] = [:]
  private(set) var byteCount = 0

  init(byteLimit: Int) {
    self.byteLimit = byteLimit
  }

  subscript(index: Int) -> Bitmap? { frames[index] }

  mutating func insert(_ frame: Bitmap, at index: Int) {
    // What the pool lends, not what was asked for.
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
