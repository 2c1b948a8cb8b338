/// Lets white areas of a block be more than white where they meet an edge. A decoder cuts such values off, and the
/// edge needs fewer coefficients: text on white gets less noise around it (Lesiński, "Overshoot deringing", as in mozjpeg).
enum JPEGOvershoot {
  private static let white: Int32 = 127
  private static let limit: Int32 = 31

  /// Changes samples around zero in a block that is partly white.
  ///
  /// Runs of white samples along the zigzag, which passes through a block as edges do, become curves that continue the
  /// slopes of their ends.
  ///
  /// - Parameter step: the quantization step of the mean: larger values could not be written apart.
  ///
  /// Unsafe pointer: 64 samples.
  static func apply(to samples: UnsafeMutablePointer<Int32>, step: Int32) {
    var (count, sum): (Int32, Int32) = (0, 0)
    for k in 0..<64 {
      sum &+= samples[k]
      count &+= samples[k] >= white ? 1 : 0
    }
    guard count > 0, count < 64 else { return }
    // The mean must stay in its range.
    let top = white + min(min(limit, 2 * step), (white * 64 - sum) / count)
    var start = 0
    while start < 64 {
      if samples[JPEGZigzag.order[start]] < white {
        start += 1
        continue
      }
      var end = start + 1
      while end < 64, samples[JPEGZigzag.order[end]] >= white { end += 1 }
      raise(samples, start..<end, top)
      start = end + 1
    }
  }

  private static func raise(_ samples: UnsafeMutablePointer<Int32>, _ run: Range<Int>, _ top: Int32) {
    func sample(_ place: Int) -> Float { Float(samples[JPEGZigzag.order[min(max(place, 0), 63)]]) }
    let (before, after) = (sample(run.lowerBound - 1), sample(run.upperBound))
    var rise = max(before - sample(run.lowerBound - 2), Float(white) - before)
    var fall = max(after - sample(run.upperBound + 1), Float(white) - after)
    if run.lowerBound == 0 { rise = fall }
    if run.upperBound == 64 { fall = rise }
    let length = Float(run.count)
    for place in run {
      // A cubic curve from white to white with these slopes.
      let t = Float(place - run.lowerBound + 1) / (length + 1)
      let value = Float(white) + length * t * (1 - t) * (rise * (1 - t) + fall * t)
      samples[JPEGZigzag.order[place]] = min(Int32(value.rounded(.up)), top)
    }
  }
}
