import Foundation
import OzuBase
import OzuTesting
import Testing

@testable import OzuImaging

/// The rows of a bitmap, delivered one by one.
private final class BitmapRows: PixelRowReading {
  let size: PixelSize
  let isOpaque: Bool
  let colorSpace = ColorSpaceTag.sRGB
  private let bitmap: Bitmap
  private let failingRow: Int
  private(set) var readCount = 0

  init(_ bitmap: Bitmap, size: PixelSize? = nil, failingRow: Int = .max) {
    self.bitmap = bitmap
    self.size = size ?? bitmap.size
    isOpaque = bitmap.isOpaque
    self.failingRow = failingRow
  }

  func readRow(into row: inout MutableSpan<UInt8>) throws(ImageDecodingError) {
    #expect(readCount < bitmap.size.height && row.count == bitmap.size.width * 4)
    guard readCount < failingRow else { throw .truncated(.png, stage: "row \(readCount)") }
    bitmap.withUnsafeBytes { bytes in
      for x in 0..<row.count { row[x] = bytes[readCount * bitmap.bytesPerRow + x] }
    }
    readCount += 1
  }
}

/// A file that delivers rows.
private final class RowFile: ImageFile, Sendable {
  let header: ImageHeader
  private let bitmap: Bitmap
  private let answer: Answer

  enum Answer: Sendable { case rows, nothing, anotherSize }

  init(_ bitmap: Bitmap, _ answer: Answer) {
    self.bitmap = bitmap
    self.answer = answer
    header = ImageHeader(type: .png, storedSize: bitmap.size)
  }

  func demand(of plan: DecodePlan, context: DecodingContext) -> DecodingDemand {
    DecodingDemand(byteCount: 1000, deliversRows: true)
  }

  func withRows<Result>(
    _ plan: DecodePlan, context: DecodingContext,
    _ body: (any PixelRowReading) throws(ImageDecodingError) -> Result
  ) throws(ImageDecodingError) -> Result? {
    switch answer {
    case .rows: try body(BitmapRows(bitmap))
    case .nothing: nil
    case .anotherSize: try body(BitmapRows(bitmap, size: PixelSize(bitmap.size.width, 7)))
    }
  }

  func decode(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap { bitmap }
}

private struct RowDecoder: ImageDecoding {
  let file: RowFile
  var types: [ImageType] { [.png] }
  func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile { file }
}

@Suite("Rows from a decoder")
struct PictureRowsTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var source: PixelSize
    var region: PixelRegion?
    var output: PixelSize
    var testDescription: String { "\(source) \(region.map { "\($0)" } ?? "") to \(output)" }
  }

  /// Every order of passes, copies, crops, odd rows and huge reductions, across and down.
  static let cases: [Case] = [
    Case(source: PixelSize(300, 200), output: PixelSize(250, 150)),
    Case(source: PixelSize(301, 201), output: PixelSize(33, 47)),
    Case(source: PixelSize(301, 201), output: PixelSize(301, 47)),
    Case(source: PixelSize(301, 201), output: PixelSize(40, 201)),
    Case(source: PixelSize(64, 64), output: PixelSize(100, 130)),
    Case(source: PixelSize(40, 3001), output: PixelSize(20, 3)),
    Case(source: PixelSize(40, 3001), output: PixelSize(300, 3)),
    Case(source: PixelSize(3001, 41), output: PixelSize(3, 20)),
    Case(source: PixelSize(3, 60_001), output: PixelSize(2, 3)),
    Case(source: PixelSize(1, 1), output: PixelSize(9, 9)),
    Case(
      source: PixelSize(300, 200), region: PixelRegion(x: 10, y: 99, width: 64, height: 64),
      output: PixelSize(64, 64)),
    Case(
      source: PixelSize(300, 200), region: PixelRegion(x: 10.5, y: 99.25, width: 64, height: 31),
      output: PixelSize(20, 40)),
    Case(
      source: PixelSize(300, 200), region: PixelRegion(x: -20, y: 150, width: 400, height: 90),
      output: PixelSize(40, 30)),
  ]

  @Test(
    "give the same result as the bitmap, and all are read", arguments: Cases.every(2, of: cases),
    [ResamplingLight.asStored, .linear])
  func same(_ entry: Case, light: ResamplingLight) throws {
    let region = entry.region ?? PixelRegion(entry.source)
    for isOpaque in [true, false] {
      let bitmap = Bitmap.noise(size: entry.source, seed: 3, isOpaque: isOpaque)
      for kernel in [ResamplingKernel.lanczos3, .box] {
        let resampler = Resampler(kernel: kernel, light: light)
        let rows = BitmapRows(bitmap)
        let pool = PixelBufferPool(retainedByteLimit: 0)
        let result = try resampler.resample(rows, region: region, to: entry.output, pool: pool) {
          () throws(ImageDecodingError) in
        }
        #expect(result == resampler.resample(bitmap, region: region, to: entry.output))
        #expect(rows.readCount == entry.source.height)
        let taken = pool.statistics.peakLentByteCount - PixelBufferPool.sizeClass(result.byteCount)
        let window = PixelBufferPool.sizeClass(PictureRows.byteCount(width: entry.source.width))
        #expect(
          taken <= window + resampler.workingByteCount(of: entry.source, region: region, to: entry.output))
      }
    }
  }

  @Test(
    "that fail are errors, at any row", arguments: [0, 1, 50, 98, 199],
    [ResamplingLight.asStored, .linear])
  func failure(row: Int, light: ResamplingLight) throws {
    let bitmap = Bitmap.noise(size: PixelSize(100, 200))
    // The last row is below the part that is shown.
    for region in [PixelRegion(bitmap.size), PixelRegion(x: 0, y: 20, width: 100, height: 70)] {
      let pool = PixelBufferPool(retainedByteLimit: 0)
      #expect(throws: ImageDecodingError.truncated(.png, stage: "row \(row)")) {
        try Resampler(light: light).resample(
          BitmapRows(bitmap, failingRow: row), region: region, to: PixelSize(30, 60), pool: pool
        ) { () throws(ImageDecodingError) in }
      }
      #expect(pool.statistics.lentByteCount == 0)
    }
  }

  @Test("are resampled without a bitmap of the whole picture, and the price counts none")
  func file() throws {
    let bitmap = Bitmap.noise(size: PixelSize(1024, 1024))
    var codecs = CodecRegistry()
    codecs.register(decoder: RowDecoder(file: RowFile(bitmap, .rows)))
    for light in ResamplingLight.allCases {
      let resize = Resize(PixelSize(256, 256), light: light)
      let pool = PixelBufferPool(retainedByteLimit: 0)
      let picture = try codecs.picture(
        from: Signature.png, resize: resize, context: DecodingContext(pool: pool))
      #expect(
        picture.bitmap
          == Resampler(light: light).resample(
            bitmap, region: PixelRegion(bitmap.size), to: PixelSize(256, 256)))
      let plan = DecodePlan(of: RowFile(bitmap, .rows), resize: resize, context: DecodingContext())
      #expect(pool.statistics.peakLentByteCount <= plan.byteCount)
      #expect(plan.byteCount < bitmap.byteCount)
    }
  }

  @Test("that a file has announced and does not deliver are errors")
  func lies() {
    let bitmap = Bitmap.noise(size: PixelSize(64, 64))
    for (answer, reason) in [
      (RowFile.Answer.nothing, "it announced rows and has none"),
      (.anotherSize, "decoded to 64x7 instead of 64x64"),
    ] {
      var codecs = CodecRegistry()
      codecs.register(decoder: RowDecoder(file: RowFile(bitmap, answer)))
      #expect(throws: ImageDecodingError.corrupt(.png, stage: "pixels", reason: reason)) {
        try codecs.picture(from: Signature.png, resize: Resize(PixelSize(40, 40)))
      }
    }
  }

  @Test("a decode that needs more memory than planned exchanges its reservation")
  func exchange() throws {
    let budget = DecodedByteBudget(byteLimit: 1000)
    let context = try DecodingContext(budget: budget).reserving(100)
    #expect(budget.reservedByteCount == 100)
    try context.reserve(atLeast: 50)
    #expect(budget.reservedByteCount == 100)
    try context.reserve(atLeast: 900)
    #expect(budget.reservedByteCount == 900)
    #expect(throws: ImageDecodingError.self) { try context.reserve(atLeast: 1001) }
    #expect(budget.reservedByteCount == 0)
  }
}
