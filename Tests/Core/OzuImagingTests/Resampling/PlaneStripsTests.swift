import OzuBase
import OzuTesting
import Testing

@testable import OzuImaging

/// Planes that a decoder makes in strips give the same picture as whole planes, with less memory.
@Suite("Planes in strips")
struct PlaneStripsTests {
  /// Copies the rows of whole planes.
  private final class Copier: PlaneStripMaker {
    let planes: [SamplePlane]
    let shapes: [PlaneStrips.Shape]
    let stripCount: Int
    /// The strip at which it fails.
    var failing: Int?
    /// Memory that it exchanges for that of each strip.
    var spare: UnsafeMutableRawBufferPointer?
    /// For each strip whether it was seen.
    private(set) var seen: [Bool] = []

    /// - Parameter rows: of each plane in a strip.
    init(_ planes: [SamplePlane], rows: [Int]) {
      self.planes = planes
      shapes = zip(planes, rows).map { plane, rows in
        PlaneStrips.Shape(
          columnCount: plane.samplesPerRow, rowCount: rows, extentWidth: plane.extentWidth,
          extentHeight: plane.extentHeight, lift: plane.lift)
      }
      stripCount = planes[0].rowCount / rows[0]
    }

    func makeStrip(in strip: inout UnsafeMutableRawBufferPointer, isSeen: Bool) throws(ImageDecodingError) {
      let number = seen.count
      seen.append(isSeen)
      if number == failing { throw .truncated(.jpeg, stage: "strip \(number)") }
      if let memory = spare {
        spare = strip
        strip = memory
      }
      guard isSeen else { return }
      let places = self.planes(of: strip)
      for (index, shape) in shapes.enumerated() {
        let count = shape.rowCount * shape.samplesPerRow
        places[index].update(from: planes[index].samples.baseAddress! + number * count, count: count)
      }
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    /// The size of the picture in blocks of 8 × 8.
    var blocks: PixelSize
    /// The blocks of luma for one of chroma; 0 for a grey picture.
    var step: Int
    /// The eighths of luma and chroma.
    var eighths: (Int, Int)
    var output: PixelSize
    var testDescription: String { "\(blocks) blocks, step \(step), \(eighths) eighths to \(output)" }

    var isGray: Bool { step == 0 }
    var stripRows: Int { 8 * max(step, 1) }
    var stored: PixelSize { PixelSize(blocks.width * 8 - 3, blocks.height * 8 - 5) }

    /// Planes of noise, which have whole strips.
    func planes(seed: UInt64) -> [SamplePlane] {
      var random = SeededGenerator(seed: seed)
      return (0..<(isGray ? 1 : 3)).map { index in
        let step = Double(index == 0 ? 1 : step)
        let factor = Double(index == 0 ? eighths.0 : eighths.1) / 8 / step
        let strips = (stored.height + stripRows - 1) / stripRows
        let plane = SamplePlane(
          columnCount: Int((Double(blocks.width * 8) * factor).rounded(.up)),
          rowCount: strips * rows(index), extentWidth: Double(stored.width) * factor,
          extentHeight: Double(stored.height) * factor)
        for index in plane.samples.indices { plane.samples[index] = Int16(random.next() % (255 << 6)) }
        return plane
      }
    }

    /// The rows of a plane in a strip.
    func rows(_ index: Int) -> Int { index == 0 ? eighths.0 * max(step, 1) : eighths.1 }
  }

  static let cases = [
    Case(blocks: PixelSize(40, 64), step: 2, eighths: (5, 6), output: PixelSize(100, 150)),
    Case(blocks: PixelSize(40, 64), step: 2, eighths: (1, 2), output: PixelSize(20, 31)),
    Case(blocks: PixelSize(12, 200), step: 1, eighths: (3, 4), output: PixelSize(9, 120)),
    Case(blocks: PixelSize(12, 200), step: 0, eighths: (8, 8), output: PixelSize(40, 17)),
    Case(blocks: PixelSize(9, 300), step: 2, eighths: (8, 8), output: PixelSize(9, 2)),
    Case(blocks: PixelSize(3, 2), step: 2, eighths: (2, 3), output: PixelSize(50, 30)),
  ]

  private func whole(_ planes: [SamplePlane]) -> PlanarPicture {
    PlanarPicture(luma: planes[0], chroma: planes.count == 3 ? (planes[1], planes[2]) : nil)
  }

  @Test("give the same picture, and are made once, in their order", arguments: cases)
  func pixels(_ entry: Case) throws {
    let planes = entry.planes(seed: 3)
    let regions = [
      PixelRegion(x: 0, y: 0, width: 1, height: 1), PixelRegion(x: 0.2, y: 0.55, width: 0.5, height: 0.3),
      PixelRegion(x: 0.1, y: 0, width: 0.8, height: 0.1), PixelRegion(x: -0.5, y: -0.5, width: 2, height: 2),
    ]
    for (index, region) in regions.enumerated() {
      let maker = Copier(planes, rows: planes.indices.map(entry.rows))
      if index.isMultiple(of: 2) {
        maker.spare = PixelBufferPool.shared.takeBlock(byteCount: maker.stripByteCount)
      }
      defer { if let memory = maker.spare { PixelBufferPool.shared.giveBack(memory) } }
      let picture = whole(planes)
      let result = try Resampler().resample(
        maker, content: picture.content, region: region, to: entry.output, colorSpace: .sRGB, pool: .shared
      ) { () throws(ImageDecodingError) in }
      #expect(result == Resampler().resample(picture, region: region, to: entry.output))
      #expect(maker.seen.count == maker.stripCount)
      #expect(maker.seen.contains(true))
    }
  }

  @Test("are seen only where the part is shown")
  func region() throws {
    let entry = Self.cases[0]
    let planes = entry.planes(seed: 3)
    let maker = Copier(planes, rows: planes.indices.map(entry.rows))
    _ = try Resampler().resample(
      maker, content: whole(planes).content, region: PixelRegion(x: 0, y: 0.5, width: 1, height: 0.1),
      to: PixelSize(100, 15), colorSpace: .sRGB, pool: .shared
    ) { () throws(ImageDecodingError) in }
    let first = try #require(maker.seen.firstIndex(of: true))
    let last = try #require(maker.seen.lastIndex(of: true))
    // A tenth of 32 strips, the reach of the filter, and what four pairs of rows at a time read too much.
    #expect(12...15 ~= first && 19...22 ~= last && !maker.seen[first...last].contains(false))
  }

  @Test("fail with the error of the decoder, also of a strip below the part", arguments: [0, 7, 31])
  func failure(strip: Int) throws {
    let entry = Self.cases[0]
    let planes = entry.planes(seed: 5)
    let maker = Copier(planes, rows: planes.indices.map(entry.rows))
    maker.failing = strip
    #expect(throws: ImageDecodingError.truncated(.jpeg, stage: "strip \(strip)")) {
      try Resampler().resample(
        maker, content: whole(planes).content, region: PixelRegion(x: 0, y: 0, width: 1, height: 0.5),
        to: entry.output, colorSpace: .sRGB, pool: .shared
      ) { () throws(ImageDecodingError) in }
    }
    #expect(maker.seen.count == strip + 1, "nothing is made after a failure")
  }

  @Test("take at most the computed memory, and little of a tall picture", arguments: cases)
  func memory(_ entry: Case) throws {
    let planes = entry.planes(seed: 3)
    let layout = PlaneLayout(
      chromaStep: entry.isGray ? nil : .init(horizontal: entry.step, vertical: entry.step),
      stripRows: entry.stripRows)
    let header = ImageHeader(type: .jpeg, storedSize: entry.stored, planeLayout: layout)
    for height in [1, 0.25] {
      let region = PixelRegion(x: 0, y: 0, width: 1, height: height)
      let shown = region.scaled(
        horizontal: Double(entry.stored.width), vertical: Double(entry.stored.height))
      let pool = PixelBufferPool(retainedByteLimit: 0)
      let maker = Copier(planes, rows: planes.indices.map(entry.rows))
      let result = try Resampler().resample(
        maker, content: whole(planes).content, region: region, to: entry.output, colorSpace: .sRGB, pool: pool
      ) { () throws(ImageDecodingError) in }
      let working = Resampler().workingByteCount(
        ofPlanes: layout, in: header.storedSize, region: shown, to: entry.output)
      let strips = Resampler().stripsByteCount(
        luma: entry.eighths.0, chroma: entry.eighths.1, layout: layout, stored: entry.stored, region: shown,
        to: entry.output)
      let taken = pool.statistics.peakLentByteCount - PixelBufferPool.sizeClass(result.byteCount)
      #expect(taken <= working + strips)
      #expect(working + strips <= 5 * taken + (1 << 20))
    }
  }
}
