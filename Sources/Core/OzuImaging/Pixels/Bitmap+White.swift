extension Bitmap {
  /// The pixels blended over white, for a format without alpha.
  ///
  /// - Precondition: the format is `bgra8`.
  package func overWhite() -> Bitmap {
    precondition(format == .bgra8, "only bgra8 is blended")
    return Bitmap(size: size, isOpaque: true, colorSpace: colorSpace) { bytes, bytesPerRow in
      withUnsafeBytes { source in
        for y in 0..<size.height {
          for x in 0..<size.width {
            // In bounds: rows of both are their own `bytesPerRow` apart, and a pixel has four bytes.
            let from = y * self.bytesPerRow + x * 4
            let to = y * bytesPerRow + x * 4
            let white = 255 - source[from + 3]
            for channel in 0..<3 { bytes[to + channel] = source[from + channel] &+ white }
            bytes[to + 3] = 255
          }
        }
      }
    }
  }
}
