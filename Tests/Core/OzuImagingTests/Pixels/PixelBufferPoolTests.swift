import OzuTesting
import Testing

@testable import OzuImaging

@Suite("Pixel buffer pool")
struct PixelBufferPoolTests {
  private func bitmap(_ kilobytes: Int, _ pool: PixelBufferPool) -> Bitmap {
    Bitmap(size: PixelSize(256, kilobytes), isOpaque: true, pool: pool) { _, _ in }
  }

  @Test(
    "sizes are rounded up to four steps a doubling",
    arguments: [
      (0, 512), (1, 512), (513, 640), (4096, 4096), (4097, 5120), (5120, 5120), (5121, 6144), (8192, 8192),
      (8193, 10_240), (1_000_000, 1_048_576), (1_048_577, 1_310_720), (48_000_000, 50_331_648),
    ])
  func sizeClasses(byteCount: Int, expected: Int) {
    #expect(PixelBufferPool.sizeClass(byteCount) == expected)
  }

  @Test("a size class holds what was asked for and wastes at most a quarter")
  func sizeClassBounds() {
    var random = SeededGenerator(seed: 5)
    let wrong = (0..<2000).map { _ in Int.random(in: 512...1 << 34, using: &random) }.filter { byteCount in
      let size = PixelBufferPool.sizeClass(byteCount)
      return size < byteCount || size > byteCount + byteCount / 4 + 1
        || size != PixelBufferPool.sizeClass(size)
    }
    #expect(wrong == [])
  }

  @Test("memory of a released picture is reused for the next of its class")
  func reuse() {
    let pool = PixelBufferPool(retainedByteLimit: 1 << 20)
    var first: Bitmap? = bitmap(100, pool)
    let address = first?.withUnsafeBytes { $0.baseAddress }
    #expect(pool.statistics.lentByteCount == 112 << 10)
    first = nil
    #expect(pool.statistics.lentByteCount == 0)
    #expect(pool.statistics.retainedByteCount == 112 << 10)
    let second = bitmap(110, pool)
    #expect(second.withUnsafeBytes { $0.baseAddress } == address)
    #expect(pool.statistics.reuseCount == 1)
    #expect(pool.statistics.retainedByteCount == 0)
  }

  @Test("memory in use is never lent twice")
  func exclusive() {
    let pool = PixelBufferPool(retainedByteLimit: 1 << 20)
    let first = bitmap(100, pool)
    let copy = first
    let second = bitmap(100, pool)
    #expect(first.withUnsafeBytes { $0.baseAddress } != second.withUnsafeBytes { $0.baseAddress })
    #expect(copy.withUnsafeBytes { $0.baseAddress } == first.withUnsafeBytes { $0.baseAddress })
    #expect(pool.statistics.reuseCount == 0)
  }

  @Test("idle memory stays within its limit, and recently used sizes are kept")
  func bound() {
    let pool = PixelBufferPool(retainedByteLimit: 256 << 10)
    do {
      let pictures = (0..<10).map { _ in bitmap(64, pool) }
      #expect(pictures.count == 10)
    }
    #expect(pool.statistics.retainedByteCount == 256 << 10)
    do { _ = bitmap(128, pool) }
    #expect(pool.statistics.retainedByteCount == 256 << 10)
    do { _ = bitmap(128, pool) }
    #expect(pool.statistics.reuseCount == 1)
  }

  @Test("the class that was unused for longest is freed first")
  func leastRecentlyUsed() {
    let pool = PixelBufferPool(retainedByteLimit: 256 << 10)
    do { _ = bitmap(64, pool) }
    do { _ = bitmap(80, pool) }
    do { _ = bitmap(96, pool) }
    // The first is used again, so the second is the one that was unused for longest.
    do { _ = bitmap(64, pool) }
    #expect(pool.statistics.reuseCount == 1)
    do { _ = bitmap(48, pool) }
    #expect(pool.statistics.retainedByteCount == (64 + 96 + 48) << 10)
    do { _ = [bitmap(64, pool), bitmap(96, pool), bitmap(48, pool)] }
    #expect(pool.statistics.reuseCount == 4)
    do { _ = bitmap(80, pool) }
    #expect(pool.statistics.reuseCount == 4)
  }

  @Test("a block above the limit goes back to the system, and no other block is freed")
  func tooLarge() {
    let pool = PixelBufferPool(retainedByteLimit: 256 << 10)
    do { _ = bitmap(64, pool) }
    do { _ = bitmap(512, pool) }
    #expect(pool.statistics.retainedByteCount == 64 << 10)
    #expect(pool.statistics.lentByteCount == 0)
  }

  @Test("a pool that retains nothing works")
  func retainsNothing() {
    let pool = PixelBufferPool(retainedByteLimit: 0)
    do { _ = bitmap(64, pool) }
    #expect(pool.statistics == PixelBufferPool.Statistics(peakLentByteCount: 64 << 10))
  }

  @Test("the peak is the most that was lent at one time, until it is reset")
  func peak() {
    let pool = PixelBufferPool(retainedByteLimit: 1 << 20)
    do {
      let pictures = [bitmap(64, pool), bitmap(128, pool)]
      #expect(pictures.count == 2)
    }
    let last = bitmap(64, pool)
    #expect(pool.statistics.peakLentByteCount == 192 << 10)
    pool.resetPeak()
    #expect(pool.statistics.peakLentByteCount == 64 << 10)
    #expect(last.size.height == 64)
  }

  @Test("idle memory can be released")
  func release() {
    let pool = PixelBufferPool(retainedByteLimit: 1 << 20)
    do { _ = bitmap(64, pool) }
    pool.releaseIdle()
    #expect(pool.statistics.retainedByteCount == 0)
    do { _ = bitmap(64, pool) }
    #expect(pool.statistics.reuseCount == 0)
  }

  @Test("many tasks at once never share a block")
  func concurrency() async {
    let pool = PixelBufferPool(retainedByteLimit: 64 << 10)
    let intact = await withTaskGroup(of: Bool.self) { group in
      for worker in 1...8 {
        group.addTask {
          var random = SeededGenerator(seed: UInt64(worker))
          return (0..<200).allSatisfy { _ in
            let height = Int.random(in: 1...12, using: &random)
            let bitmap = Bitmap(size: PixelSize(2, height * 256), isOpaque: true, pool: pool) { bytes, _ in
              bytes.storeBytes(of: UInt32(worker), as: UInt32.self)
              bytes.storeBytes(of: UInt32(worker), toByteOffset: bytes.count - 4, as: UInt32.self)
            }
            return bitmap.withUnsafeBytes { bytes in
              bytes.load(as: UInt32.self) == UInt32(worker)
                && bytes.load(fromByteOffset: bytes.count - 4, as: UInt32.self) == UInt32(worker)
            }
          }
        }
      }
      return await group.allSatisfy { $0 }
    }
    #expect(intact)
    #expect(pool.statistics.lentByteCount == 0)
    #expect(pool.statistics.retainedByteCount <= 64 << 10)
  }
}
