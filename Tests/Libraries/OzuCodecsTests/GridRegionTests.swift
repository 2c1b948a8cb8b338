#if AVIF || HEIF
  import Foundation
  import OzuImaging
  import OzuLibraryCodecs
  import OzuStandardCodecs
  import OzuTesting
  import Testing

  @testable import OzuCodecs

  @Suite("A part of a picture that is made of tiles")
  struct GridRegionTests {
    static let names = ["grid.avif", "grid-alpha.avif", "grid-10.avif"].filter { isDecodable("parts/\($0)") }

    private static let parts = [
      PixelRectangle(x: 0, y: 0, width: 40, height: 40), PixelRectangle(x: 100, y: 90, width: 50, height: 20),
      PixelRectangle(x: 170, y: 170, width: 100, height: 200),
      PixelRectangle(x: 63, y: 64, width: 1, height: 1),
    ]

    @Test("shows the same pixels as this part of the whole", arguments: names, [false, true])
    func equality(name: String, isCutOff: Bool) throws {
      var data = try fixture("parts/\(name)")
      if isCutOff { data = try Self.cutOff(data) }
      let file = try CodecRegistry.standard.open(data)
      #expect(file.header.regionUnit == PixelSize(64, 64) && file.header.hasParts)
      #expect(file.header.storedSize == (isCutOff ? PixelSize(310, 186) : PixelSize(320, 192)))
      for formats in [PixelFormatPolicy.bgra8, .asStored] {
        let context = DecodingContext(pixelFormats: formats)
        let cutCount = try compareParts(Self.parts, of: file, context: context) { $0 < $1 }
        #expect(cutCount >= 6, "\(cutCount)")
      }
      let upright = try CodecRegistry.standard.picture(from: data)
      let own = try CodecRegistry.standard.picture(from: data, resize: Resize(region: Self.parts[1]))
      #expect(own.header == upright.header)
      #expect(own.bitmap.largestDifference(from: upright.resized(Resize(region: Self.parts[1])).bitmap) <= 1)
    }

    /// A picture whose last tiles extend beyond it.
    private static func cutOff(_ data: Data) throws -> Data {
      var data = data
      let sizes = Data("ispe".utf8) + Data(count: 4)
      for (old, new) in [
        (Data([0, 0, 2, 4, 1, 0x40, 0, 0xC0]), Data([0, 0, 2, 4, 1, 0x36, 0, 0xBA])),
        (sizes + Data([0, 0, 1, 0x40, 0, 0, 0, 0xC0]), sizes + Data([0, 0, 1, 0x36, 0, 0, 0, 0xBA])),
      ] {
        while let found = data.range(of: old) { data.replaceSubrange(found, with: new) }
      }
      return data
    }

    @Test("contains the tiles that it touches, and no others", arguments: names)
    func tiles(name: String) throws {
      let data = try fixture("parts/\(name)")
      let found = HEIFGrid(data.span, turnsPictures: false)
      let grid = try #require(found)
      let cut = PixelRectangle(x: 64, y: 64, width: 128, height: 64)
      let part = try #require(grid.file(of: cut, in: data))
      #expect(part.count < data.count / 2 && part.count <= grid.byteCount(of: cut))
      #expect(try CodecRegistry.standard.header(of: part).storedSize == cut.size)
      for other in [
        PixelRectangle(x: 1, y: 64, width: 128, height: 64),
        PixelRectangle(x: 0, y: 0, width: 63, height: 64),
        PixelRectangle(x: 0, y: 192, width: 64, height: 64),
        PixelRectangle(x: -64, y: 0, width: 64, height: 64),
      ] {
        #expect(grid.file(of: other, in: data) == nil)
      }
    }

    @Test("is decoded without the other tiles", arguments: names)
    func untouched(name: String) throws {
      let sound = try fixture("parts/\(name)")
      let file = BoxFile(sound)
      let content = try #require(file.boxes(["mdat"])?.last)
      let whole = try CodecRegistry.standard.picture(from: sound)
      let isTurned = whole.header?.orientation != .up
      // The first tile of the stored picture.
      let part = Resize(
        region: PixelRectangle(x: 0, y: isTurned ? whole.size.height - 30 : 0, width: 30, height: 30))
      var data = sound
      for position in content.upperBound - 200..<content.upperBound { data[position] = 0xA5 }
      let own = try CodecRegistry.standard.picture(from: data, resize: part)
      #expect(own.bitmap.largestDifference(from: whole.resized(part).bitmap) <= 1)
      // The last tile is different, or cannot be decoded.
      let damaged = try? CodecRegistry.standard.picture(from: data)
      #expect(damaged?.bitmap != whole.bitmap)
    }

    @Test("has the pixels of the whole also if that is over the limits", arguments: names)
    func bands(name: String) throws {
      let data = try fixture("parts/\(name)")
      let resize = Resize(PixelSize(100, 100))
      let whole = try CodecRegistry.standard.picture(from: data, resize: resize)
      // All pixels and the planes of the library are 430,080 bytes, or 614,400.
      let limits = DecodingLimits(decodedByteCount: name == "grid-10.avif" ? 560_000 : 400_000)
      let pool = PixelBufferPool(retainedByteLimit: 0)
      let own = try CodecRegistry.standard.picture(
        from: data, resize: resize, context: DecodingContext(limits: limits, pool: pool))
      #expect(own.header == whole.header)
      // Chroma at the edges of tiles is enlarged without that of the next tile, which shows in tiles of 20 pixels.
      #expect(own.bitmap.signalToNoise(against: whole.bitmap) > 46)
      #expect(own.bitmap.largestDifference(from: whole.bitmap) <= 6)
      #expect(pool.statistics.peakLentByteCount <= limits.decodedByteCount)
    }

    @Test("is not cut where the library turns the picture")
    func turned() throws {
      let data = try fixture("parts/grid-10.avif")
      #expect(try CodecRegistry.standard.header(of: data).orientation != .up)
      let (own, turned) = (
        HEIFGrid(data.span, turnsPictures: false), HEIFGrid(data.span, turnsPictures: true)
      )
      // Its tiles have the property too, so their parts would be turned twice.
      #expect(own?.isTurned == false && turned == nil)
    }

    #if HEIF
      @Test("of HEIC is cut too", .enabled(if: isDecodable("matrix/heic-420.heic")))
      func heic() throws {
        let writer = try #require(
          HEIFWriter(BoxFile(try fixture("matrix/heic-420.heic")), size: (64, 64)))
        let data = writer.file("grid", content: HEIFWriter.grid(128, 64), canvas: (128, 64))
        let file = try CodecRegistry.standard.open(data)
        #expect(file.header.regionUnit == PixelSize(64, 64))
        for x in [0, 90] {
          let resize = Resize(region: PixelRectangle(x: x, y: 10, width: 30, height: 30))
          let plan = DecodePlan(of: file, resize: resize, context: DecodingContext())
          #expect(plan.cut != nil)
          let own = try file.render(plan, context: DecodingContext())
          let whole = try file.render(plan.uncut(of: file, DecodingContext()), context: DecodingContext())
          #expect(own.largestDifference(from: whole) <= 1)
        }
      }
    #endif

    @Test("of damaged files is a picture or an error", arguments: names, 0..<3)
    func damaged(name: String, seed: UInt64) throws {
      var generator = SeededGenerator(seed: seed)
      let sound = try fixture("parts/\(name)")
      for _ in 0..<60 {
        var data = sound
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
          data[Int.random(in: 32..<1100, using: &generator)] = .random(in: 0...255, using: &generator)
        }
        let part = PixelRectangle(
          x: .random(in: 0..<160, using: &generator), y: .random(in: 0..<160, using: &generator), width: 30,
          height: 20)
        let picture = try? CodecRegistry.standard.picture(from: data, resize: Resize(region: part))
        if let picture { #expect(picture.size.width <= 30 && picture.size.height <= 20) }
      }
    }
  }
#endif
