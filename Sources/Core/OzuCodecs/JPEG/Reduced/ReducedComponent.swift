import OzuImaging

/// A component while its scans are decoded: the places of its coefficients, and their quantization steps.
///
/// Coefficients are written into the plane itself, or into a strip of it: into the square of `scale` × `scale` samples of their
/// block, at the place of their frequencies. `ReducedIDCT` transforms the squares into samples in place. Means are multiplied by
/// their steps before; `Dequantization` tells where other coefficients are.
struct ReducedComponent {
  /// The last coefficient in zigzag order that a square of 1 to 8 keeps.
  static let lastKept = [0, 0, 4, 12, 24, 39, 51, 59, 63]

  let scale: Int
  let lastKept: Int
  let stride: Int
  /// The first sample of the plane, or of the strip that is being decoded; `nil` before there is one. The decoder holds a plane
  /// until all scans are decoded.
  var samples: UnsafeMutablePointer<Int16>?
  /// In zigzag order: the place in a square, or −1 for coefficients that are not kept.
  let places: UnsafeMutablePointer<Int32>
  /// The same with 0, the place of the mean, for coefficients that are not kept. It has 128 entries: those after the first 64
  /// are for the end of a block, and are not kept.
  let targets: UnsafeMutablePointer<Int32>
  /// The quantization steps in zigzag order, 1 to 255.
  let quantization: UnsafeMutablePointer<Int32>
  /// The same for the transform.
  let dequantization = Dequantization()
  /// For each block of the plane, row by row, the coefficients that are not zero, as bits in zigzag order. Scans of last bits
  /// are read with it. `nil` until a scan is tracked.
  private(set) var history: UnsafeMutablePointer<UInt64>?
  /// For each block of the plane whether it has only its mean. It is used while means are not known yet, by a
  /// `ReducedScanTail`. Then the first sample of a block's square is the sum of the differences.
  private(set) var flatBlocks: UnsafeMutablePointer<Bool>?
  let blockCount: PixelSize
  var prediction: Int32 = 0

  /// - Parameters:
  ///   - samplesPerRow: the distance between rows of samples.
  ///   - blocks: the number of blocks in the rows and columns of the plane.
  init(samplesPerRow: Int, scale: Int, blocks: PixelSize) {
    self.scale = scale
    lastKept = Self.lastKept[scale]
    blockCount = blocks
    stride = samplesPerRow
    places = .allocate(capacity: 64)
    targets = .allocate(capacity: 128)
    targets.initialize(repeating: 0, count: 128)
    quantization = .allocate(capacity: 64)
    quantization.initialize(repeating: 1, count: 64)
    for (index, position) in Self.zigzag.enumerated() {
      let row = position / 8
      let column = position % 8
      // Squares above 2 have their axes exchanged (`SquareTransform`).
      let place = scale > 2 ? column * stride + row : row * stride + column
      places[index] = row < scale && column < scale ? Int32(place) : -1
      targets[index] = max(0, places[index])
    }
  }

  /// The coefficients that are kept, as bits. The first in zigzag order is the lowest bit.
  var kept: UInt64 { (0..<64).reduce(0) { places[$1] >= 0 ? $0 | 1 << UInt64($1) : $0 } }

  /// Sets the quantization steps: 64 of them in zigzag order.
  func set(steps: [UInt8]) {
    for index in 0..<64 { quantization[index] = Int32(steps[index]) }
    dequantization.set(quantization, scale: scale)
  }

  /// Prepares estimates for the missing bits of coefficients, which are counted in zigzag order. Returns whether there are any.
  func estimate(_ missingBits: [Int]) -> Bool {
    dequantization.estimate(missingBits, quantization, scale: scale)
  }

  /// Begins to note which coefficients are not zero.
  mutating func track() {
    guard history == nil else { return }
    let words = UnsafeMutablePointer<UInt64>.allocate(capacity: blockCount.pixelCount)
    words.initialize(repeating: 0, count: blockCount.pixelCount)
    history = words
  }

  /// Begins to keep sums of differences instead of means.
  mutating func keepDifferences() {
    let flags = UnsafeMutablePointer<Bool>.allocate(capacity: blockCount.pixelCount)
    flags.initialize(repeating: false, count: blockCount.pixelCount)
    flatBlocks = flags
  }

  func free() {
    flatBlocks?.deallocate()
    history?.deallocate()
    places.deallocate()
    targets.deallocate()
    quantization.deallocate()
    dequantization.free()
  }

  /// The distance between rows of blocks in samples.
  @inline(__always)
  var lineStep: Int { scale &* stride }

  /// Where the flags for flat blocks begin at a block, if they are noted.
  @inline(__always)
  func flags(column: Int, row: Int) -> UnsafeMutablePointer<Bool>? {
    flatBlocks.map { $0 + (row &* blockCount.width &+ column) }
  }

  /// The first sample of a block's square.
  @inline(__always)
  func block(column: Int, row: Int) -> UnsafeMutablePointer<Int16> {
    samples! + (row &* scale &* stride &+ column &* scale)
  }

  /// A dequantized mean value, clamped to twice the range of valid files.
  ///
  /// That of a flat block, which has no other coefficient, is a multiple of 8, which is the mean of the bytes in a full
  /// decode. In other blocks the rounding errors of samples cancel out; here they would be a visible step in colour.
  @inline(__always)
  func mean(_ value: Int32, isFlat: Bool = false) -> Int16 {
    Self.mean(value, step: quantization[0], isFlat: isFlat)
  }

  /// The same with a step that the caller has read.
  @inline(__always)
  static func mean(_ value: Int32, step: Int32, isFlat: Bool) -> Int16 {
    // Like libjpeg, 16 bits of the sum, which has more bits in a hostile file.
    let mean = product(Int32(Int16(truncatingIfNeeded: value)), step)
    // Without a branch, because the processor could not predict it.
    return flat(mean, isFlat ? 7 : 0)
  }

  /// Rounds off the bits of `fraction`.
  @inline(__always)
  private static func flat(_ mean: Int16, _ fraction: Int16) -> Int16 {
    (mean &+ (fraction &+ 1) &>> 1) & ~fraction
  }

  /// Does the same with all blocks that have only their means, after every scan was tracked.
  func flattenMeans() {
    guard let history else { return }
    for row in 0..<blockCount.height {
      for column in 0..<blockCount.width where history[row &* blockCount.width &+ column] == 0 {
        let block = block(column: column, row: row)
        block[0] = Self.flat(block[0], 7)
      }
    }
  }

  /// A product, clamped to the range of coefficients.
  @inline(__always)
  static func product(_ value: Int32, _ step: Int32) -> Int16 {
    Int16(truncatingIfNeeded: max(-2048, min(2047, value &* step)))
  }

  /// The frequencies in the order of the file: row × 8 + column (ITU-T T.81 Figure A.6).
  static let zigzag: [Int] = {
    var order: [Int] = []
    for diagonal in 0..<15 {
      let rows = max(0, diagonal - 7)...min(diagonal, 7)
      let upwards = diagonal % 2 == 0
      for row in upwards ? Array(rows.reversed()) : Array(rows) { order.append(row * 8 + diagonal - row) }
    }
    return order
  }()
}
