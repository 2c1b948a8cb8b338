/// Makes the planes of a picture in strips, from top to bottom.
package protocol PlaneStripMaker: AnyObject {
  /// The planes, and how many of their rows each strip has.
  var shapes: [PlaneStrips.Shape] { get }
  /// The number of strips of the picture.
  var stripCount: Int { get }

  /// Makes the next strip, at most `stripCount` times.
  ///
  /// - Parameters:
  ///   - strip: memory for the rows of all planes, one plane after the other (`planes(of:)`), with any content. The maker may exchange
  ///     it for memory of the same length, from the same pool.
  ///   - isSeen: whether the samples will be read. Otherwise the strip is only to be stepped over.
  func makeStrip(in strip: inout UnsafeMutableRawBufferPointer, isSeen: Bool) throws(ImageDecodingError)
}

extension PlaneStripMaker {
  package var stripByteCount: Int { PlaneStrips.byteCount(shapes) }

  /// For each plane the place of its rows in the memory of a strip.
  package func planes(of strip: UnsafeMutableRawBufferPointer) -> [UnsafeMutablePointer<Int16>] {
    PlaneStrips.planes(of: strip, shapes: shapes)
  }
}

/// The rows of planes that a decoder makes in strips: only those that the filter still needs are in memory.
///
/// Planes of the whole picture take more memory than a thumbnail, and rows would have left the cache of the processor when the
/// filter reads them. So a strip is made when one of the planes first needs a row of it, for all planes, and its memory is
/// used again when all of them have passed it.
///
/// The decoder can fail, but the filter cannot: after a failure rows are black, and `check` and `finish` throw.
///
/// Unsafe pointers. Why every index is in bounds: the memory of a strip has room for the rows of all planes, one plane after the
/// other, and `row` checks that its row is in a strip that exists.
package final class PlaneStrips {
  /// The rows of one plane in a strip.
  package struct Shape: Hashable, Sendable {
    /// The width of the picture, in samples.
    package var extentWidth: Double
    /// The height of the picture, in samples.
    package var extentHeight: Double
    /// The distance between rows in samples; a multiple of 8.
    package var samplesPerRow: Int
    package var rowCount: Int
    /// How much fine detail the resampler has to strengthen.
    package var lift: DetailLift

    /// Makes a shape of rows in which `columnCount` samples will be written.
    package init(
      columnCount: Int, rowCount: Int, extentWidth: Double, extentHeight: Double, lift: DetailLift
    ) {
      samplesPerRow = (columnCount + 7) & ~7
      self.rowCount = rowCount
      self.extentWidth = extentWidth
      self.extentHeight = extentHeight
      self.lift = lift
    }

    fileprivate var sampleCount: Int { samplesPerRow * rowCount }
  }

  fileprivate static func byteCount(_ shapes: [Shape]) -> Int {
    shapes.reduce(0) { $0 + $1.sampleCount } * MemoryLayout<Int16>.stride
  }

  /// For each plane the place of its rows in the memory of a strip.
  package static func planes(
    of strip: UnsafeMutableRawBufferPointer, shapes: [Shape]
  ) -> [UnsafeMutablePointer<Int16>] {
    precondition(strip.count >= byteCount(shapes), "memory of a strip")
    var samples = strip.bindMemory(to: Int16.self).baseAddress!
    return shapes.map { shape in
      defer { samples += shape.sampleCount }
      return samples
    }
  }

  private let maker: any PlaneStripMaker
  private let shapes: [Shape]
  private let pool: PixelBufferPool
  private let byteCount: Int
  /// Where each plane begins in the memory of a strip.
  private let offsets: [Int]
  /// The first row that each plane may still need.
  private var firstRows: [Int]
  /// The strips from number `firstHeld` on, and the memory of former ones.
  private var held: [UnsafeMutableRawBufferPointer] = []
  private var firstHeld = 0
  private var free: [UnsafeMutableRawBufferPointer] = []
  private var nextStrip = 0
  private var failure: ImageDecodingError?

  init(_ maker: any PlaneStripMaker, pool: PixelBufferPool) {
    self.maker = maker
    self.pool = pool
    shapes = maker.shapes
    firstRows = shapes.map { _ in 0 }
    var offsets: [Int] = []
    var count = 0
    for shape in shapes {
      offsets.append(count)
      count += shape.sampleCount
    }
    self.offsets = offsets
    byteCount = maker.stripByteCount
  }

  deinit {
    for block in held + free { pool.giveBack(block) }
  }

  /// The planes, in the order of the shapes.
  var planes: [any SampleRowSource] { shapes.indices.map { Plane(strips: self, index: $0) } }

  private final class Plane: SampleRowSource {
    private let strips: PlaneStrips
    private let index: Int
    private let shape: Shape

    init(strips: PlaneStrips, index: Int) {
      self.strips = strips
      self.index = index
      shape = strips.shapes[index]
    }

    var extentWidth: Double { shape.extentWidth }
    var extentHeight: Double { shape.extentHeight }
    var lift: DetailLift { shape.lift }
    func row(_ row: Int) -> UnsafePointer<Int16> { strips.row(row, shape, plane: index) }
    func discard(before row: Int) { strips.discard(before: row, plane: index) }
  }

  private func row(_ row: Int, _ shape: Shape, plane: Int) -> UnsafePointer<Int16> {
    precondition(row >= firstRows[plane] && Double(row) < shape.extentHeight, "a row that does not exist")
    let number = row / shape.rowCount
    while nextStrip <= number { makeStrip() }
    let samples = UnsafeRawPointer(held[number - firstHeld].baseAddress!).assumingMemoryBound(to: Int16.self)
    return samples + (offsets[plane] + row % shape.rowCount * shape.samplesPerRow)
  }

  private func discard(before row: Int, plane: Int) {
    firstRows[plane] = max(firstRows[plane], row)
    let first = firstNeeded
    while firstHeld < first, !held.isEmpty {
      free.append(held.removeFirst())
      firstHeld += 1
    }
  }

  /// The first strip that has a row which a plane may still need.
  private var firstNeeded: Int {
    shapes.indices.reduce(.max) { min($0, firstRows[$1] / shapes[$1].rowCount) }
  }

  private func makeStrip() {
    precondition(nextStrip < maker.stripCount, "a strip that does not exist")
    let isSeen = nextStrip >= firstNeeded
    var block = free.popLast() ?? pool.takeBlock(byteCount: byteCount)
    do throws(ImageDecodingError) {
      try check()
      try maker.makeStrip(in: &block, isSeen: isSeen)
      precondition(block.count >= byteCount, "memory of a strip")
    } catch {
      failure = error
      block.initializeMemory(as: UInt8.self, repeating: 0)
    }
    if isSeen {
      if held.isEmpty { firstHeld = nextStrip }
      held.append(block)
    } else {
      free.append(block)
    }
    nextStrip += 1
  }

  /// Throws the error of the decoder, if there was one.
  func check() throws(ImageDecodingError) {
    if let failure { throw failure }
  }

  /// Steps over the strips below the part that is shown, so that an error in them is thrown too.
  func finish() throws(ImageDecodingError) {
    for plane in shapes.indices { discard(before: .max, plane: plane) }
    while failure == nil, nextStrip < maker.stripCount { makeStrip() }
    try check()
  }
}

extension Resampler {
  /// Resamples a part of a picture whose planes are made in strips.
  ///
  /// - Parameter content: the meaning of the planes.
  /// - Throws: the errors of the maker and of `checkpoint`.
  package func resample(
    _ maker: any PlaneStripMaker, content: PlanarPicture.Content, region: PixelRegion, to size: PixelSize,
    colorSpace: ColorSpaceTag, pool: PixelBufferPool, checkpoint: () throws(ImageDecodingError) -> Void
  ) throws(ImageDecodingError) -> Bitmap {
    let strips = PlaneStrips(maker, pool: pool)
    let bitmap = try resample(
      strips.planes, content: content, region: region, to: size, colorSpace: colorSpace, pool: pool
    ) { () throws(ImageDecodingError) in
      try strips.check()
      try checkpoint()
    }
    try strips.finish()
    return bitmap
  }
}
