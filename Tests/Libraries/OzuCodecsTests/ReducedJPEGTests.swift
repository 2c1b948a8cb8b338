import Foundation
import JPEGOracle
import OzuCodecs
import OzuImaging
import OzuLibraryCodecs
import OzuStandardCodecs
import OzuTesting
import Testing

@Suite("Reduced JPEG decoder")
struct ReducedJPEGTests {
  static let samplings = [(1, 1), (2, 1), (1, 2), (2, 2), (4, 1), (4, 2)]
  static let sizes = [
    PixelSize(1, 1), PixelSize(17, 9), PixelSize(64, 48), PixelSize(131, 77), PixelSize(33, 200),
  ]

  static let variants: [JPEGVariant] = sizes.flatMap { size in
    samplings.flatMap { sampling in
      [
        JPEGVariant(size, sampling: sampling), JPEGVariant(size, sampling: sampling, isProgressive: true),
        JPEGVariant(size, sampling: sampling, restartInterval: 3),
        JPEGVariant(size, sampling: sampling, isProgressive: true, restartInterval: 2),
      ]
    } + [
      JPEGVariant(size, isGray: true), JPEGVariant(size, isGray: true, isProgressive: true),
      JPEGVariant(size, isGray: true, restartInterval: 1),
      JPEGVariant(size, optimizesTables: true, quality: 100), JPEGVariant(size, quality: 5),
      JPEGVariant(size, isProgressive: true, quality: 100),
    ]
  }

  @Test("makes the planes that follow from libjpeg's coefficients", arguments: variants)
  func planes(variant: JPEGVariant) throws {
    let data = variant.data
    let oracle = try #require(PlaneOracle(data, componentCount: variant.isGray ? 1 : 3))
    defer { oracle.close() }
    // All bits, all but the last one, and those of the first scans.
    let scales = [(1, 4), (2, 3), (3, 2), (4, 1), (5, 8), (6, 5), (8, 6)]
    for (scale, lowestBit) in scales.flatMap({ scale in
      (variant.isProgressive ? [0, 1, 9] : [0]).map { (scale, $0) }
    }) {
      let picture = try ReducedJPEGDecoder.planes(
        of: data, eighths: scale, lowestBit: lowestBit, context: .init())
      let planes = try #require(picture)
      let all = planes.planes
      #expect(all.count == (variant.isGray ? 1 : 3))
      for (index, plane) in all.enumerated() {
        let kept = index == 0 ? scale.0 : scale.1
        let difference = oracle.difference(
          of: plane, component: index, identifier: UInt8(index + 1), scale: kept,
          isProgressive: variant.isProgressive, lowestBit: lowestBit)
        #expect(
          difference.largest <= PlaneOracle.tolerance(scale: kept),
          "component \(index) at \(kept)/8 to bit \(lowestBit)")
        #expect(difference.blockCount > 0)
        guard kept > 2 else { continue }
        let own = oracle.difference(
          of: plane, component: index, identifier: UInt8(index + 1), scale: kept,
          isProgressive: variant.isProgressive, lowestBit: lowestBit, reference: .model)
        #expect(own.largest == 0, "component \(index) at \(kept)/8 to bit \(lowestBit)")
      }
    }
  }

  @Test(
    "makes the same planes of a progressive file as of the sequential file with its coefficients",
    arguments: samplings, Cases.every(2, of: [30, 75, 92, 100]))
  func passesOfTheSame(sampling: (Int, Int), quality: Int) throws {
    let sizes = [PixelSize(647, 489), PixelSize(131, 77)]
    for (size, restartInterval) in zip(sizes, [0, 7]) {
      let (progressive, sequential) = (file(isProgressive: true), file(isProgressive: false))
      func file(isProgressive: Bool) -> Data {
        JPEGVariant(
          size, sampling: sampling, isProgressive: isProgressive, restartInterval: restartInterval,
          quality: quality
        ).data
      }
      func planes(_ file: Data, _ scale: Int) throws -> [SamplePlane] {
        let picture = try ReducedJPEGDecoder.planes(
          of: file, eighths: (scale, scale), lowestBit: 0, context: .init())
        return try #require(picture).planes
      }
      // Not at one eighth, where blocks that have only a mean are not known, and so not rounded.
      for scale in [2, 3, 4, 5, 6, 8] {
        let pairs = try zip(planes(progressive, scale), planes(sequential, scale))
        for (index, (found, expected)) in pairs.enumerated() {
          // Scans of one component have only blocks with pixels of it.
          let columns = min(Int(expected.extentWidth.rounded(.up)), expected.samplesPerRow)
          let rows = 0..<min(Int(expected.extentHeight.rounded(.up)), expected.rowCount)
          let wrong = rows.first { row in
            let lines = [found, expected].map { UnsafeRawBufferPointer($0.row(row, columnCount: columns)) }
            return memcmp(lines[0].baseAddress!, lines[1].baseAddress!, lines[0].count) != 0
          }
          #expect(wrong == nil, "component \(index) at \(scale)/8 of \(size)")
        }
      }
    }
  }

  @Test(
    "reads only the visible bits of a progressive file",
    arguments: [(5, 0), (50, 0), (75, 0), (90, 1), (98, 2)])
  func passes(quality: Int, lowestBit: Int) throws {
    let variant = JPEGVariant(PixelSize(320, 240), isProgressive: true, quality: quality)
    func luma(_ lowestBit: Int?) throws -> [Int16] {
      let planes = try ReducedJPEGDecoder.planes(
        of: variant.data, eighths: (4, 4), lowestBit: lowestBit, context: .init())
      return Array(try #require(planes).planes[0].samples)
    }
    #expect(try luma(nil) == luma(lowestBit))
    #expect(try luma(0) != luma(1) && luma(1) != luma(2))
  }

  @Test(
    "gives thumbnails that are close to those of a full decode",
    arguments: [(1, 1), (2, 1), (1, 2), (2, 2)], [20, 40, 63])
  func closeness(sampling: (Int, Int), width: Int) throws {
    for isProgressive in [false, true] {
      let variant = JPEGVariant(PixelSize(647, 489), sampling: sampling, isProgressive: isProgressive)
      let resize = Resize(PixelSize(width, width * 3 / 4), mode: .fill)
      let data = variant.data
      let header = try CodecRegistry.standard.header(of: data)
      #expect(DecodePlan(header: header, resize: resize, scales: [1, 2, 4, 8]).reduction != nil)
      let thumbnail = try CodecRegistry.standard.picture(from: data, resize: resize).bitmap
      let whole = try CodecRegistry.standard.picture(from: data)
      #expect(thumbnail.size == resize.size)
      #expect(thumbnail.signalToNoise(against: whole.resized(resize).bitmap) > 40)
    }
  }

  @Test(
    "shows every variant of one picture as the same thumbnail",
    arguments: [
      "jpeg-411", "jpeg-440", "jpeg-arithmetic", "jpeg-baseline-420", "jpeg-baseline-422",
      "jpeg-baseline-444",
      "jpeg-cmyk-noprofile", "jpeg-progressive-420", "jpeg-progressive-444", "jpeg-restart-rows",
      "jpeg-rgb-colourspace",
    ])
  func fixtures(name: String) throws {
    let resize = Resize(PixelSize(8, 6), mode: .fill)
    let thumbnail = try picture("matrix/\(name).jpg", resize: resize).bitmap
    let expected = try picture("matrix/ref/rgb.png", resize: resize).bitmap
    #expect(thumbnail.meanDifference(from: expected) < 4)
  }

  @Test("turns thumbnails upright", arguments: 1...8)
  func orientation(value: Int) throws {
    let resize = Resize(PixelSize(6, 4), mode: .fill)
    let thumbnail = try picture("orientation/jpeg-\(value).jpg", resize: resize).bitmap
    let expected = try picture("orientation/jpeg-1.jpg", resize: resize).bitmap
    #expect(thumbnail.meanDifference(from: expected) < 6)
  }

  @Test(
    "leaves unsupported files to libjpeg",
    arguments: [
      "jpeg-arithmetic", "jpeg-arith-progressive", "jpeg-cmyk-noprofile", "jpeg-rgb-colourspace",
    ])
  func fallback(name: String) throws {
    let data = try fixture("matrix/\(name).jpg")
    #expect(try ReducedJPEGDecoder.planes(of: data, eighths: (1, 1), context: .init()) == nil)
    #expect(try CodecRegistry.standard.header(of: data).planeLayout == nil)
  }

  @Test(
    "a picture of one colour has exactly the colour of a full decode, at every scale",
    arguments: [40, 80, 120, 160], [0.75, 0.92, 1])
  func evenColor(width: Int, quality: Double) throws {
    for seed in 0..<12 {
      let size = PixelSize(640, 480)
      let even = Bitmap(size: size) { _, _ in
        Pixel(
          red: UInt8(seed * 53 % 256), green: UInt8(seed * 91 % 256), blue: UInt8((seed * 29 + 7) % 256))
      }
      let data = try CodecRegistry.standard.encode(
        even, as: .jpeg, options: EncodingOptions(compressionQuality: quality))
      let resize = Resize(PixelSize(width, width * 3 / 4), mode: .fill)
      let thumbnail = try CodecRegistry.standard.picture(from: data, resize: resize).bitmap
      let whole = try CodecRegistry.standard.picture(from: data).bitmap
      #expect(thumbnail[7, 9] == whole[320, 240], "\(even[0, 0])")
    }
  }

  @Test("so it has in a progressive file of which all bits are read")
  func evenColorInPasses() throws {
    let even = Bitmap(size: PixelSize(640, 480)) { _, _ in Pixel(red: 203, green: 91, blue: 36) }
    let data = try CodecRegistry.standard.encode(
      even, as: .jpeg, options: EncodingOptions(compressionQuality: 0.5, isProgressive: true))
    let resize = Resize(PixelSize(160, 120), mode: .fill)
    let thumbnail = try CodecRegistry.standard.picture(from: data, resize: resize).bitmap
    let whole = try CodecRegistry.standard.picture(from: data).bitmap
    #expect(thumbnail[7, 9] == whole[320, 240])
  }

  /// In an eighth, libjpeg would make one sample of colour for two or four pixels.
  @Test(
    "a picture whose components have factors of their own keeps its colours",
    arguments: [
      JPEGVariant(PixelSize(640, 480), sampling: (4, 1), blueSampling: (2, 1)),
      JPEGVariant(PixelSize(640, 480), sampling: (2, 2), blueSampling: (1, 2)),
      JPEGVariant(PixelSize(640, 480), sampling: (2, 2), blueSampling: (2, 1)),
      JPEGVariant(PixelSize(640, 480), sampling: (1, 4), blueSampling: (1, 2), isProgressive: true),
    ])
  func ownFactors(variant: JPEGVariant) throws {
    for size in [PixelSize(37, 28), PixelSize(74, 56), PixelSize(150, 113)] {
      let resize = Resize(size, mode: .fill)
      let thumbnail = try CodecRegistry.standard.picture(from: variant.data, resize: resize).bitmap
      let whole = try CodecRegistry.standard.picture(from: variant.data).resized(resize).bitmap
      #expect(thumbnail.meanDifference(from: whole) < 1, "\(size)")
    }
  }

  @Test("crops from the middle as a full decode does")
  func crop() throws {
    let variant = JPEGVariant(PixelSize(800, 500))
    let resize = Resize(PixelSize(50, 50), mode: .aspectFill, crops: true)
    let thumbnail = try CodecRegistry.standard.picture(from: variant.data, resize: resize).bitmap
    let whole = try CodecRegistry.standard.picture(from: variant.data).resized(resize).bitmap
    #expect(thumbnail.signalToNoise(against: whole) > 40)
  }

  @Test("reduces to a few pixels", arguments: [PixelSize(1, 1), PixelSize(2, 3), PixelSize(5, 1)])
  func tiny(size: PixelSize) throws {
    let variant = JPEGVariant(PixelSize(3000, 1200), isGray: size.width == 2, quality: 50)
    let resize = Resize(size, mode: .fill)
    let thumbnail = try CodecRegistry.standard.picture(from: variant.data, resize: resize).bitmap
    let whole = try CodecRegistry.standard.picture(from: variant.data).resized(resize).bitmap
    #expect(thumbnail.largestDifference(from: whole) <= 3)
  }

  @Test("decodes less if speed is asked for")
  func fast() throws {
    let variant = JPEGVariant(PixelSize(640, 480))
    let balanced = Resize(PixelSize(60, 45), mode: .fill)
    var fast = balanced
    fast.quality = .fast
    let context = DecodingContext(pool: PixelBufferPool(retainedByteLimit: 0))
    let quick = try CodecRegistry.standard.picture(from: variant.data, resize: fast, context: context).bitmap
    let slow = try CodecRegistry.standard.picture(from: variant.data, resize: balanced).bitmap
    #expect(quick != slow)
    #expect(quick.signalToNoise(against: slow) > 28)
  }
}

extension SamplePlane {
  /// The first samples of a row.
  fileprivate func row(_ row: Int, columnCount: Int) -> UnsafeMutableBufferPointer<Int16> {
    .init(rebasing: samples[row * samplesPerRow..<row * samplesPerRow + columnCount])
  }
}
