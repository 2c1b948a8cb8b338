import OzuImaging

// Canvases whose pixels are either opaque or wholly transparent.

extension BGRABitmap {
  /// The picture with every pixel opaque, or clear if its opacity is below a half. Colours are divided by alpha.
  func withoutTranslucency() -> BGRABitmap {
    guard !isOpaque else { return self }
    return withPixels { pixels, rows in
      BGRABitmap(size: size, isOpaque: false, colorSpace: colorSpace) { y, row in
        let source = pixels.extracting(rows[y])
        for x in source.indices where source[x].alpha >= 128 { row[x] = source[x].opaque }
      }
    }
  }

  /// The picture with a rectangle that lies inside it cleared.
  func clearing(_ rectangle: PixelRectangle) -> BGRABitmap {
    let (columns, lines) = (
      rectangle.x..<rectangle.x + rectangle.size.width, rectangle.y..<rectangle.y + rectangle.size.height
    )
    return withPixels { pixels, rows in
      BGRABitmap(size: size, isOpaque: false, colorSpace: colorSpace) { y, row in
        let source = pixels.extracting(rows[y])
        let isInside = lines.contains(y)
        for x in source.indices where !(isInside && columns.contains(x)) { row[x] = source[x] }
      }
    }
  }
}

extension PixelRectangle {
  /// The smallest rectangle that contains every pixel that is visible before and not after; `nil` if all stay.
  ///
  /// - Parameter change: the rectangle in which the canvases differ.
  init?(vanishingFrom before: BGRABitmap, to after: BGRABitmap, within change: PixelRectangle) {
    guard !after.isOpaque else { return nil }
    var found: PixelRectangle?
    before.withPixels { old, oldRows in
      after.withPixels { new, newRows in
        for y in change.y..<change.y + change.size.height {
          let (oldRow, newRow) = (old.extracting(oldRows[y]), new.extracting(newRows[y]))
          var (left, right) = (-1, -1)
          for x in change.x..<change.x + change.size.width where newRow[x].alpha == 0 && oldRow[x].alpha != 0
          {
            if left < 0 { left = x }
            right = x
          }
          guard left >= 0 else { continue }
          let line = PixelRectangle(x: left, y: y, width: right - left + 1, height: 1)
          found = found?.united(with: line) ?? line
        }
      }
    }
    guard let found else { return nil }
    self = found
  }
}

extension Pixel {
  /// The colour divided by alpha, which must not be zero.
  fileprivate var opaque: Pixel {
    guard alpha != 255 else { return self }
    let alpha = UInt32(alpha)
    func divided(_ channel: UInt8) -> UInt8 { UInt8(min(255, (UInt32(channel) * 255 + alpha / 2) / alpha)) }
    return Pixel(red: divided(red), green: divided(green), blue: divided(blue))
  }

  /// Red, green and blue in the low bits, red highest.
  var color: UInt32 { UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue) }
}
