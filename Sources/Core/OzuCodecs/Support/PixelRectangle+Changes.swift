import OzuImaging

extension PixelRectangle {
  /// The smallest rectangle that contains every pixel in which two canvases differ; `nil` for equal canvases.
  ///
  /// - Precondition: both canvases have one size.
  /// - Complexity: O(pixels); most rows are read once.
  package init?(changesFrom before: BGRABitmap, to after: BGRABitmap) {
    precondition(before.size == after.size, "canvases of one size")
    let size = after.size
    var (left, right) = (size.width, -1)
    var (top, bottom) = (-1, -1)
    before.withPixels { old, oldRows in
      after.withPixels { new, newRows in
        for y in 0..<size.height {
          let (oldRow, newRow) = (old.extracting(oldRows[y]), new.extracting(newRows[y]))
          guard oldRow.differs(from: newRow) else { continue }
          if top < 0 { top = y }
          bottom = y
          // One pixel of the row differs, so neither search leaves the row.
          var x = 0
          while x < left, oldRow[x] == newRow[x] { x += 1 }
          left = min(left, x)
          x = size.width - 1
          while x > right, oldRow[x] == newRow[x] { x -= 1 }
          right = max(right, x)
        }
      }
    }
    guard top >= 0 else { return nil }
    self.init(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
  }
}

extension Span where Element == Pixel {
  /// Whether two rows of one length have different pixels. There is no branch for each pixel, so that LLVM
  /// vectorises it.
  fileprivate func differs(from other: Span<Pixel>) -> Bool {
    precondition(count == other.count, "rows of one length")
    var difference: UInt32 = 0
    for x in 0..<count {
      difference |=
        unsafeBitCast(self[unchecked: x], to: UInt32.self)
        ^ unsafeBitCast(other[unchecked: x], to: UInt32.self)
    }
    return difference != 0
  }
}
