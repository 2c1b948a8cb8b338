import OzuBase

/// A picture at a place of a surface, with everything that decides about its pixels.
///
/// A layer on whole pixels that is not turned is copied pixel by pixel. Any other is sampled with the cubic of
/// Catmull and Rom, whose weights are also right between whole pixels; its edges are antialiased by the covered
/// fraction of a pixel.
struct PictureLayer {
  /// The largest distance of a layer from the surface, in pixels. Sums of a few of these are exact in a `Double`.
  static let farthest = Double(1 << 40)

  private let picture: BGRABitmap
  private let x: Double
  private let y: Double
  /// The cosine and the sine of the angle.
  private let turn: (cos: Double, sin: Double)?
  private let opacity: UInt8
  private let mode: BlendMode
  private let light: ResamplingLight
  private let gap: PixelSize?

  /// Places a picture.
  ///
  /// - Parameters:
  ///   - x, y: the top left corner before the turn, in pixels of the surface; limited to `farthest`.
  ///   - rotation: in degrees clockwise around the centre of the picture; finite.
  ///   - gap: repeats the picture in all directions with this distance between two of them; at least 0 each, or on whole pixels
  ///     more than the negative size, by which each copy is cut.
  init(
    _ picture: BGRABitmap, x: Double, y: Double, rotation: Double = 0, opacity: UInt8 = 255,
    mode: BlendMode = .normal, light: ResamplingLight = .asStored, gap: PixelSize? = nil,
    pool: PixelBufferPool
  ) {
    let angle = rotation.remainder(dividingBy: 360)
    let place = (x: max(-Self.farthest, min(x, Self.farthest)), y: max(-Self.farthest, min(y, Self.farthest)))
    self.opacity = opacity
    self.mode = mode
    self.light = light
    self.gap = gap
    guard let right = Self.rightTurn(angle), gap == nil || right == nil else {
      self.picture = picture
      (self.x, self.y) = place
      let radians = angle * .pi / 180
      turn = (cos(radians), sin(radians))
      return
    }
    turn = nil
    self.picture =
      right.map { BGRABitmap(picture.bitmap.upright(from: $0.orientation, pool: pool), pool: pool) }
      ?? picture
    // The centre stays. A place on whole pixels stays on them, where a half would blur the picture.
    let shift = (
      x: Double(picture.size.width - self.picture.size.width) / 2,
      y: Double(picture.size.height - self.picture.size.height) / 2
    )
    let isWhole = place.x == place.x.rounded() && place.y == place.y.rounded()
    self.x = place.x + (isWhole ? shift.x.rounded(.down) : shift.x)
    self.y = place.y + (isWhole ? shift.y.rounded(.down) : shift.y)
  }

  /// The turn for a multiple of a right angle: `nil` inside for none, `nil` for another angle.
  private static func rightTurn(_ angle: Double) -> Turn?? {
    switch angle {
    case 0: .some(nil)
    case 90: .some(.right)
    case -90: .some(.left)
    case 180, -180: .some(.around)
    default: nil
    }
  }

  /// The rows of a surface on which it can change a pixel.
  func rows(of size: PixelSize) -> Range<Int> {
    guard gap == nil else { return 0..<size.height }
    let (top, bottom) = bounds.y
    return PixelSurface.touched(from: top, to: bottom, in: size.height)
  }

  /// The rectangle around the turned picture.
  private var bounds: (x: (Double, Double), y: (Double, Double)) {
    let (width, height) = (Double(picture.size.width), Double(picture.size.height))
    let (cos, sin) = (abs(turn?.cos ?? 1), abs(turn?.sin ?? 0))
    let reach = (x: (width * cos + height * sin) / 2, y: (width * sin + height * cos) / 2)
    let center = (x: x + width / 2, y: y + height / 2)
    // Half a pixel for the antialiased edge.
    let edge = turn == nil ? 0 : 0.5
    return (
      (center.x - reach.x - edge, center.x + reach.x + edge),
      (center.y - reach.y - edge, center.y + reach.y + edge)
    )
  }

  func draw(on surface: PixelSurface, rows band: Range<Int>) {
    let rows = rows(of: surface.size).clamped(to: band)
    let columns =
      gap == nil
      ? PixelSurface.touched(from: bounds.x.0, to: bounds.x.1, in: surface.size.width)
      : 0..<surface.size.width
    guard !rows.isEmpty, !columns.isEmpty, opacity > 0 else { return }
    if turn == nil, x == x.rounded(), y == y.rounded() {
      // Both are at most `farthest`.
      copy(to: surface, rows, columns, at: (Int(x), Int(y)))
    } else {
      sample(to: surface, rows, columns)
    }
  }
}

extension PictureLayer {
  /// Mixes a row of pixels with those below.
  ///
  /// A switch outside of the loop: the common modes are then loops without branches.
  @inline(__always)
  private func mix(_ target: inout MutableSpan<Pixel>, _ source: (Int) -> Pixel?) {
    if light == .linear {
      let table = LightTable.shared
      for x in target.indices {
        if let pixel = source(x) { target[x] = mode.blendLight(pixel, target[x], table) }
      }
    } else if mode == .normal {
      for x in target.indices { if let pixel = source(x) { target[x] = pixel.over(target[x]) } }
    } else {
      for x in target.indices { if let pixel = source(x) { target[x] = mode.blend(pixel, target[x]) } }
    }
  }

  /// Draws pixels of the picture as they are.
  private func copy(
    to surface: PixelSurface, _ rows: Range<Int>, _ columns: Range<Int>, at place: (x: Int, y: Int)
  ) {
    let size = picture.size
    let period = PixelSize(size.width + (gap?.width ?? 0), size.height + (gap?.height ?? 0))
    picture.withPixels { pixels, pictureRows in
      for y in rows {
        let own = gap == nil ? y - place.y : (y - place.y).modulo(period.height)
        guard own < size.height else { continue }
        let source = pixels.extracting(pictureRows[own])
        surface.edit(y, columns) { target in
          let start = columns.lowerBound - place.x
          if gap == nil {
            mix(&target) { source[start + $0].covered(by: opacity) }
          } else {
            mix(&target) { x in
              let own = (start + x).modulo(period.width)
              return own < size.width ? source[own].covered(by: opacity) : nil
            }
          }
        }
      }
    }
  }

  /// Draws pixels between those of the picture.
  private func sample(to surface: PixelSurface, _ rows: Range<Int>, _ columns: Range<Int>) {
    let (width, height) = (Double(picture.size.width), Double(picture.size.height))
    let (cos, sin) = turn ?? (1, 0)
    let veil = Float(opacity) / 255
    let gaps = gap.map { (x: Double($0.width), y: Double($0.height)) }
    picture.withPixels { pixels, pictureRows in
      let wraps = (x: gaps?.x == 0, y: gaps?.y == 0)
      for y in rows {
        surface.edit(y, columns) { target in
          let dy = Double(y) + 0.5 - self.y - height / 2
          mix(&target) { index in
            let dx = Double(columns.lowerBound + index) + 0.5 - self.x - width / 2
            // Back into the picture, from the centre.
            var u = dx * cos + dy * sin + width / 2
            var v = dy * cos - dx * sin + height / 2
            if let gaps {
              // The middle of a gap divides two pictures.
              u = (u + gaps.x / 2).modulo(width + gaps.x) - gaps.x / 2
              v = (v + gaps.y / 2).modulo(height + gaps.y) - gaps.y / 2
            }
            let across = wraps.x ? 1 : max(0, min(u, width - u, 0.5) + 0.5)
            let down = wraps.y ? 1 : max(0, min(v, height - v, 0.5) + 0.5)
            let coverage = Float(across * down) * veil
            guard coverage > 0 else { return nil }
            return Pixel(bytes: Self.cubic(pixels, pictureRows, u - 0.5, v - 0.5, wraps: wraps) * coverage)
          }
        }
      }
    }
  }
}

extension PictureLayer {
  /// The colour between pixels at a distance from the centre of the first one, by the cubic of Catmull and Rom (Keys
  /// 1981, a = -1/2): premultiplied red, green, blue and alpha, about 0 to 255.
  ///
  /// - Parameter wraps: whether the pixels of the other side follow at the border; else the last pixel is repeated.
  @inline(__always)
  private static func cubic(
    _ pixels: Span<Pixel>, _ rows: PixelRows, _ x: Double, _ y: Double, wraps: (x: Bool, y: Bool)
  ) -> SIMD4<Float> {
    let (left, top) = (x.rounded(.down), y.rounded(.down))
    let across = weights(Float(x - left))
    let down = weights(Float(y - top))
    // The place is inside the picture, or less than a pixel from it.
    let (column, row) = (Int(left), Int(top))
    var sum = SIMD4<Float>.zero
    for j in 0..<4 {
      let source = pixels.extracting(rows[inside(row + j - 1, rows.height, wraps.y)])
      var part = SIMD4<Float>.zero
      for i in 0..<4 {
        let pixel = source[inside(column + i - 1, rows.width, wraps.x)]
        part +=
          across[i] * SIMD4(Float(pixel.red), Float(pixel.green), Float(pixel.blue), Float(pixel.alpha))
      }
      sum += down[j] * part
    }
    return sum
  }

  @inline(__always)
  private static func inside(_ index: Int, _ count: Int, _ wraps: Bool) -> Int {
    wraps ? index.modulo(count) : max(0, min(index, count - 1))
  }

  /// The weights of the four pixels around a place, `t` behind the second.
  @inline(__always)
  private static func weights(_ t: Float) -> SIMD4<Float> {
    SIMD4(
      ((1 - 0.5 * t) * t - 0.5) * t, (1.5 * t - 2.5) * t * t + 1, ((2 - 1.5 * t) * t + 0.5) * t,
      (0.5 * t - 0.5) * t * t)
  }
}

extension Int {
  /// The remainder that is never negative.
  @inline(__always)
  fileprivate func modulo(_ period: Int) -> Int {
    let rest = self % period
    return rest < 0 ? rest + period : rest
  }
}

extension Double {
  /// The remainder that is never negative, and less than the period.
  @inline(__always)
  fileprivate func modulo(_ period: Double) -> Double {
    let rest = self - (self / period).rounded(.down) * period
    return rest < 0 || rest >= period ? 0 : rest
  }
}
