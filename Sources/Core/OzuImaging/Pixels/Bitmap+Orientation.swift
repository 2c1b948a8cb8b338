extension Bitmap {
  /// The picture turned and mirrored to be upright; `self` if it already is.
  ///
  /// - Parameter orientation: the orientation of the stored pixels.
  /// - Complexity: O(pixels). Quarter turns go tile by tile, so that both sides stay in the processor's cache.
  public func upright(from orientation: Orientation, pool: PixelBufferPool = .shared) -> Bitmap {
    guard orientation != .up else { return self }
    return switch format {
    case .bgra8: upright(from: orientation, pixel: UInt32.self, pool)
    case .rgba16: upright(from: orientation, pixel: UInt64.self, pool)
    case .gray8: upright(from: orientation, pixel: UInt8.self, pool)
    }
  }

  /// - Parameter pixel: a word of a pixel's size.
  private func upright<Word: BitwiseCopyable>(
    from orientation: Orientation, pixel: Word.Type, _ pool: PixelBufferPool
  ) -> Bitmap {
    let byteCount = MemoryLayout<Word>.size
    let steps = UprightSteps(orientation, stored: size, wordsPerRow: bytesPerRow / byteCount)
    return withUnsafeBytes { source in
      let from = source.bindMemory(to: Word.self)
      return Bitmap(
        size: orientation.applied(to: size), format: format, isOpaque: isOpaque, colorSpace: colorSpace,
        pool: pool
      ) { bytes, bytesPerRow in
        steps.copy(from, to: bytes.bindMemory(to: Word.self), wordsPerRow: bytesPerRow / byteCount)
      }
    }
  }
}

/// The stored place of each upright pixel, as a start and two steps.
private struct UprightSteps {
  let start: Int
  /// The step in the stored picture for one pixel to the right in the upright one.
  let right: Int
  /// The step in the stored picture for one row down in the upright one.
  let down: Int
  let size: PixelSize

  init(_ orientation: Orientation, stored: PixelSize, wordsPerRow: Int) {
    func index(_ x: Int, _ y: Int) -> Int {
      // Positions are edges, so the middle of the pixel is taken.
      let position = orientation.storedPosition(x: Double(x) + 0.5, y: Double(y) + 0.5, stored: stored)
      return Int(position.y - 0.5) * wordsPerRow + Int(position.x - 0.5)
    }
    size = orientation.applied(to: stored)
    start = index(0, 0)
    right = size.width > 1 ? index(1, 0) - start : 0
    down = size.height > 1 ? index(0, 1) - start : 0
  }

  func copy<Word: BitwiseCopyable>(
    _ from: UnsafeBufferPointer<Word>, to: UnsafeMutableBufferPointer<Word>, wordsPerRow: Int
  ) {
    let tile = 32
    for top in stride(from: 0, to: size.height, by: tile) {
      for left in stride(from: 0, to: size.width, by: tile) {
        for y in top..<min(top + tile, size.height) {
          var source = start + y * down + left * right
          for x in left..<min(left + tile, size.width) {
            to[y * wordsPerRow + x] = from[source]
            source += right
          }
        }
      }
    }
  }
}
