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

    private func decoded(_ data: Data) -> Result<PixelSize, ImageDecodingError> {
      Result { () throws(ImageDecodingError) -> PixelSize in
        try CodecRegistry.standard.picture(from: data).bitmap.size
      }
    }

    private func corrupt(_ reason: String) -> Result<PixelSize, ImageDecodingError> {
      .failure(.corrupt(.heic, stage: "header", reason: reason))
    }

    private let outside = Result<PixelSize, ImageDecodingError>.failure(
      .unsupportedType(.heic, reason: "a picture of its overlay begins outside the canvas"))

    @Test("grids decode, unless their canvas differs from the picture's size", .enabled(if: isReadable))
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
      func result(_ places: [(Int, Int)], width: Int = 100) -> Result<PixelSize, ImageDecodingError> {
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

    @Test(
      "a coding without a decoder is a feature that is missing, not a fault of the file",
      .enabled(if: isReadable),
      arguments: [
        ("jpeg", "JPEG"), ("avc1", "AVC"), ("j2k1", "JPEG 2000"), ("evc1", nil), ("lhv1", nil), ("mjpg", nil),
      ])
    func missingDecoder(kind: String, name: String?) throws {
      var file = BoxFile(try fixture("matrix/heic-420.heic"))
      file.replace(at: try #require(file.firstRange(of: "hvc1")), with: Array(kind.utf8))
      let result = decoded(file.data)
      let reason = name.map { "libheif has no decoder for \($0)" } ?? "its coding, \(kind), is not supported"
      let missing = ImageDecodingError.unsupportedType(.heic, reason: reason)
      // Few systems have these decoders, and then the file is damaged.
      #expect(result == .failure(missing) || ["jpeg", "j2k1"].contains(kind) && Self.hasPlugin(kind))
    }

    private static func hasPlugin(_ kind: String) -> Bool {
      ["x86_64", "aarch64"].contains {
        FileManager.default.fileExists(
          atPath:
            "/usr/lib/\($0)-linux-gnu/libheif/plugins/libheif-\(kind == "jpeg" ? "jpegdec" : "j2kdec").so")
      }
    }

    @Test("a minimised header is named as the reason, unless the library reads it", .enabled(if: isReadable))
    func minimised() {
      let version = dlopen("libheif.so.1", RTLD_LAZY).flatMap { dlsym($0, "heif_get_version_number") }.map {
        unsafeBitCast($0, to: (@convention(c) () -> UInt32).self)()
      }
      let unsupported = ImageDecodingError.unsupportedType(.heic, reason: "it has a minimised header")
      for brands in ["", "heicmif3"] {
        let file = BoxFile.box("ftyp", Array("mif3".utf8) + [0, 0, 0, 0] + Array(brands.utf8))
        let result = decoded(Data(file + BoxFile.box("mini", [0, 0, 0, 0])))
        // The library has read the box since 1.19, where it was built for it; this one is broken.
        guard version.map({ $0 >= 0x0113_0000 }) == true else {
          #expect(result == .failure(unsupported))
          continue
        }
        if case .success = result { Issue.record("\(result)") }
      }
    }

    /// A sequence parameter set up to the size.
    static func parameterSet(_ width: Int, _ height: Int) -> [UInt8] {
      var bits = String(repeating: "0", count: 8 + 96)
      for value in [0, 1, width, height] {
        let digits = String(value + 1, radix: 2)
        bits += String(repeating: "0", count: digits.count - 1) + digits
      }
      bits += String(repeating: "1", count: 8 - bits.count % 8)
      let content = stride(from: 0, to: bits.count, by: 8).map { start in
        UInt8(bits.dropFirst(start).prefix(8), radix: 2) ?? 0
      }
      // Between two zeros and a byte below 4, a 3 is inserted.
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
      let unit = Self.parameterSet(width, height)
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

    @Test("letters of a grid or an overlay outside the table of items refuse a file that has no excerpt")
    func hiddenKinds() throws {
      func inspected(_ file: BoxFile) -> ImageDecodingError? {
        do throws(ImageDecodingError) {
          _ = try HEIFInspection.largestPixelCount(file.data.span, limits: .default)
          return nil
        } catch { return error }
      }
      let hidden = ImageDecodingError.corrupt(
        .heic, stage: "header", reason: "an item outside the table of items")
      let data = try fixture("matrix/heic-420.heic")
      for letters in ["iovl", "grid"] {
        var file = BoxFile(data)
        let box = try #require(file.boxes(["meta", "hdlr"])?.last)
        file.replace(at: box.lowerBound + 20, with: Array(letters.utf8))
        #expect(inspected(file) == hidden)
        // libheif reads the excerpt, which has no such letters.
        if Self.isReadable { #expect(decoded(file.data) == .success(PixelSize(64, 48))) }
        file = BoxFile(data)
        file.bytes += BoxFile.box("uuid", Array(letters.utf8))
        #expect(inspected(file) == hidden)
        file = BoxFile(data)
        file.bytes += BoxFile.box("free", Array(letters.utf8))
        #expect(inspected(file) == nil)
        file.bytes += [0, 0, 1, 0] + Array("meta".utf8) + Array(letters.utf8)
        #expect(inspected(file) == hidden)
      }
    }

    @Test("a parameter set that ends before its size is refused", .enabled(if: isReadable))
    func shortParameterSet() throws {
      var writer = try writer()
      // Up to the end of profile and level, with all bits used.
      let unit: [UInt8] = [0x42, 1, 0] + Array(repeating: 255, count: 12)
      writer.coded = BoxFile.big(unit.count, 4) + unit + writer.coded
      #expect(
        decoded(writer.file("grid", content: HEIFWriter.grid(128, 64), canvas: (128, 64)))
          == corrupt("a parameter set cannot be read"))
    }
  }
#endif
