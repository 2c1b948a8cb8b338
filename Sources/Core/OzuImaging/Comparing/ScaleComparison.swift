/// Compares two pictures at one scale, row by row, and passes every two rows on to the next scale.
///
/// It keeps the last nine rows of each plane, as many as the blur reaches: three channels of both pictures, and for
/// channels whose structure counts, the sum of their squares and the square of their difference. A row of the result is made when
/// four rows after it are there: blurred vertically from the nine rows, then horizontally in registers, where the
/// errors are computed and summed. Outside of the picture is zero, as in the reference.
///
/// A class, because the reader and the scale before write into its rows. It is used by one thread.
///
/// Why no access is out of bounds: every row has `stride` floats, the smallest multiple of 8 that is not less than the width, and
/// all loops over a row end there. Rows that are blurred horizontally have four more floats on either side.
final class ScaleComparison {
  private static let reach = GaussianKernel.reach
  private static let rowCount = 2 * reach + 1

  /// The light of the original's next row, in `size.width` values of each plane.
  let originalRow: LinearRow
  /// The same of the copy.
  let distortedRow: LinearRow
  let next: ScaleComparison?

  private let size: PixelSize
  private let stride: Int
  private let channels: [ErrorWeights.Terms]
  private let memory: UnsafeMutableBufferPointer<Float>
  /// A row of zeros, for rows outside of the picture.
  private let zero: UnsafeMutablePointer<Float>
  /// The first float of the kept rows: for each channel four planes of nine rows.
  private let rows: UnsafeMutablePointer<Float>
  /// A row that is blurred vertically, with zeros on either side.
  private let column: UnsafeMutablePointer<Float>
  /// Two rows of the strength of edges.
  private let edges: UnsafeMutablePointer<Float>
  /// Four rows that are blurred in both directions.
  private let blurred: UnsafeMutablePointer<Float>
  private var appendedCount = 0
  private var sums: [ErrorSums]

  private enum Plane: Int {
    case original, distorted, squares, differences
    static let count = 4
  }

  /// The floats that a scale of a width allocates.
  static func floatCount(width: Int) -> Int {
    let stride = width.saturatingSum(7) / 8 * 8
    return stride.saturatingProduct(6 + 1 + 3 * Plane.count * rowCount + Plane.count + 3)
      .saturatingSum(2 * reach)
  }

  init(size: PixelSize, channels: [ErrorWeights.Terms], next: ScaleComparison?) {
    self.size = size
    self.channels = channels
    self.next = next
    stride = (size.width + 7) / 8 * 8
    memory = .allocate(capacity: Self.floatCount(width: size.width))
    memory.initialize(repeating: 0)
    // The buffer has at least one float.
    let base = memory.baseAddress!  // swiftlint:disable:this force_unwrapping
    let stride = stride
    func row(_ index: Int) -> UnsafeMutablePointer<Float> { base + index * stride }
    originalRow = LinearRow(red: row(0), green: row(1), blue: row(2))
    distortedRow = LinearRow(red: row(3), green: row(4), blue: row(5))
    zero = row(6)
    rows = row(7)
    blurred = row(7 + 3 * Plane.count * Self.rowCount)
    edges = blurred + Plane.count * stride
    column = edges + 2 * stride
    sums = channels.map { _ in ErrorSums() }
  }

  deinit { memory.deallocate() }

  /// Takes the rows that are in `originalRow` and `distortedRow`.
  func append() {
    let slot = appendedCount % Self.rowCount
    convert(originalRow, .original, slot)
    convert(distortedRow, .distorted, slot)
    for (channel, terms) in channels.enumerated() where terms.structure { multiply(channel, slot) }
    passOn()
    appendedCount += 1
    if appendedCount > Self.reach { measure(appendedCount - 1 - Self.reach) }
  }

  /// Measures the last rows, after all were appended, and returns the errors of the channels.
  func finish() -> [ChannelErrors] {
    for y in max(0, size.height - Self.reach)..<size.height { measure(y) }
    return sums.map { $0.errors(pixelCount: size.pixelCount) }
  }

  private func row(_ channel: Int, _ plane: Plane, _ slot: Int) -> UnsafeMutablePointer<Float> {
    rows + ((channel * Plane.count + plane.rawValue) * Self.rowCount + slot) * stride
  }
}

extension ScaleComparison {
  private func convert(_ light: LinearRow, _ plane: Plane, _ slot: Int) {
    let (toX, toY, toB) = (row(0, plane, slot), row(1, plane, slot), row(2, plane, slot))
    let needsBlue = !channels[2].isEmpty
    for x in Swift.stride(from: 0, to: stride, by: 4) {
      let light = (light.red.four(x), light.green.four(x), light.blue.four(x))
      let color = XYBColor(red: light.0, green: light.1, blue: light.2)
      toX.store(color.x, x)
      toY.store(color.y, x)
      if needsBlue { toB.store(color.b, x) }
    }
    // Black is not zero, but all is zero outside of the picture.
    for x in size.width..<stride { (toX[x], toY[x], toB[x]) = (0, 0, 0) }
  }

  private func multiply(_ channel: Int, _ slot: Int) {
    let (original, distorted) = (row(channel, .original, slot), row(channel, .distorted, slot))
    let (squares, differences) = (row(channel, .squares, slot), row(channel, .differences, slot))
    for x in Swift.stride(from: 0, to: stride, by: 4) {
      let (a, b) = (original.four(x), distorted.four(x))
      squares.store(a * a + b * b, x)
      differences.store((a - b) * (a - b), x)
    }
  }

  /// Adds the rows to the next scale's, which has half the width and height. The last row or column of an odd
  /// number counts twice.
  private func passOn() {
    guard let next else { return }
    let isSecond = appendedCount % 2 == 1
    let isLast = appendedCount == size.height - 1
    for (from, to) in [(originalRow, next.originalRow), (distortedRow, next.distortedRow)] {
      for plane in [\LinearRow.red, \.green, \.blue] {
        add(
          from[keyPath: plane], to: to[keyPath: plane], adds: isSecond,
          weight: isLast && !isSecond ? 0.5 : 0.25)
      }
    }
    if isSecond || isLast { next.append() }
  }

  private func add(
    _ from: UnsafeMutablePointer<Float>, to: UnsafeMutablePointer<Float>, adds: Bool, weight: Float
  ) {
    if size.width % 2 == 1, size.width < stride { from[size.width] = from[size.width - 1] }
    // The next row has at least `(stride / 8) * 4` floats.
    for x in Swift.stride(from: 0, to: stride, by: 8) {
      let (low, high) = (from.four(x), from.four(x + 4))
      let even = SIMD4(lowHalf: low.evenHalf, highHalf: high.evenHalf)
      let odd = SIMD4(lowHalf: low.oddHalf, highHalf: high.oddHalf)
      let sum = (even + odd) * weight
      to.store(adds ? to.four(x / 2) + sum : sum, x / 2)
    }
  }
}

extension ScaleComparison {
  /// Computes the errors of a row, whose neighbours above and below are there or outside of the picture.
  private func measure(_ y: Int) {
    for (channel, terms) in channels.enumerated() where !terms.isEmpty {
      let means = (blur(channel, .original, y), blur(channel, .distorted, y))
      if terms.edges {
        let edges = (
          strength(channel, .original, y, mean: means.0), strength(channel, .distorted, y, mean: means.1)
        )
        sums[channel].addEdges(edges, width: size.width)
      }
      guard terms.structure else { continue }
      sums[channel].addStructure(
        means: means, squares: blur(channel, .squares, y), differences: blur(channel, .differences, y),
        width: size.width)
    }
  }

  /// How far a row is from its blurred values. A loop of its own: in that of the errors, the compiler splits the vectors of both
  /// pictures into values and joins them again.
  private func strength(
    _ channel: Int, _ plane: Plane, _ y: Int, mean: UnsafeMutablePointer<Float>
  ) -> UnsafeMutablePointer<Float> {
    let (source, target) = (row(channel, plane, y % Self.rowCount), edges + plane.rawValue * stride)
    for x in Swift.stride(from: 0, to: stride, by: 4) {
      let difference = unsafeBitCast(source.four(x) - mean.four(x), to: SIMD4<UInt32>.self)
      target.store(unsafeBitCast(difference & 0x7FFF_FFFF, to: SIMD4<Float>.self), x)
    }
    return target
  }

  /// A row of a plane, blurred.
  private func blur(_ channel: Int, _ plane: Plane, _ y: Int) -> UnsafeMutablePointer<Float> {
    blurVertically(channel, plane, y)
    let (source, target) = (column + Self.reach, blurred + plane.rawValue * stride)
    for x in Swift.stride(from: 0, to: stride, by: 4) {
      target.store(
        GaussianKernel.blur(
          source.four(x), source.four(x - 1) + source.four(x + 1), source.four(x - 2) + source.four(x + 2),
          source.four(x - 3) + source.four(x + 3), source.four(x - 4) + source.four(x + 4)), x)
    }
    for x in size.width..<stride { target[x] = 0 }
    return target
  }

  private func blurVertically(_ channel: Int, _ plane: Plane, _ y: Int) {
    func neighbour(_ offset: Int) -> UnsafeMutablePointer<Float> {
      let place = y + offset
      guard place >= 0, place < size.height else { return zero }
      return row(channel, plane, place % Self.rowCount)
    }
    let middle = neighbour(0)
    let (a1, a2, a3, a4) = (neighbour(-1), neighbour(-2), neighbour(-3), neighbour(-4))
    let (b1, b2, b3, b4) = (neighbour(1), neighbour(2), neighbour(3), neighbour(4))
    let target = column + Self.reach
    for x in Swift.stride(from: 0, to: stride, by: 4) {
      target.store(
        GaussianKernel.blur(
          middle.four(x), a1.four(x) + b1.four(x), a2.four(x) + b2.four(x), a3.four(x) + b3.four(x),
          a4.four(x) + b4.four(x)), x)
    }
  }
}

/// Four colours in XYB, the space of JPEG XL: red minus green, brightness, and blue minus brightness, each scaled to
/// about 0 to 1 as the metric does.
struct XYBColor {
  let x: SIMD4<Float>
  let y: SIMD4<Float>
  let b: SIMD4<Float>

  /// The bias that gives the dark end of the curve a finite slope, and its cube root.
  private static let bias: Float = 0.0037930733
  private static let biasRoot: Float = 0.15595420

  /// Converts linear light of sRGB: mixed as the three kinds of cones absorb it, then cube roots.
  @inline(__always)
  init(red: SIMD4<Float>, green: SIMD4<Float>, blue: SIMD4<Float>) {
    let long = Self.root(0.3 * red + 0.622 * green + 0.078 * blue + Self.bias)
    let medium = Self.root(0.23 * red + 0.692 * green + 0.078 * blue + Self.bias)
    let short = Self.root(0.24342269 * red + 0.20476744 * green + 0.55180987 * blue + Self.bias)
    let brightness = 0.5 * (long + medium) - Self.biasRoot
    x = (long - medium) * 7 + 0.42
    y = brightness + 0.01
    b = short - Self.biasRoot - brightness + 0.55
  }

  /// The cube root of values from 0.003 to 1.1, to 1e-6 of it.
  ///
  /// A third of the bits, subtracted from a constant, is a guess of the inverse root to 4 %; two steps of its series
  /// refine it without a division.
  @inline(__always)
  private static func root(_ value: SIMD4<Float>) -> SIMD4<Float> {
    let bits = unsafeBitCast(value, to: SIMD4<UInt32>.self)
    var third = (bits &>> 2) &+ (bits &>> 4)
    third = third &+ (third &>> 4)
    third = third &+ (third &>> 8)
    let guess = SIMD4(repeating: 0x54A1_E000) &- third
    var inverse = unsafeBitCast(guess, to: SIMD4<Float>.self)
    var rest = 1 - value * inverse * (inverse * inverse)
    inverse += inverse * rest * (1.0 / 3 as Float)
    rest = 1 - value * inverse * (inverse * inverse)
    inverse += inverse * rest * ((1.0 / 3 as Float) + rest * (2.0 / 9 as Float))
    return value * inverse * inverse
  }
}

/// The Gaussian of the metric, standard deviation 1.5, as a sum of three truncated cosines (Charalampidis 2016).
///
/// The reference computes it recursively; its impulse response ends after four pixels, so nine weights give the
/// same values, without a chain of dependencies along the row.
enum GaussianKernel {
  /// How many pixels the blur reaches to either side.
  static let reach = 4

  private static let weights: (Float, Float, Float, Float, Float) = (
    0.264621105, 0.212928592, 0.109335373, 0.036011115, 0.009414368
  )

  /// The blurred value of the middle, from the sums of its two neighbours at each distance.
  @inline(__always)
  static func blur(
    _ middle: SIMD4<Float>, _ first: SIMD4<Float>, _ second: SIMD4<Float>, _ third: SIMD4<Float>,
    _ fourth: SIMD4<Float>
  ) -> SIMD4<Float> {
    middle * weights.0 + first * weights.1 + second * weights.2 + third * weights.3 + fourth * weights.4
  }
}

extension UnsafeMutablePointer<Float> {
  @inline(__always)
  func four(_ x: Int) -> SIMD4<Float> {
    UnsafeRawPointer(self + x).loadUnaligned(as: SIMD4<Float>.self)
  }

  @inline(__always)
  func store(_ value: SIMD4<Float>, _ x: Int) {
    UnsafeMutableRawPointer(self + x).storeBytes(of: value, as: SIMD4<Float>.self)
  }
}
