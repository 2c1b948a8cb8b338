import OzuImaging

/// Maps pixels to the nearest colours of a palette and distributes the error to the neighbours (Floyd and Steinberg
/// 1976), in rows of alternating direction.
enum ErrorDiffusion {
  /// The indices of painted pixels. Holes have `transparentIndex`, and receive and pass on no error.
  ///
  /// - Parameters:
  ///   - palette: at least one colour.
  ///   - isDiffused: whether neighbours receive the error; if not, each pixel just has its nearest colour.
  static func indices(
    of pixels: GIFPaintedPixels, palette: [UInt32], transparentIndex: UInt8, isDiffused: Bool
  ) -> [UInt8] {
    var nearest = NearestColor(palette)
    let colors = palette.map(channels)
    var indices = [UInt8](repeating: transparentIndex, count: pixels.colors.count)
    let width = pixels.size.width
    // In sixteenths; with one place before and one after each row.
    var current = [SIMD3<Int32>](repeating: .zero, count: width + 2)
    var below = current
    for y in 0..<pixels.size.height {
      let goesRight = y % 2 == 0
      let step = goesRight ? 1 : -1
      for number in 0..<width {
        let x = goesRight ? number : width - 1 - number
        let color = pixels.colors[y * width + x]
        guard color != GIFPaintedPixels.hole else { continue }
        let source = channels(color)
        guard isDiffused else {
          indices[y * width + x] = nearest.recall(source)
          continue
        }
        let place = x + 1
        let wanted = (source &+ (current[place] &+ 8) &>> 4)
          .clamped(lowerBound: .zero, upperBound: SIMD3(repeating: 255))
        let index = nearest.recall(wanted)
        indices[y * width + x] = index
        let rest = wanted &- colors[Int(index)]
        current[place + step] &+= rest &* 7
        below[place - step] &+= rest &* 3
        below[place] &+= rest &* 5
        below[place + step] &+= rest
      }
      swap(&current, &below)
      for place in below.indices { below[place] = .zero }
    }
    return indices
  }

  private static func channels(_ color: UInt32) -> SIMD3<Int32> {
    SIMD3(Int32(color >> 16 & 255), Int32(color >> 8 & 255), Int32(color & 255))
  }
}
