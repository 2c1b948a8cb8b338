#if TIFF
  import Foundation
  import OzuCodecs
  import OzuStandardCodecs
  import OzuImaging
  import Testing

  @Suite("TIFF decoder")
  struct TIFFDecoderTests {
    private func pixels(_ file: TIFFFile) throws -> [Pixel] {
      let bitmap = try CodecRegistry.standard.picture(from: file.data).bitmap
      return (0..<file.size.height).flatMap { y in (0..<file.size.width).map { bitmap[$0, y] } }
    }

    private func words(_ file: TIFFFile) throws -> [UInt16] {
      let context = DecodingContext(pixelFormats: .asStored)
      let bitmap = try CodecRegistry.standard.picture(from: file.data, context: context).bitmap
      #expect(bitmap.format == .rgba16)
      return bitmap.withUnsafeBytes { bytes in
        (0..<file.size.height).flatMap { y in
          (0..<file.size.width * 4).map {
            bytes.load(fromByteOffset: y * bitmap.bytesPerRow + $0 * 2, as: UInt16.self)
          }
        }
      }
    }

    @Test("reads grey of any number of bits", arguments: [3, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15])
    func gray(bits: Int) throws {
      let most = 1 << bits - 1
      let samples = [0, most, most / 2, most / 3, 1, most - 1]
      let file = TIFFFile(
        size: PixelSize(3, 2), bits: bits, photometric: 1, samplesPerPixel: 1,
        strips: [TIFFFile.packed(samples, bits: bits, perRow: 3)])
      for (pixel, sample) in zip(try pixels(file), samples) {
        #expect(abs(Double(pixel.red) - Double(sample) * 255 / Double(most)) < 1)
        #expect(pixel.red == pixel.blue && pixel.alpha == 255)
      }
      guard bits > 8 else { return }
      for (index, sample) in samples.enumerated() {
        let value = try words(file)[index * 4]
        #expect(abs(Double(value) - Double(sample) * 65_535 / Double(most)) < 64)
      }
    }

    @Test(
      "leaves out a resolution that is no number of dots",
      arguments: [
        (150, 150), (.infinity, nil), (-.infinity, nil), (.nan, nil), (1e38, nil), (0, nil), (-1, nil),
        (.leastNonzeroMagnitude, nil),
      ] as [(Float, Double?)])
    func resolution(stated: Float, dots: Double?) throws {
      var file = TIFFFile(size: PixelSize(1, 1), bits: 8, photometric: 1, samplesPerPixel: 1, strips: [[9]])
      file.resolution = stated
      let picture = try CodecRegistry.standard.picture(from: file.data)
      #expect(picture.header?.dotsPerInch == dots && picture.notes.isEmpty)
    }

    @Test("reads the camera and the exposure of a BigTIFF")
    func bigFile() throws {
      // The values are in their fields, which have 20 bytes.
      func field(_ tag: Int, _ type: Int, _ value: [UInt8]) -> [UInt8] {
        let count = type == 2 ? value.count : 1
        return TIFFFile.little(tag, 2) + TIFFFile.little(type, 2) + TIFFFile.little(count, 8) + value
          + [UInt8](repeating: 0, count: 8 - value.count)
      }
      func directory(_ fields: [[UInt8]]) -> [UInt8] {
        TIFFFile.little(fields.count, 8) + fields.joined() + TIFFFile.little(0, 8)
      }
      let details = directory([field(0x8827, 3, [200])])
      // A grey pixel behind the directories, of which the first has 11 fields.
      let detailsOffset = 16 + 16 + 11 * 20
      let picture = directory([
        field(256, 3, [1]), field(257, 3, [1]), field(258, 3, [8]), field(259, 3, [1]), field(262, 3, [1]),
        field(271, 2, Array("Canon\0".utf8)),
        field(273, 16, TIFFFile.little(detailsOffset + details.count, 8)), field(277, 3, [1]),
        field(278, 3, [1]), field(279, 16, [1]),
        field(34_665, 16, TIFFFile.little(detailsOffset, 8)),
      ])
      let head = Array("II".utf8) + [43, 0, 8, 0, 0, 0] + TIFFFile.little(16, 8)
      let data = Data(head + picture + details + [77])
      let header = try CodecRegistry.standard.header(of: data)
      #expect(header.metadata?.camera == "Canon" && header.metadata?.isoSensitivity == 200)
      let bitmap = try CodecRegistry.standard.picture(from: data).bitmap
      #expect(bitmap[0, 0] == Pixel(red: 77, green: 77, blue: 77))
      // The block is written anew, as the TIFF of 32 bits that EXIF data are.
      let exif = try #require(try CodecRegistry.standard.metadata(of: data).exif)
      #expect(exif.starts(with: Array("II*\0".utf8)))
    }

    @Test("reads RGB of 12 bits, 24 and 32 bits", arguments: [12, 24, 32])
    func wide(bits: Int) throws {
      // Two pixels; the upper 12 bits of each sample.
      let samples = [0x123, 0x456, 0x789, 0xABC, 0xDEF, 0xFFF]
      let strip =
        bits == 12
        ? TIFFFile.packed(samples, bits: 12, perRow: 6)
        : samples.flatMap { TIFFFile.little($0 << (bits - 12), bits / 8) }
      let file = TIFFFile(
        size: PixelSize(2, 1), bits: bits, photometric: 2, samplesPerPixel: 3, strips: [strip])
      #expect(
        try pixels(file) == [
          Pixel(red: 0x12, green: 0x45, blue: 0x78), Pixel(red: 0xAB, green: 0xDE, blue: 0xFF),
        ])
      #expect(try words(file).map { $0 >> 4 } == [0x123, 0x456, 0x789, 0xFFF, 0xABC, 0xDEF, 0xFFF, 0xFFF])
    }

    private static func planes(_ planes: [[Int]], bits: Int, photometric: Int, extra: Int? = nil) -> TIFFFile
    {
      TIFFFile(
        size: PixelSize(2, 2), bits: bits, photometric: photometric, samplesPerPixel: planes.count,
        extraSamples: extra, strips: planes.map { $0.flatMap { TIFFFile.little($0, bits / 8) } })
    }

    @Test("shows Lab with its white as white, in strips and tiles", arguments: [8, 16], [false, true])
    func lab(bits: Int, isTiled: Bool) throws {
      // L*, a* and b*: white, the middle, black, a red and a blue.
      let colors = [[255, 0, 0], [128, 0, 0], [0, 0, 0], [200, 20, 0], [150, 0, -40]]
      let row = colors.flatMap { color -> [UInt8] in
        let values = bits == 8 ? color : [color[0] * 257, color[1] * 256, color[2] * 256]
        return values.flatMap { TIFFFile.little($0 & (1 << bits - 1), bits / 8) }
      }
      let tile = row + [UInt8](repeating: 0, count: 16 * 16 * 3 * bits / 8 - row.count)
      let file = TIFFFile(
        size: PixelSize(5, 1), bits: bits, photometric: 8, samplesPerPixel: 3,
        tileSize: isTiled ? PixelSize(16, 16) : nil, strips: [isTiled ? tile : row])
      // By the formulas of CIE and IEC 61966-2-1.
      let expected: [(Int, Int, Int)] = [
        (255, 255, 255), (119, 119, 119), (0, 0, 0), (230, 181, 195), (102, 144, 212),
      ]
      for (pixel, color) in zip(try pixels(file), expected) {
        #expect(abs(Int(pixel.red) - color.0) <= 1 && abs(Int(pixel.green) - color.1) <= 1)
        #expect(abs(Int(pixel.blue) - color.2) <= 1 && pixel.alpha == 255)
      }
    }

    @Test("keeps the alpha beside an index", arguments: [1, 2], [false, true])
    func indexedAlpha(kind: Int, hasPlanes: Bool) throws {
      // Red, then blue; four pixels of one bit and one bit of alpha, of which the third is transparent.
      let file = TIFFFile(
        size: PixelSize(4, 1), bits: 1, photometric: 3, samplesPerPixel: 2, extraSamples: kind,
        palette: [0xFFFF, 0, 0, 0x8000, 0, 0xFFFF], strips: hasPlanes ? [[0x50], [0xD0]] : [[0x73]])
      let blue = Pixel(red: 0, green: 128, blue: 255)
      #expect(
        try pixels(file) == [
          Pixel(red: 255, green: 0, blue: 0), blue, Pixel(red: 0, green: 0, blue: 0, alpha: 0), blue,
        ])
    }

    @Test("reads inks of 16 bits that lie in planes")
    func inks() throws {
      let file = Self.planes(
        [[0, 0xFFFF, 0, 0x8080], [0, 0, 0xFFFF, 0x8080], [0, 0, 0, 0x8080], [0, 0, 0, 0]], bits: 16,
        photometric: 5)
      #expect(
        try pixels(file) == [
          Pixel(red: 255, green: 255, blue: 255), Pixel(red: 0, green: 255, blue: 255),
          Pixel(red: 255, green: 0, blue: 255), Pixel(red: 127, green: 127, blue: 127),
        ])
    }

    @Test("reads colours and grey in planes, with their alpha", arguments: [8, 16, 32])
    func planes(bits: Int) throws {
      func scaled(_ bytes: [Int]) -> [Int] { bytes.map { $0 << (bits - 8) } }
      let (red, green, blue) = ([10, 20, 30, 40], [50, 60, 70, 80], [90, 100, 110, 120])
      let colors = Self.planes([red, green, blue].map(scaled), bits: bits, photometric: 2)
      #expect(
        try pixels(colors)
          == (0..<4).map { Pixel(red: UInt8(red[$0]), green: UInt8(green[$0]), blue: UInt8(blue[$0])) })
      let gray = Self.planes(
        [scaled(red), scaled([255, 255, 0, 255])], bits: bits, photometric: 1, extra: 2)
      let values = try pixels(gray)
      #expect(values.map(\.red) == [10, 20, 0, 40] && values.map(\.blue) == [10, 20, 0, 40])
      #expect(values.map(\.alpha) == (bits == 8 ? [255, 255, 0, 255] : values.map(\.alpha)))
      #expect(values[2].alpha == 0 && values[0].alpha >= 254)
    }

    @Test("says that it leaves out the alpha of inks", arguments: [1, 2])
    func inksWithAlpha(kind: Int) throws {
      var file = TIFFFile(
        size: PixelSize(1, 1), bits: 8, photometric: 5, samplesPerPixel: 5, extraSamples: kind,
        strips: [[0, 255, 0, 0, 128]])
      let picture = try CodecRegistry.standard.picture(from: file.data)
      #expect(picture.bitmap[0, 0] == Pixel(red: 255, green: 0, blue: 255))
      #expect(picture.notes == ["its alpha is left out: it is not read with CMYK"])
      file.extraSamples = 0
      #expect(try CodecRegistry.standard.picture(from: file.data).notes.isEmpty)
    }

    @Test("names samples of different bits, which libtiff does not read")
    func mixedBits() throws {
      let file = TIFFFile(
        size: PixelSize(2, 1), bits: 5, photometric: 2, samplesPerPixel: 3, strips: [[1, 2, 3, 4]])
      // 5, 5, 5 become 5, 6, 5.
      var data = file.data
      let bits = try #require(data.range(of: Data([5, 0, 5, 0, 5, 0])))
      data[bits.lowerBound + 2] = 6
      #expect(
        throws: ImageDecodingError.unsupportedType(
          .tiff, reason: "its samples have different numbers of bits")
      ) {
        try CodecRegistry.standard.picture(from: data)
      }
    }

    @Test(
      "names a compression that libtiff does not read",
      arguments: [
        (34_712, "it is JPEG 2000 inside TIFF"), (33_005, "it is JPEG 2000 inside TIFF"),
        (52_546, "it is JPEG XL inside TIFF"), (60_000, "it is a compression that libtiff does not know"),
      ])
    func compression(number: Int, reason: String) throws {
      for (photometric, samples, bits) in [(2, 3, 8), (6, 3, 8), (1, 1, 1)] {
        let file = TIFFFile(
          size: PixelSize(2, 1), bits: bits, compression: number, photometric: photometric,
          samplesPerPixel: samples, strips: [[1, 2, 3, 4, 5, 6]])
        #expect(throws: ImageDecodingError.unsupportedType(.tiff, reason: reason)) {
          try CodecRegistry.standard.picture(from: file.data)
        }
      }
    }

    @Test(
      "refuses signed integers, which libtiff takes for unsigned",
      arguments: [(1, 1, 8), (1, 1, 16), (2, 3, 8)])
    func signed(photometric: Int, samples: Int, bits: Int) throws {
      var file = TIFFFile(
        size: PixelSize(2, 1), bits: bits, photometric: photometric, samplesPerPixel: samples,
        strips: [[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]])
      file.sampleFormat = 2
      #expect(try CodecRegistry.standard.header(of: file.data).notes.contains { $0.contains("signed") })
      #expect(
        throws: ImageDecodingError.unsupportedType(.tiff, reason: "its samples are signed integers")
      ) {
        try CodecRegistry.standard.picture(from: file.data)
      }
      file.sampleFormat = 1
      #expect(try pixels(file)[0] == Pixel(red: 255, green: 255, blue: 255))
    }

    @Test("treats a fourth sample of RGB as alpha if the file does not declare its meaning")
    func missingExtraSamples() throws {
      var file = TIFFFile(
        size: PixelSize(2, 1), bits: 8, photometric: 2, samplesPerPixel: 4,
        strips: [[200, 100, 50, 255, 200, 100, 50, 0]])
      let expected = [
        Pixel(red: 200, green: 100, blue: 50), Pixel(red: 0, green: 0, blue: 0, alpha: 0),
      ]
      #expect(try pixels(file) == expected)
      #expect(try CodecRegistry.standard.header(of: file.data).hasAlpha)
      // Zero means "something else".
      file.extraSamples = 0
      #expect(try pixels(file) == [expected[0], expected[0]])
    }

    /// A picture in tiles of 16 x 16, which extend beyond it, and the same in one strip.
    private static func tiled(
      _ samples: Int, photometric: Int, bits: Int = 8, extra: Int? = nil
    ) -> (TIFFFile, TIFFFile) {
      let size = PixelSize(37, 21)
      let byteCount = samples * bits / 8
      func pixel(_ x: Int, _ y: Int) -> [UInt8] {
        guard x < size.width, y < size.height else { return Array(repeating: 0xEE, count: byteCount) }
        return (0..<byteCount).map { UInt8(truncatingIfNeeded: x * 7 + y * 13 + $0 * 50) }
      }
      let tiles = (0..<2).flatMap { row in
        (0..<3).map { (column: Int) -> [UInt8] in
          (0..<16).flatMap { (y: Int) -> [UInt8] in
            (0..<16).flatMap { (x: Int) -> [UInt8] in pixel(column * 16 + x, row * 16 + y) }
          }
        }
      }
      let strip = (0..<size.height).flatMap { y in (0..<size.width).flatMap { pixel($0, y) } }
      func file(_ tileSize: PixelSize?, _ strips: [[UInt8]]) -> TIFFFile {
        TIFFFile(
          size: size, bits: bits, photometric: photometric, samplesPerPixel: samples, extraSamples: extra,
          tileSize: tileSize, strips: strips)
      }
      return (file(PixelSize(16, 16), tiles), file(nil, [strip]))
    }

    @Test("reads tiles as it reads strips", arguments: [(1, 0), (1, 1), (3, 2)])
    func tiles(samples: Int, photometric: Int) throws {
      let (tiles, strip) = Self.tiled(samples, photometric: photometric)
      #expect(try pixels(tiles) == pixels(strip))
      // From averaged rows too.
      let resize = Resize(PixelSize(6, 4), mode: .fill)
      for file in [tiles, strip] {
        let plan = DecodePlan(header: try CodecRegistry.standard.header(of: file.data), resize: resize)
        #expect(plan.averaging != nil)
      }
      #expect(
        try CodecRegistry.standard.picture(from: tiles.data, resize: resize).bitmap
          == CodecRegistry.standard.picture(from: strip.data, resize: resize).bitmap)
    }

    /// libtiff's own conversion shows the first five wrongly: the tiles at the right edge, or the alpha.
    @Test(
      "reads tiles of more bits and samples as it reads strips",
      arguments: [
        (1, 0, 16, nil), (1, 1, 16, nil), (2, 1, 8, 0), (2, 1, 16, 2), (2, 0, 8, 2), (4, 2, 16, 2),
        (1, 1, 32, nil), (4, 5, 8, nil),
      ] as [(Int, Int, Int, Int?)])
    func wideTiles(samples: Int, photometric: Int, bits: Int, extra: Int?) throws {
      let (file, strip) = Self.tiled(samples, photometric: photometric, bits: bits, extra: extra)
      var tiles = file
      #expect(try pixels(tiles) == pixels(strip))
      // Undefined samples are taken for unsigned ones.
      tiles.sampleFormat = 4
      #expect(try pixels(tiles) == pixels(strip))
      let part = Resize(region: PixelRectangle(x: 17, y: 5, width: 18, height: 14))
      #expect(
        try CodecRegistry.standard.picture(from: tiles.data, resize: part).bitmap
          == CodecRegistry.standard.picture(from: strip.data, resize: part).bitmap)
    }

    @Test("reads tiles in planes, white as the lowest value, with their alpha")
    func planesInTiles() throws {
      // Each plane is one tile, of which the picture is the first two pixels.
      func tile(_ values: [UInt8]) -> [UInt8] { values + [UInt8](repeating: 7, count: 254) }
      var file = TIFFFile(
        size: PixelSize(2, 1), bits: 8, photometric: 0, samplesPerPixel: 2, extraSamples: 2,
        tileSize: PixelSize(16, 16), strips: [tile([255, 200]), tile([255, 0])])
      file.tilesLieInPlanes = true
      #expect(
        try pixels(file) == [Pixel(red: 0, green: 0, blue: 0), Pixel(red: 0, green: 0, blue: 0, alpha: 0)])
    }

    @Test("reports that a tile is missing", arguments: [1, 300, 700])
    func missingTile(byteCount: Int) throws {
      let data = Self.tiled(3, photometric: 2).0.data
      for resize in [nil, Resize(PixelSize(6, 4), mode: .fill), Resize(PixelSize(30, 20), mode: .fill)] {
        #expect(throws: ImageDecodingError.self) {
          try CodecRegistry.standard.picture(from: data.prefix(data.count - byteCount), resize: resize)
        }
      }
    }

    /// Palettes, grey, RGB with alpha, of strips and through the library's conversion.
    @Test(
      "looks the same from averaged rows as from pixels",
      arguments: [
        "tiff-jpeg", "tiff-packbits", "tiff-raw", "tiff-rgba-lzw", "tiff-tiff_adobe_deflate", "tiff-tiff_lzw",
      ])
    func means(name: String) throws {
      let file = try CodecRegistry.standard.open(fixture("matrix/\(name).tif"))
      let size = file.header.storedSize
      let resize = Resize(PixelSize(size.width / 6, size.height / 6), mode: .fill)
      let context = DecodingContext(colorPolicy: .keep)
      let plan = DecodePlan(of: file, resize: resize, context: context)
      try #require(plan.averaging != nil)
      let planes = try file.render(plan, context: context)
      let pixels = try file.decode(plan, context: context)
      let expected = plan.resampler.resample(pixels, region: plan.region, to: plan.outputSize)
      #expect(planes.signalToNoise(against: expected) > 38)
    }

    @Test("reports missing rows, in one plane and in the last", arguments: [0, 3, 7, 15])
    func truncated(byteCount: Int) throws {
      let file = Self.planes([[1, 2, 3, 4], [1, 2, 3, 4]], bits: 16, photometric: 1, extra: 2)
      let end = file.data.count - 16
      #expect(throws: ImageDecodingError.self) {
        try CodecRegistry.standard.picture(from: file.data.prefix(end + byteCount))
      }
    }
  }
#endif
