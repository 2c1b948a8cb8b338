import Foundation
import JPEGOracle
import OzuCodecs
import OzuImaging
import OzuLibraryCodecs
import OzuStandardCodecs
import OzuTesting
import Testing

@Suite("A part of a JPEG")
struct RegionTests {
  static let variants = [
    JPEGVariant(PixelSize(640, 480)),
    JPEGVariant(PixelSize(637, 479), sampling: (2, 1), optimizesTables: true),
    JPEGVariant(PixelSize(500, 391), isGray: true, quality: 60),
    JPEGVariant(PixelSize(450, 300), sampling: (1, 1), optimizesTables: true, quality: 97),
    JPEGVariant(PixelSize(511, 513), sampling: (1, 2), quality: 30),
    JPEGVariant(PixelSize(640, 480), restartInterval: 7),
    JPEGVariant(PixelSize(333, 480), optimizesTables: true, restartInterval: 21, quality: 15),
  ]

  /// Corners, edges, the middle; parts of one pixel, and parts across the positions in the index.
  static let parts = [
    PixelRectangle(x: 0, y: 0, width: 100, height: 80), PixelRectangle(x: 201, y: 153, width: 64, height: 33),
    PixelRectangle(x: 190, y: 250, width: 1000, height: 1000),
    PixelRectangle(x: 17, y: 200, width: 300, height: 5),
    PixelRectangle(x: 150, y: 299, width: 1, height: 1),
    PixelRectangle(x: 300, y: -50, width: 90, height: 77),
  ]

  /// Divisors of the part's size: each uses other code of the decoder.
  static let divisors = [1, 2, 3, 5, 9]

  private func open(_ data: Data) throws -> any ImageFile {
    try JPEGDecoder().open(data, limits: .default)
  }

  @Test("shows the same pixels as this part of the whole", arguments: variants)
  func equality(variant: JPEGVariant) throws {
    let file = try open(variant.data)
    let context = DecodingContext()
    var cutCount = 0
    for part in Self.parts {
      for divisor in Self.divisors {
        let size = PixelSize(max(1, part.size.width / divisor), max(1, part.size.height / divisor))
        for resize in [
          Resize(size, region: part), Resize(size, mode: .aspectFill, crops: true, region: part),
        ] {
          let plan = DecodePlan(of: file, resize: resize, context: context)
          cutCount += plan.cut == nil ? 0 : 1
          let own = try file.render(plan, context: context)
          let whole = try file.render(plan.uncut(of: file, context), context: context)
          #expect(own.size == whole.size)
          // Weights are computed from other numbers, and may be rounded differently.
          #expect(own.largestDifference(from: whole) <= 1, "\(part) \(resize.identifier)")
        }
      }
    }
    #expect(cutCount > 30)
  }

  @Test("is decoded without the rest", arguments: variants.prefix(2))
  func excerpt(variant: JPEGVariant) throws {
    let data = variant.data
    let outline = try JPEGOutline(data, limits: .default)
    let cut = PixelRectangle(x: 64, y: 48, width: 160, height: 96)
    let excerpt = try #require(
      try JPEGExcerpt.file(data, outline, cut: cut, renderByteCount: 0, context: DecodingContext()))
    #expect(excerpt.count < data.count / 5)
    // The same blocks give the same pixels, except where chroma lacks its neighbours.
    let inner = PixelRectangle(x: 8, y: 8, width: 144, height: 80)
    let own = try CodecRegistry.standard.picture(from: excerpt)
    #expect(own.size == cut.size)
    let whole = try CodecRegistry.standard.picture(from: data).resized(Resize(region: cut))
    let pair = [own, whole].map { $0.resized(Resize(region: inner)).bitmap }
    #expect(pair[0].largestDifference(from: pair[1]) == 0)
  }

  @Test("has the size and the header of its picture, upright", arguments: Orientation.allCases)
  func orientation(orientation: Orientation) throws {
    let exif = EXIFFile(orientation: orientation.rawValue).data
    let data = JPEGSegments.insert(EncodedMetadata(exif: exif), into: JPEGVariant(PixelSize(320, 240)).data)
    let whole = try CodecRegistry.standard.picture(from: data)
    let part = PixelRectangle(x: 33, y: 20, width: 60, height: 40)
    let own = try CodecRegistry.standard.picture(from: data, resize: Resize(region: part))
    #expect(own.size == part.size)
    #expect(own.header?.size == whole.size)
    #expect(own.bitmap.largestDifference(from: whole.resized(Resize(region: part)).bitmap) <= 1)
  }

  @Test("outside of the picture is an error, and one across its edge shows the pixels inside")
  func outside() throws {
    let data = JPEGVariant(PixelSize(64, 48)).data
    for part in [
      PixelRectangle(x: 64, y: 0, width: 10, height: 10), PixelRectangle(x: 0, y: -10, width: 10, height: 10),
      PixelRectangle(x: .max, y: .max, width: .max, height: .max),
    ] {
      #expect(throws: ImageDecodingError.regionOutside(part, of: PixelSize(64, 48))) {
        try CodecRegistry.standard.picture(from: data, resize: Resize(region: part))
      }
    }
    let across = PixelRectangle(x: -5, y: 40, width: .max, height: .max)
    let own = try CodecRegistry.standard.picture(from: data, resize: Resize(region: across))
    #expect(own.size == PixelSize(64, 8))
  }

  @Test("of a file with missing data fails like the whole, unless truncation is allowed")
  func truncated() throws {
    let data = JPEGVariant(PixelSize(640, 480)).data
    let half = data.prefix(data.count / 2)
    let part = Resize(region: PixelRectangle(x: 0, y: 300, width: 50, height: 50))
    #expect(throws: ImageDecodingError.truncated(.jpeg, stage: "scan data")) {
      try CodecRegistry.standard.picture(from: half, resize: part)
    }
    let shown = try CodecRegistry.standard.picture(
      from: half, resize: part, context: DecodingContext(allowsTruncation: true))
    #expect(shown.size == PixelSize(50, 50))
  }

  @Test("is correct if the file cannot be cut", arguments: [true, false])
  func otherFiles(isProgressive: Bool) throws {
    let whole = try CodecRegistry.standard.picture(from: JPEGVariant(PixelSize(320, 240)).data)
    let data =
      isProgressive
      ? JPEGVariant(PixelSize(320, 240), isProgressive: true).data
      : try CodecRegistry.standard.encode(whole, as: .png)
    let part = Resize(PixelSize(40, 30), region: PixelRectangle(x: 100, y: 90, width: 80, height: 60))
    let own = try CodecRegistry.standard.picture(from: data, resize: part)
    #expect(own.size == PixelSize(40, 30))
    let reference = try CodecRegistry.standard.picture(from: data).resized(part)
    // Half of a JPEG comes from its frequencies.
    #expect(own.bitmap.largestDifference(from: reference.bitmap) <= (isProgressive ? 3 : 2))
  }

  @Test("of damaged files is a picture or an error", arguments: 0..<4)
  func damaged(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let sound = Self.variants[Int(seed) % Self.variants.count].data
    for _ in 0..<60 {
      var data = sound
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        data[Int.random(in: 2..<data.count, using: &generator)] = .random(in: 0...255, using: &generator)
      }
      let part = PixelRectangle(
        x: .random(in: 0..<300, using: &generator), y: .random(in: 0..<300, using: &generator), width: 70,
        height: 50)
      let picture = try? CodecRegistry.standard.picture(from: data, resize: Resize(region: part))
      if let picture { #expect(picture.size.width <= 70 && picture.size.height <= 50) }
    }
  }

  @Test("takes memory for the part, however much the whole would take")
  func price() throws {
    let part = PixelRectangle(x: 640, y: 480, width: 256, height: 256)
    for resize in [Resize(region: part), Resize(PixelSize(64, 64), region: part)] {
      let prices = try [PixelSize(2000, 1500), PixelSize(1000, 750)].map { size in
        DecodePlan(of: try open(JPEGVariant(size).data), resize: resize, context: DecodingContext()).byteCount
      }
      // libjpeg's rows of pixels are as wide as the whole.
      #expect(prices[0] - prices[1] <= (resize.mode == .none ? 64 * 1000 : 0), "\(prices)")
      #expect(prices[0] < 1 << 20)
    }
  }
}
