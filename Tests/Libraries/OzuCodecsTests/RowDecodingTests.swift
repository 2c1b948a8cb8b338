import Foundation
import JPEGOracle
import OzuCodecs
import OzuImaging
import OzuStandardCodecs
import Testing

/// Compares the rows of libjpeg, libtiff and the readers of PNG, resampled one by one, with the bitmap of all of
/// them.
@Suite("Decoding row by row")
struct RowDecodingTests {
  static let files =
    [
      "matrix/jpeg-baseline-420.jpg", "matrix/jpeg-progressive-420.jpg", "matrix/jpeg-gray.jpg",
      "matrix/jpeg-cmyk-noprofile.jpg",
      "matrix/jpeg-arith-progressive.jpg", "matrix/png-rgb8.png", "matrix/png-gray8.png",
      "matrix/png-palette.png", "matrix/png-trns-rgb.png", "matrix/png-gray-alpha8.png",
      "pngsuite/basn2c16.png", "pngsuite/basn3p04.png",
      "pngsuite/bgan6a08.png", "pngsuite/basn6a16.png", "pngsuite/basn0g01.png",
      "pngsuite/tbbn3p08.png", "pngsuite/tm3n3p02.png", "pngsuite/basi6a16.png",
    ] + tiffs

  private static let tiffs =
    [
      "tiff-g4", "tiff-jpeg", "tiff-packbits", "tiff-raw", "tiff-rgba-lzw", "tiff-tiff_adobe_deflate",
      "tiff-tiff_lzw",
    ].map { "matrix/\($0).tif" }.filter(isDecodable)

  /// Recipes that neither use planes nor copy pixels.
  static let recipes = [
    Resize(PixelSize(23, 17), mode: .fill, light: .linear),
    Resize(PixelSize(5, 31), mode: .fill, light: .linear),
    Resize(PixelSize(60, 44), mode: .fill, allowsUpscaling: true),
    Resize(PixelSize(20, 20), mode: .aspectFill, crops: true, light: .linear),
  ]

  @Test("gives the same as the whole bitmap", arguments: files, recipes)
  func same(path: String, resize: Resize) throws {
    let file = try CodecRegistry.standard.open(fixture(path))
    let context = DecodingContext(colorPolicy: .keep)
    let plan = DecodePlan(of: file, resize: resize, context: context)
    try #require(plan.reduction == nil && plan.averaging == nil && !plan.needsNoResampling)
    let whole = try file.decode(plan, context: context)
    let expected = Resampler(kernel: plan.kernel, light: plan.light).resample(
      whole, region: plan.region, to: plan.outputSize)
    #expect(try file.render(plan, context: context) == expected)
    // All but the interlaced file.
    let isInterlaced = path.contains("basi")
    let demand = file.demand(of: plan, context: context)
    #expect(demand.deliversRows == !isInterlaced)
    var readCount = 0
    let opacity = try file.withRows(plan, context: context) { (reader) throws(ImageDecodingError) in
      #expect(reader.size == plan.decodedSize && reader.colorSpace == whole.colorSpace)
      var row = [UInt8](repeating: 0, count: reader.size.width * 4)
      for y in 0..<reader.size.height {
        var span = row.mutableSpan
        try reader.readRow(into: &span)
        #expect(
          whole.withUnsafeBytes { Array($0[y * whole.bytesPerRow..<y * whole.bytesPerRow + row.count]) }
            == row)
        readCount += 1
      }
      return reader.isOpaque
    }
    #expect(opacity == (isInterlaced ? nil : whole.isOpaque))
    #expect(readCount == (isInterlaced ? 0 : whole.size.height))
  }

  @Test(
    "finds data that are missing below the part that is shown", arguments: ["baseline", "progressive", "png"])
  func truncated(name: String) throws {
    let whole =
      switch name {
      case "png": try CodecRegistry.standard.encode(noise(PixelSize(96, 96)), as: .png)
      default: JPEGVariant(PixelSize(96, 96), isProgressive: name == "progressive").data
      }
    let data = whole.prefix(whole.count * 3 / 4)
    let resize = Resize(PixelSize(90, 10), mode: .aspectFill, crops: true, light: .linear)
    let error = #expect(throws: ImageDecodingError.self) {
      try CodecRegistry.standard.picture(from: Data(data), resize: resize)
    }
    guard case .truncated = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(
      try CodecRegistry.standard.picture(
        from: Data(data), resize: resize, context: DecodingContext(allowsTruncation: true)
      ).size == PixelSize(90, 10))
  }

  @Test("starts again with libpng if the row reader finds an error")
  func secondReader() throws {
    // A file of several chunks, of which the last is wrong.
    var data = try CodecRegistry.standard.encode(noise(PixelSize(240, 240)), as: .png)
    // The checksum of the pixels is before that of their last chunk and the chunk after it. libpng reports an
    // error, or makes pixels.
    data[data.count - 12 - 4 - 1] ^= 1
    let file = try CodecRegistry.standard.open(data)
    let plan = DecodePlan(
      of: file, resize: Resize(PixelSize(50, 50), light: .linear), context: DecodingContext())
    var callCount = 0
    let outcome = Result { () throws(ImageDecodingError) -> Bool? in
      try file.withRows(plan, context: DecodingContext()) { (reader) throws(ImageDecodingError) in
        callCount += 1
        var row = [UInt8](repeating: 0, count: reader.size.width * 4)
        for _ in 0..<reader.size.height {
          var span = row.mutableSpan
          try reader.readRow(into: &span)
        }
        return true
      }
    }
    #expect(callCount == 2)
    if case .failure(let error) = outcome {
      #expect(throws: error) { try file.decode(plan, context: DecodingContext()) }
    }
  }

  @Test(
    "takes no memory for a bitmap of all pixels",
    arguments: ["baseline.jpg", "plain.png", "strips.tif"].filter(isDecodable))
  func memory(name: String) throws {
    let pool = PixelBufferPool(retainedByteLimit: 0)
    // Unoptimised kernels take longer than the usual limit.
    let limits = DecodingLimits(cpuTime: .seconds(1000))
    for resize in [
      Resize(PixelSize(400, 300), light: .linear), Resize(PixelSize(1000, 750), light: .linear),
    ] {
      _ = try CodecRegistry.standard.picture(
        from: fixture("large/\(name)"), resize: resize, context: DecodingContext(limits: limits, pool: pool))
    }
    // The bitmap would take 48 MB.
    #expect(pool.statistics.peakLentByteCount < 8 << 20)
  }

  private func noise(_ size: PixelSize) -> Bitmap {
    var state: UInt32 = 7
    return Bitmap(size: size) { _, _ in
      state = state &* 1_664_525 &+ 1_013_904_223
      return Pixel(red: UInt8(state >> 24), green: UInt8(state >> 16 & 255), blue: UInt8(state >> 8 & 255))
    }
  }
}
