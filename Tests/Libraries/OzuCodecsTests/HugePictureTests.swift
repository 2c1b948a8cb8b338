import Foundation
import OzuCodecs
import OzuImaging
import OzuLibraryCodecs
import OzuStandardCodecs
import OzuTesting
import Testing

/// Photographs of telephones with 200 megapixels. The files here have all the blocks and tiles, which are flat or the same,
/// so they are small.
@Suite("A picture of 200 megapixels")
struct HugePictureTests {
  private static let codecs = CodecRegistry.standard
  private static let size = PixelSize(16_320, 12_240)
  private static let thumbnail = Resize(PixelSize(320, 320))
  private static let small = Resize(PixelSize(90, 90))
  /// The default limits, apart from the time: the machine may be slow.
  private static let limits = DecodingLimits(cpuTime: .seconds(600))

  // MARK: JPEG

  /// A grey picture in 4:2:0: each code has one bit, which is 0.
  private static func jpeg(_ size: PixelSize, isProgressive: Bool) -> Data {
    func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
      [0xFF, marker] + BoxFile.big(content.count + 2, 2) + content
    }
    func zeros(_ bitCount: Int) -> Data { Data(count: (bitCount + 7) / 8) }
    func blocks(_ step: Int) -> Int {
      ((size.width + step - 1) / step) * ((size.height + step - 1) / step)
    }
    let table = [1] + [UInt8](repeating: 0, count: 15)
    let sides = BoxFile.big(size.height, 2) + BoxFile.big(size.width, 2)
    var data = Data([0xFF, 0xD8] + segment(0xDB, [0] + [UInt8](repeating: 1, count: 64)))
    data += segment(isProgressive ? 0xC2 : 0xC0, [8] + sides + [3, 1, 0x22, 0, 2, 0x11, 0, 3, 0x11, 0])
    data += segment(0xC4, [0x00] + table + [0])
    // The end of a block, or of 16,384 blocks and more.
    data += segment(0xC4, [0x10] + table + [isProgressive ? 0xE0 : 0])
    data += segment(0xDA, [3, 1, 0, 2, 0, 3, 0, 0, isProgressive ? 0 : 63, 0])
    data += zeros(blocks(16) * 6 * (isProgressive ? 1 : 2))
    guard isProgressive else { return data + [0xFF, 0xD9] }
    for (component, step) in [(UInt8(1), 8), (2, 16), (3, 16)] {
      data += segment(0xDA, [1, component, 0, 1, 63, 0])
      data += zeros((blocks(step) / 16_384 + 1) * 15)
    }
    return data + [0xFF, 0xD9]
  }

  @Test("in JPEG becomes a thumbnail at the price of one", arguments: [false, true])
  func jpeg(isProgressive: Bool) throws {
    let data = Self.jpeg(Self.size, isProgressive: isProgressive)
    #expect(data.count < 1_500_000)
    let file = try Self.codecs.open(data)
    #expect(file.header.size == Self.size)
    let price = DecodePlan(of: file, resize: Self.thumbnail, context: DecodingContext()).byteCount
    // The lowest frequencies of all blocks, or a strip of them.
    #expect(price < (isProgressive ? 64 << 20 : 6 << 20), "\(price)")
    let pool = PixelBufferPool(retainedByteLimit: 0)
    let picture = try Self.codecs.picture(
      from: data, resize: Self.thumbnail, context: DecodingContext(limits: Self.limits, pool: pool))
    #expect(picture.size == PixelSize(320, 240))
    #expect(picture.bitmap.packed.allSatisfy { $0 == 128 || $0 == 255 })
    #expect(pool.statistics.peakLentByteCount <= price)
    // A part, too.
    let part = Resize(region: PixelRectangle(x: 9000, y: 12_000, width: 200, height: 100))
    guard !isProgressive else { return }
    let context = DecodingContext(limits: Self.limits)
    #expect(try Self.codecs.picture(from: data, resize: part, context: context).size == PixelSize(200, 100))
  }

  private func violation(
    _ data: Data, _ resize: Resize? = thumbnail, _ limits: DecodingLimits = .default
  ) -> DecodingLimits.Violation? {
    let pool = PixelBufferPool(retainedByteLimit: 0)
    let result = Result { () throws(ImageDecodingError) in
      try Self.codecs.picture(
        from: data, resize: resize, context: DecodingContext(limits: limits, pool: pool))
    }
    #expect(pool.statistics.peakLentByteCount == 0)
    guard case .failure(.limitExceeded(let violation)) = result else { return nil }
    return violation
  }

  @Test("in JPEG is refused where its price is not small, or another limit is set", arguments: [false, true])
  func refusedJPEG(isProgressive: Bool) {
    let data = Self.jpeg(Self.size, isProgressive: isProgressive)
    let count = Self.size.pixelCount
    #expect(violation(data, nil) == .init(.pixelCount, value: count, limit: 128_000_000))
    let fewer = DecodingLimits(pixelCount: 199_000_000)
    #expect(violation(data, Self.thumbnail, fewer) == .init(.pixelCount, value: count, limit: 199_000_000))
    let more = Self.jpeg(PixelSize(32_000, 16_001), isProgressive: isProgressive).prefix(4096)
    #expect(violation(more) == .init(.pixelCount, value: 512_032_000, limit: 128_000_000))
    guard isProgressive else { return }
    let fewerScans = DecodingLimits(scannedPixelCount: 4 * count - 1)
    #expect(
      violation(data, Self.thumbnail, fewerScans)
        == .init(.scannedPixelCount, value: 4 * count, limit: 4 * count - 1))
  }

  // MARK: HEIC and AVIF

  #if AVIF || HEIF
    private static let types = ["heic", "avif"].filter { isDecodable("x.\($0)") }

    /// A tile with a red, a green, a blue and a white quarter. Its chroma is whole, so that pieces do not differ from the
    /// whole at their edges.
    private static func tile(_ type: String, _ side: Int) throws -> ItemFile.Coded {
      #if AVIF
        if type == "avif" {
          let colors = [
            Pixel(red: 255, green: 0, blue: 0), Pixel(red: 0, green: 255, blue: 0),
            Pixel(red: 0, green: 0, blue: 255), Pixel(red: 255, green: 255, blue: 255),
          ]
          let bitmap = Bitmap(size: PixelSize(side, side)) { x, y in colors[x * 2 / side + y * 2 / side * 2] }
          let data = try AVIFEncoder().encode(bitmap, options: EncodingOptions(chromaSubsampling: .full))
          return try #require(ItemFile.Coded(type, data, side: side))
        }
      #endif
      if side == 64 { return try #require(try ItemFile.Coded(type)) }
      return try #require(ItemFile.Coded(type, try fixture("parts/tile-512.heic"), side: side))
    }

    /// A grid whose tiles are one item.
    private func grid(
      _ coded: ItemFile.Coded, _ size: PixelSize, _ properties: [ItemFile.Property] = [],
      hasAlpha: Bool = false
    ) -> Data {
      let (columns, rows) = (
        (size.width + coded.width - 1) / coded.width, (size.height + coded.height - 1) / coded.height
      )
      var file = ItemFile(coded.kind == "av01" ? "avif" : "heic", coded)
      let sides = BoxFile.big(size.width, 2) + BoxFile.big(size.height, 2)
      func picture(_ id: Int, _ properties: [ItemFile.Property]) -> ItemFile.Item {
        .init(
          id: id, kind: "grid", content: [0, 0, UInt8(rows - 1), UInt8(columns - 1)] + sides,
          properties: [ItemFile.size(size.width, size.height)] + properties)
      }
      file.items = [picture(1, properties), ItemFile.picture(2, coded)]
      file.refer("dimg", from: 1, to: Array(repeating: 2, count: rows * columns))
      if hasAlpha {
        let alpha = ItemFile.purpose("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha")
        file.items.append(picture(3, properties + [alpha]))
        file.refer("dimg", from: 3, to: Array(repeating: 2, count: rows * columns))
        file.refer("auxl", from: 3, to: [1])
      }
      return file.data
    }

    @Test("in HEIC and AVIF is decoded tile row by tile row", arguments: types)
    func tiles(type: String) throws {
      let coded = try Self.tile(type, 512)
      let size = PixelSize(16_320, 8000)
      let data = grid(coded, size, [ItemFile.turn(3)])
      #expect(data.count < 8192)
      let file = try Self.codecs.open(data)
      #expect(file.header.size == size.transposed)
      let price = DecodePlan(of: file, resize: Self.thumbnail, context: DecodingContext()).byteCount
      #expect(price < 64 << 20, "\(price)")
      let pool = PixelBufferPool(retainedByteLimit: 0)
      let picture = try Self.codecs.picture(
        from: data, resize: Self.thumbnail, context: DecodingContext(limits: Self.limits, pool: pool))
      #expect(picture.size == PixelSize(157, 320))
      #expect(pool.statistics.peakLentByteCount < price)
      // The tiles are 512 pixels, which are ten here: red at the top right of each, because it is turned.
      let red = picture.bitmap[3, 2], blue = picture.bitmap[8, 2], white = picture.bitmap[8, 7]
      #expect(red.red > 180 && red.blue < 80 && blue.blue > 160 && blue.red < 90 && white.green > 200)
      // The whole of it is too much.
      #expect(
        violation(data, nil) == .init(.pixelCount, value: size.pixelCount, limit: 128_000_000))
      let more = PixelSize(16_320, 16_320)
      #expect(
        violation(grid(coded, more)) == .init(.pixelCount, value: more.pixelCount, limit: 128_000_000))
    }

    @Test("is refused if its tiles are more bytes than a file may have", arguments: types)
    func sharedBytes(type: String) throws {
      let coded = try Self.tile(type, 64)
      // With alpha there are no planes.
      let data = grid(coded, PixelSize(250, 170), hasAlpha: true)
      #expect(data.count < 10_000)
      let price = try DecodePlan(
        of: Self.codecs.open(data), resize: Self.small, context: DecodingContext()
      ).byteCount
      let limits = DecodingLimits(decodedByteCount: price - 1, encodedByteCount: data.count)
      #expect(
        violation(data, Self.small, limits) == .init(.decodedByteCount, value: price, limit: price - 1))
    }

    @Test(
      "in tiles has the pixels that it has when it is decoded at once", arguments: types,
      Cases.every(
        2,
        of: [
          [], [ItemFile.turn(1)], [ItemFile.turn(2)], [ItemFile.turn(3)], [ItemFile.mirror(0)],
          [ItemFile.mirror(1)], [ItemFile.turn(1), ItemFile.mirror(0)],
          [ItemFile.turn(3), ItemFile.mirror(1)],
        ]))
    func bands(type: String, turns: [ItemFile.Property]) throws {
      try bands(type, turns, hasAlpha: false)
      try bands(type, turns, hasAlpha: true)
    }

    private func bands(_ type: String, _ turns: [ItemFile.Property], hasAlpha: Bool) throws {
      let coded = try Self.tile(type, 64)
      // Six tiles on each side, the last of which are cut off, in bands of two pieces.
      let data = grid(coded, PixelSize(350, 330), [ItemFile.color] + turns, hasAlpha: hasAlpha)
      for mode in [ScaleMode.aspectFit, .aspectFill] {
        let resize = Resize(PixelSize(90, 90), mode: mode)
        let whole = try Self.codecs.picture(from: data, resize: resize)
        let price = try DecodePlan(
          of: Self.codecs.open(data), resize: resize, context: DecodingContext()
        ).byteCount
        let pool = PixelBufferPool(retainedByteLimit: 0)
        let limits = DecodingLimits(decodedByteCount: price - 1)
        let own = try Self.codecs.picture(
          from: data, resize: resize, context: DecodingContext(limits: limits, pool: pool))
        #expect(own.header?.hasAlpha == hasAlpha)
        #expect(own.bitmap.largestDifference(from: whole.bitmap) <= 1)
        #expect(pool.statistics.peakLentByteCount < price)
      }
    }

    @Test("in tiles is decoded in bands also for a large part of it", arguments: types)
    func part(type: String) throws {
      let coded = try Self.tile(type, 64)
      let data = grid(coded, PixelSize(1020, 700))
      let resize = Resize(
        PixelSize(100, 100), region: PixelRectangle(x: 60, y: 70, width: 400, height: 500))
      let whole = try Self.codecs.picture(from: data, resize: resize)
      let plan = try DecodePlan(of: Self.codecs.open(data), resize: resize, context: DecodingContext())
      #expect(plan.cut != nil)
      let limits = DecodingLimits(decodedByteCount: plan.byteCount - 1)
      let own = try Self.codecs.picture(
        from: data, resize: resize, context: DecodingContext(limits: limits))
      #expect(own.bitmap.largestDifference(from: whole.bitmap) <= 1)
    }

    @Test("in tiles stops between two pieces of a row of tiles", arguments: types, [false, true])
    func stopped(type: String, isCancelled: Bool) throws {
      let coded = try Self.tile(type, 64)
      // One band of 20 pieces: the rows of the resampler are too few to stop it. With alpha there are no planes.
      let data = grid(coded, PixelSize(5120, 64), hasAlpha: true)
      let price = try DecodePlan(
        of: Self.codecs.open(data), resize: Self.thumbnail, context: DecodingContext()
      ).byteCount
      let pool = PixelBufferPool(retainedByteLimit: 0)
      var questions = 0
      let context = DecodingContext(
        limits: DecodingLimits(decodedByteCount: price - 1, cpuTime: .milliseconds(12)), pool: pool,
        isCancelled: { isCancelled && questions > 12 },
        threadTime: {
          questions += 1
          return .milliseconds(questions)
        })
      let error = #expect(throws: ImageDecodingError.self) {
        try Self.codecs.picture(from: data, resize: Self.thumbnail, context: context)
      }
      #expect(error == .cancelled || error == .limitExceeded(.init(.cpuTime, value: 13, limit: 12)))
      #expect(pool.statistics.lentByteCount == 0)
    }
  #endif
}
