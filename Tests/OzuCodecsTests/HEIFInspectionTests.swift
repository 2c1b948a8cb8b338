#if HEIF
  import Foundation
  import OzuCodecs
  import OzuImaging
  import OzuStandardCodecs
  import Testing

  @Suite("HEIF files, before libheif sees them")
  struct HEIFInspectionTests {
    private static let isReadable = isDecodable("matrix/heic-420.heic")

    private func writer() throws -> HEIFWriter {
      try #require(HEIFWriter(BoxFile(try fixture("matrix/heic-420.heic")), size: (64, 64)))
    }

    private func decoded(_ data: Data) -> Result<PixelSize, DecodingError> {
      Result { () throws(DecodingError) -> PixelSize in
        try CodecRegistry.standard.picture(from: data).bitmap.size
      }
    }

    private func corrupt(_ reason: String) -> Result<PixelSize, DecodingError> {
      .failure(.corrupt(.heic, stage: "header", reason: reason))
    }

    private let outside = Result<PixelSize, DecodingError>.failure(
      .unsupportedType(.heic, reason: "a picture of its overlay begins outside the canvas"))

    @Test("grids decode, unless their canvas is another than the picture's size", .enabled(if: isReadable))
    func grids() throws {
      let writer = try writer()
      let good = HEIFWriter.grid(128, 64)
      #expect(decoded(writer.file("grid", content: good, canvas: (128, 64))) == .success(PixelSize(128, 64)))
      let large = HEIFWriter.grid(60_000, 60_000)
      #expect(
        decoded(writer.file("grid", content: large, canvas: (128, 64))) == corrupt("it declares two sizes"))
      guard
        case .failure(.limitExceeded(let violation)) =
          decoded(writer.file("grid", content: large, canvas: (60_000, 60_000)))
      else {
        Issue.record("not refused")
        return
      }
      #expect(violation.quantity == .pixelCount)
      #expect(
        decoded(writer.file("grid", content: Array(good.prefix(7)), canvas: (128, 64)))
          == corrupt("the description of a grid or an overlay is truncated"))
    }

    @Test("overlays decode, unless a part begins outside their canvas", .enabled(if: isReadable))
    func overlays() throws {
      let writer = try writer()
      func result(_ places: [(Int, Int)], width: Int = 100) -> Result<PixelSize, DecodingError> {
        decoded(
          writer.file(
            "iovl", content: HEIFWriter.overlay(width, 80, at: places), canvas: (100, 80)))
      }
      #expect(result([(0, 0), (36, 16)]) == .success(PixelSize(100, 80)))
      #expect(result([(0, 0), (99, 79)]) == .success(PixelSize(100, 80)))
      for place in [(100, 0), (0, 80), (-1, 0), (0, -1), (-200, 0), (32_767, 3)] {
        #expect(result([(0, 0), place]) == outside, "\(place)")
      }
      #expect(result([(0, 0), (1, 1)], width: 40_000) == corrupt("it declares two sizes"))
    }

    /// A sequence parameter set as far as the size.
    private func parameterSet(_ width: Int, _ height: Int) -> [UInt8] {
      var bits = String(repeating: "0", count: 8 + 96)
      for value in [0, 1, width, height] {
        let digits = String(value + 1, radix: 2)
        bits += String(repeating: "0", count: digits.count - 1) + digits
      }
      bits += String(repeating: "1", count: 8 - bits.count % 8)
      let content = stride(from: 0, to: bits.count, by: 8).map { start in
        UInt8(bits.dropFirst(start).prefix(8), radix: 2) ?? 0
      }
      // Where two zeros stand before a byte below 4, 3 is put between them.
      var unit: [UInt8] = [0x42, 1]
      for byte in content {
        if unit.suffix(2) == [0, 0], byte < 4 { unit.append(3) }
        unit.append(byte)
      }
      return unit
    }

    @Test(
      "a coded picture that is larger than its item by more than a block a side is refused",
      .enabled(if: isReadable), arguments: [(128, 128, false), (129, 128, true), (65_535, 65_535, true)])
    func codedSizes(width: Int, height: Int, isRefused: Bool) throws {
      let writer = try writer()
      let unit = parameterSet(width, height)
      let grid = HEIFWriter.grid(128, 64)
      let beside = BoxFile.box(
        "hvcC", [1] + Array(repeating: 0, count: 21) + [1, 33, 0, 1] + BoxFile.big(unit.count, 2) + unit)
      var within = writer
      within.coded = BoxFile.big(unit.count, 4) + unit + writer.coded
      let results = [
        decoded(writer.file("grid", content: grid, canvas: (128, 64), configuration: beside)),
        decoded(within.file("grid", content: grid, canvas: (128, 64))),
      ]
      for result in results { #expect((result == corrupt("it declares two sizes")) == isRefused) }
    }

    @Test(
      "letters of a grid or an overlay outside the table of items refuse a file", .enabled(if: isReadable))
    func hiddenKinds() throws {
      let data = try fixture("matrix/heic-420.heic")
      #expect(throws: Never.self) { try CodecRegistry.standard.picture(from: data) }
      for letters in ["iovl", "grid"] {
        var file = BoxFile(data)
        let box = try #require(file.boxes(["meta", "hdlr"])?.last)
        file.replace(at: box.lowerBound + 20, with: Array(letters.utf8))
        #expect(decoded(file.data) == corrupt("an item outside the table of items"))
        file = BoxFile(data)
        file.bytes += BoxFile.box("uuid", Array(letters.utf8))
        #expect(decoded(file.data) == corrupt("an item outside the table of items"))
        file = BoxFile(data)
        file.bytes += BoxFile.box("free", Array(letters.utf8))
        #expect(decoded(file.data) == .success(PixelSize(64, 48)))
        file.bytes += [0, 0, 1, 0] + Array("meta".utf8) + Array(letters.utf8)
        #expect(decoded(file.data) == corrupt("an item outside the table of items"))
      }
    }

    private static let shared = DecodingError.corrupt(
      .heic, stage: "header", reason: "too many items share their bytes")

    /// The boxes of so many items of a kind, all of 64 x 64 pixels, with a table of places of this head and these entries.
    private func meta(_ kind: String, _ count: Int, places head: [UInt8], _ entry: (Int) -> [UInt8])
      -> [UInt8]
    {
      let entries = (1...count).flatMap { BoxFile.big($0, 2) + entry($0) }
      return meta(
        kind, count, table: BoxFile.box("iloc", [0, 0, 0, 0] + head + BoxFile.big(count, 2) + entries))
    }

    /// The same with a whole table of places, or other boxes.
    private func meta(_ kind: String, _ count: Int, table locations: [UInt8]) -> [UInt8] {
      var kinds: [UInt8] = []
      var associations: [UInt8] = []
      for id in 1...count {
        let number = BoxFile.big(id, 2)
        kinds += BoxFile.box("infe", [2, 0, 0, 0] + number + [0, 0] + Array(kind.utf8) + [0])
        associations += number + [1, 1]
      }
      let size = BoxFile.box("ispe", [0, 0, 0, 0] + BoxFile.big(64, 4) + BoxFile.big(64, 4))
      let table = BoxFile.box("ipma", [0, 0, 0, 0] + BoxFile.big(count, 4) + associations)
      var boxes = BoxFile.box("iinf", [0, 0, 0, 0] + BoxFile.big(count, 2) + kinds)
      boxes += BoxFile.box("iprp", BoxFile.box("ipco", size) + table)
      return BoxFile.box("meta", [0, 0, 0, 0] + boxes + locations)
    }

    /// Items of two parts each, which are the two halves of the same bytes.
    private func sharing(_ count: Int) -> [UInt8] {
      meta("hvc1", count, places: [0x44, 0]) { _ in
        [0, 0, 0, 2] + [0, 50_000, 50_000, 50_000].flatMap { BoxFile.big($0, 4) }
      }
    }

    private let coded = BoxFile.box("mdat", Array(repeating: 255, count: 100_000))

    @Test("items that share their bytes are read as often as the file is long, a few times over")
    func sharedBytes() {
      #expect(throws: Never.self) {
        try HEIFInspection.largestPixelCount((sharing(3) + coded).span, limits: .default)
      }
      #expect(throws: Self.shared) {
        try HEIFInspection.largestPixelCount((sharing(9) + coded).span, limits: .default)
      }
      #expect(throws: Self.shared) {
        try HEIFInspection.largestPixelCount(
          (sharing(3) + sharing(3) + sharing(3) + coded).span, limits: .default)
      }
    }

    @Test(
      "places that lie nowhere are refused, however many and far",
      arguments: [
        // Parts without a place or a length take no byte of the table.
        ([0, 0], 65_535, []),
        // The lengths come to more than a number of 64 bits holds.
        ([0x48, 0], 65_535, [0, 0, 0, 0, 0, 0] + Array(repeating: 255, count: 6)),
        ([0x48, 0], 1, [0, 0, 0, 0] + Array(repeating: 255, count: 8)),
        ([0x44, 0], 1, Array(repeating: 255, count: 8)),
        ([0x55, 0], 1, Array(repeating: 0, count: 10)),
        ([0x44, 0], 2, [0, 0, 0, 0, 0, 0, 0, 1]),
      ] as [([UInt8], Int, [UInt8])])
    func places(head: [UInt8], count: Int, part: [UInt8]) {
      let parts = Array(repeatElement(part, count: head == [0x44, 0] ? 1 : count).joined())
      let file = meta("grid", 1, places: head) { _ in [0, 0] + BoxFile.big(count, 2) + parts }
      #expect(
        throws: DecodingError.corrupt(
          .heic, stage: "header", reason: "the description of a grid or an overlay is missing")
      ) { try HEIFInspection.largestPixelCount(file.span, limits: .default) }
    }

    /// What the inspection says of an item of 64 x 64 pixels whose bytes, from 8 on in the file, declare more, and of which
    /// this is the table of places.
    private func inspected(_ table: [UInt8]) -> DecodingError? {
      let unit = parameterSet(60_000, 60_000)
      let coded = BoxFile.big(unit.count, 4) + unit
      let file = BoxFile.box("mdat", coded + Array(repeating: 0, count: 92)) + meta("hvc1", 1, table: table)
      do throws(DecodingError) {
        _ = try HEIFInspection.largestPixelCount(file.span, limits: .default)
        return nil
      } catch { return error }
    }

    private static let overlapping = (0..<9).flatMap { _ -> [UInt8] in [0, 0, 0, 8, 0, 0, 0, 92] }

    @Test(
      "a coded picture whose place libraries may understand otherwise is refused",
      arguments: [
        // No table, one that ends early, and one of a version or with sizes that nobody knows.
        [],
        BoxFile.box("iloc", [0, 0, 0, 0, 0x44, 0, 0, 2, 0, 1, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 92]),
        BoxFile.box(
          "iloc", [3, 0, 0, 0, 0x44, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 92]),
        BoxFile.box("iloc", [0, 0, 0, 0, 0x44, 0x20, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 92]),
        // Named twice.
        BoxFile.box(
          "iloc",
          [
            0, 0, 0, 0, 0x44, 0, 0, 2, 0, 1, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 92, 0, 1, 0, 0, 0, 1, 0, 0, 0,
            100,
            0, 0, 0, 8,
          ]),
        // Parts that lie over each other, with more bytes than the file.
        BoxFile.box(
          "iloc",
          [0, 0, 0, 0, 0x44, 0, 0, 1, 0, 1, 0, 0, 0, 9] + overlapping),
        // In the bytes of another item, and a little behind a box.
        BoxFile.box("iloc", [1, 0, 0, 0, 0x44, 0, 0, 1, 0, 1, 0, 2, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 92]),
        BoxFile.box("iloc", [1, 0, 0, 0, 0x44, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 24])
          + BoxFile.box("idat", Array(repeating: 0, count: 16)),
        // libheif 1.15 takes the index for the place.
        BoxFile.box(
          "iloc",
          [1, 0, 0, 0, 0x44, 4, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 92, 0, 0, 0, 4]),
      ] as [[UInt8]])
    func unknownPlaces(table: [UInt8]) {
      #expect(
        inspected(table) == .corrupt(.heic, stage: "header", reason: "the place of a picture cannot be read"))
    }

    @Test("a coded picture without bytes, or with some beyond the file, is left to the library")
    func absentPlaces() {
      #expect(inspected(BoxFile.box("iloc", [0, 0, 0, 0, 0x44, 0, 0, 0])) == nil)
      let good: [UInt8] = [0, 0, 0, 8, 0, 0, 0, 92]
      for outside in [[0, 0, 0, 8, 0, 1, 0, 0], [0, 1, 0, 0, 0, 0, 0, 1]] as [[UInt8]] {
        let head: [UInt8] = [0, 0, 0, 0, 0x44, 0, 0, 1, 0, 1, 0, 0, 0, 2]
        #expect(inspected(BoxFile.box("iloc", head + good + outside)) == nil)
      }
    }

    @Test("an index has no part in where a coded picture lies")
    func indices() {
      let head: [UInt8] = [2, 0, 0, 0, 0x44, 8, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1]
      let part: [UInt8] = [255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 8, 0, 0, 0, 92]
      #expect(
        inspected(BoxFile.box("iloc", head + part))
          == .corrupt(.heic, stage: "header", reason: "it declares two sizes"))
    }

    @Test("a parameter set that ends before its size is refused", .enabled(if: isReadable))
    func shortParameterSet() throws {
      var writer = try writer()
      // Up to the end of profile and level, all bits used.
      let unit: [UInt8] = [0x42, 1, 0] + Array(repeating: 255, count: 12)
      writer.coded = BoxFile.big(unit.count, 4) + unit + writer.coded
      #expect(
        decoded(writer.file("grid", content: HEIFWriter.grid(128, 64), canvas: (128, 64)))
          == corrupt("a parameter set cannot be read"))
    }
  }
#endif
