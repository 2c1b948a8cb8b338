#if HEIF
  import Foundation
  import OzuCodecs
  import OzuImaging
  import OzuStandardCodecs
  import Testing

  @Suite("The places of items in a HEIF file, before libheif sees them")
  struct HEIFPlaceTests {
    private static let shared = ImageDecodingError.corrupt(
      .heic, stage: "header", reason: "too many items share their bytes")

    /// The boxes of `count` items of a kind, all of 64 x 64 pixels, with an `iloc` table of this head and these
    /// entries.
    private func meta(_ kind: String, _ count: Int, places head: [UInt8], _ entry: (Int) -> [UInt8])
      -> [UInt8]
    {
      let entries = (1...count).flatMap { BoxFile.big($0, 2) + entry($0) }
      return meta(
        kind, count, table: BoxFile.box("iloc", [0, 0, 0, 0] + head + BoxFile.big(count, 2) + entries))
    }

    /// The same with a whole `iloc` box, or other boxes.
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

    @Test("items that share their bytes may be read only a few times the length of the file")
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
      "places outside of the file are refused, however many and far",
      arguments: [
        // Parts without an offset or a length take no byte of the table.
        ([0, 0], 65_535, []),
        // The sum of the lengths overflows 64 bits.
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
        throws: ImageDecodingError.corrupt(
          .heic, stage: "header", reason: "the description of a grid or an overlay is missing")
      ) { try HEIFInspection.largestPixelCount(file.span, limits: .default) }
    }

    /// The error of the inspection for an item of 64 x 64 pixels whose bytes, at offset 8 of the file, declare a
    /// larger size. The argument is its `iloc` table.
    private func inspected(_ table: [UInt8]) -> ImageDecodingError? {
      let unit = HEIFInspectionTests.parameterSet(60_000, 60_000)
      let coded = BoxFile.big(unit.count, 4) + unit
      let file = BoxFile.box("mdat", coded + Array(repeating: 0, count: 92)) + meta("hvc1", 1, table: table)
      do throws(ImageDecodingError) {
        _ = try HEIFInspection.largestPixelCount(file.span, limits: .default)
        return nil
      } catch { return error }
    }

    private static let overlapping = (0..<9).flatMap { _ -> [UInt8] in [0, 0, 0, 8, 0, 0, 0, 92] }

    @Test(
      "a coded picture is refused if a library may read its place in another way",
      arguments: [
        // No table, a truncated one, and one of an unknown version or with unknown sizes.
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
        // Parts that overlap, with more bytes than the file.
        BoxFile.box(
          "iloc",
          [0, 0, 0, 0, 0x44, 0, 0, 1, 0, 1, 0, 0, 0, 9] + overlapping),
        // In the bytes of another item, and shortly after the end of a box.
        BoxFile.box("iloc", [1, 0, 0, 0, 0x44, 0, 0, 1, 0, 1, 0, 2, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 92]),
        BoxFile.box("iloc", [1, 0, 0, 0, 0x44, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 24])
          + BoxFile.box("idat", Array(repeating: 0, count: 16)),
        // libheif 1.15 reads the index as the offset.
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

    @Test("an index does not change the place of a coded picture")
    func indices() {
      let head: [UInt8] = [2, 0, 0, 0, 0x44, 8, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1]
      let part: [UInt8] = [255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 8, 0, 0, 0, 92]
      #expect(
        inspected(BoxFile.box("iloc", head + part))
          == .corrupt(.heic, stage: "header", reason: "it declares two sizes"))
    }
  }
#endif
