#if TIFF
  import Foundation
  import OzuCodecs
  import OzuImaging
  import OzuStandardCodecs
  import OzuTesting
  import Testing

  @Suite("A part of a TIFF")
  struct TIFFRegionTests {
    /// Tiles and strips that are converted in C or by the library: compressed, with alpha, CMYK, palettes, few and
    /// many bits.
    static let names = [
      "one-strip-lzw", "strips-cmyk", "strips-g4", "strips-jpeg", "strips-lzw", "strips-palette",
      "tiled-16", "tiled-alpha", "tiled-gray", "tiled-jpeg", "tiled-lzw",
      "tiled-ycbcr",
    ]

    /// Corners, edges, the middle; one pixel, a row of pixels, and a part across the edge.
    static let parts = [
      PixelRectangle(x: 0, y: 0, width: 20, height: 10), PixelRectangle(x: 70, y: 50, width: 16, height: 16),
      PixelRectangle(x: 131, y: 97, width: 100, height: 100),
      PixelRectangle(x: 3, y: 60, width: 140, height: 2),
      PixelRectangle(x: 60, y: 45, width: 30, height: 20), PixelRectangle(x: 75, y: 0, width: 1, height: 1),
      PixelRectangle(x: 90, y: -9, width: 30, height: 30),
    ]

    private func open(_ name: String) throws -> any ImageFile {
      try CodecRegistry.standard.open(fixture("parts/\(name).tif"))
    }

    @Test("shows the same pixels as this part of the whole", arguments: names, PixelFormatPolicy.all)
    func equality(name: String, formats: PixelFormatPolicy) throws {
      let file = try open(name)
      let context = DecodingContext(pixelFormats: formats)
      let cutCount = try compareParts(Self.parts, of: file, context: context) { $0 <= $1 }
      #expect(cutCount >= 5, "\(cutCount)")
    }

    @Test("is declared as cheap if the file has tiles or strips", arguments: names)
    func announcement(name: String) throws {
      let header = try open(name).header
      #expect(header.hasParts == (name != "one-strip-lzw"))
    }

    @Test("is made by the registry, upright, with the header of the whole")
    func registry() throws {
      let data = try fixture("parts/tiled-jpeg.tif")
      let part = PixelRectangle(x: 40, y: 40, width: 33, height: 21)
      let own = try CodecRegistry.standard.picture(from: data, resize: Resize(region: part))
      let whole = try CodecRegistry.standard.picture(from: data)
      #expect(own.size == part.size && own.header == whole.header)
      #expect(own.bitmap.largestDifference(from: whole.resized(Resize(region: part)).bitmap) <= 1)
    }

    // MARK: Files that are written here

    /// A grey picture of 160 x 128 in raw tiles of 32 x 32, whose offsets can be changed.
    private static func tiled(alpha: Bool = false) -> TIFFFile {
      let samples = alpha ? 4 : 1
      let tiles = (0..<20).map { tile in
        (0..<32 * 32 * samples).map { UInt8(truncatingIfNeeded: tile * 11 + $0 % 251) }
      }
      return TIFFFile(
        size: PixelSize(160, 128), bits: 8, photometric: alpha ? 2 : 1, samplesPerPixel: samples,
        extraSamples: alpha ? 2 : nil, tileSize: PixelSize(32, 32), strips: tiles)
    }

    @Test("reads no tile that it does not touch", arguments: [false, true])
    func untouched(alpha: Bool) throws {
      var file = Self.tiled(alpha: alpha)
      let sound = try CodecRegistry.standard.picture(from: file.data)
      // The part with the reach of the filter is in the first two columns and rows of tiles.
      let part = Resize(region: PixelRectangle(x: 8, y: 8, width: 16, height: 16))
      file.missingStrips = Set((0..<20).filter { $0 % 5 > 1 || $0 / 5 > 1 })
      let own = try CodecRegistry.standard.picture(from: file.data, resize: part)
      #expect(own.bitmap.largestDifference(from: sound.resized(part).bitmap) <= 1)
      #expect(throws: ImageDecodingError.self) { try CodecRegistry.standard.picture(from: file.data) }
      // One of the tiles that the part touches.
      file.missingStrips = [1]
      #expect(throws: ImageDecodingError.self) {
        try CodecRegistry.standard.picture(from: file.data, resize: part)
      }
    }

    @Test(
      "of a file with impossible tiles is an error",
      arguments: [
        PixelSize(0, 32), PixelSize(32, 0), PixelSize(1 << 31, 1 << 31), PixelSize(1 << 16, 1 << 15),
        PixelSize(0xFFFF_FFF0, 16), PixelSize(16, 0xFFFF_FFF0), PixelSize(1 << 14, 1 << 14),
      ], [false, true])
    func hostile(tileSize: PixelSize, alpha: Bool) throws {
      var file = Self.tiled(alpha: alpha)
      file.tileSize = tileSize
      var limits = DecodingLimits.default
      limits.decodedByteCount = 64 << 20
      for part in Self.parts {
        #expect(throws: ImageDecodingError.self) {
          try CodecRegistry.standard.picture(
            from: file.data, resize: Resize(region: part), context: DecodingContext(limits: limits))
        }
      }
    }

    @Test("takes memory for the part, and for a tile", arguments: [false, true])
    func price(alpha: Bool) throws {
      let samples = alpha ? 4 : 3
      let file = TIFFFile(
        size: PixelSize(1024, 1024), bits: 8, photometric: 2, samplesPerPixel: samples,
        extraSamples: alpha ? 2 : nil, tileSize: PixelSize(64, 64),
        strips: Array(repeating: [UInt8](repeating: 7, count: 64 * 64 * samples), count: 256))
      let data = file.data
      let opened = try CodecRegistry.standard.open(data)
      let resize = Resize(region: PixelRectangle(x: 256, y: 256, width: 128, height: 128))
      let plan = DecodePlan(of: opened, resize: resize, context: DecodingContext())
      #expect(plan.byteCount < 1 << 19, "\(plan.byteCount)")
      #expect(plan.uncut(of: opened, DecodingContext()).byteCount > plan.byteCount)
      var limits = DecodingLimits.default
      limits.decodedByteCount = plan.byteCount
      let context = DecodingContext(limits: limits)
      #expect(
        try CodecRegistry.standard.picture(from: data, resize: resize, context: context).size
          == PixelSize(128, 128))
      limits.decodedByteCount -= 1
      #expect(throws: ImageDecodingError.self) {
        try CodecRegistry.standard.picture(
          from: data, resize: resize, context: DecodingContext(limits: limits))
      }
    }

    @Test("of damaged files is a picture or an error", arguments: names)
    func damaged(name: String) throws {
      var generator = SeededGenerator(seed: UInt64(name.count))
      let sound = try fixture("parts/\(name).tif")
      for _ in 0..<40 {
        var data = sound
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
          data[Int.random(in: 2..<data.count, using: &generator)] = .random(in: 0...255, using: &generator)
        }
        let part = PixelRectangle(
          x: .random(in: 0..<120, using: &generator), y: .random(in: 0..<90, using: &generator), width: 30,
          height: 20)
        let picture = try? CodecRegistry.standard.picture(from: data, resize: Resize(region: part))
        if let picture { #expect(picture.size.width <= 30 && picture.size.height <= 20) }
      }
    }
  }

  extension PixelFormatPolicy {
    fileprivate static let all: [PixelFormatPolicy] = [.bgra8, .asStored]
  }
#endif
