import Foundation
import OzuImaging

/// The resampler as its documentation defines it: separable convolution in floating point, without tables, windows,
/// fixed point or other optimisations.
struct ReferenceResampler {
  let kernel: ResamplingKernel

  /// The exact components of the result, row by row, clamped like those of a bitmap.
  func resample(_ bitmap: Bitmap, region: PixelRegion, to size: PixelSize) -> [[Double]] {
    let columns = (0..<size.width).map { column in
      weights(
        extent: bitmap.size.width, origin: region.x, length: region.width, count: size.width, at: column)
    }
    let rows = (0..<size.height).map { row in
      weights(
        extent: bitmap.size.height, origin: region.y, length: region.height, count: size.height, at: row)
    }
    let source = bitmap.withUnsafeBytes { [UInt8]($0) }
    var between: [[Double]] = []
    for y in 0..<bitmap.size.height {
      for x in 0..<size.width {
        var sum = [0.0, 0, 0, 0]
        for (index, weight) in columns[x] {
          for c in 0..<4 { sum[c] += weight * Double(source[y * bitmap.bytesPerRow + index * 4 + c]) }
        }
        between.append(sum)
      }
    }
    return (0..<size.width * size.height).map { place in
      var sum = [0.0, 0, 0, 0]
      for (index, weight) in rows[place / size.width] {
        let pixel = between[index * size.width + place % size.width]
        for c in 0..<4 { sum[c] += weight * pixel[c] }
      }
      let alpha = bitmap.isOpaque ? 255 : min(max(sum[3], 0), 255)
      return sum[..<3].map { min(max($0, 0), alpha) } + [alpha]
    }
  }

  private func weights(
    extent: Int, origin: Double, length: Double, count: Int, at place: Int
  ) -> [(index: Int, weight: Double)] {
    let ratio = length / Double(count)
    if ratio == 1, origin == origin.rounded(), origin >= 0, origin + length <= Double(extent) {
      return [(Int(origin) + place, 1)]
    }
    let center = min(max(origin + (Double(place) + 0.5) * ratio, 0), Double(extent))
    if kernel == .nearest {
      // Between two pixels it is the one nearer to the middle, where the part that is shown has one.
      let mirror = count - 1 - place
      if mirror < place, 2 * origin + length == Double(extent) {
        let twin = weights(extent: extent, origin: origin, length: length, count: count, at: mirror)
        return [(extent - 1 - twin[0].index, 1)]
      }
      let middle = origin + (Double(place) + 0.5) * length / Double(count)
      return [(min(Int(min(max(middle, 0), Double(extent))), extent - 1), 1)]
    }
    let all = (0..<extent).map { index -> (index: Int, weight: Double) in
      guard kernel != .box else {
        let covered = min(Double(index + 1), center + ratio / 2) - max(Double(index), center - ratio / 2)
        return (index, max(0, covered))
      }
      return (index, value((Double(index) + 0.5 - center) / max(1, ratio)))
    }
    let sum = all.reduce(0) { $0 + $1.weight }
    return all.filter { $0.weight != 0 }.map { ($0.index, $0.weight / sum) }
  }

  private func value(_ distance: Double) -> Double {
    let x = abs(distance)
    switch kernel {
    case .box, .nearest: return x <= 0.5 ? 1 : 0
    case .bilinear: return max(0, 1 - x)
    case .catmullRom:
      if x < 1 { return (3 * x * x * x - 5 * x * x + 2) / 2 }
      return x < 2 ? (-x * x * x + 5 * x * x - 8 * x + 4) / 2 : 0
    case .mitchell:
      // Mitchell and Netravali 1988, equation 8, with B = C = 1/3.
      let third = 1.0 / 3
      if x < 1 { return ((12 - 15 * third) * x * x * x + (-18 + 18 * third) * x * x + 6 - 2 * third) / 6 }
      let cubic = -7 * third * x * x * x + 36 * third * x * x
      return x < 2 ? (cubic - 60 * third * x + 32 * third) / 6 : 0
    case .lanczos3:
      if x == 0 { return 1 }
      return x < 3 ? 3 * sin(.pi * x) * sin(.pi * x / 3) / (.pi * .pi * x * x) : 0
    }
  }
}
