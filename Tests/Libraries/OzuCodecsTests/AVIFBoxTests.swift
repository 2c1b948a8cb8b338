#if AVIF
  import Foundation
  import OzuCodecs
  import OzuStandardCodecs
  import OzuImaging
  import Testing

  @Suite("Boxes of AVIF and HEIC")
  struct AVIFBoxTests {
    private static let samples = ["moov", "trak", "mdia", "minf", "stbl", "stsd"]

    private func error(_ data: Data) -> ImageDecodingError? {
      do throws(ImageDecodingError) {
        _ = try CodecRegistry.standard.picture(from: data)
        return nil
      } catch {
        return error
      }
    }

    private func declaring(_ width: Int, _ height: Int, _ path: String) throws -> Data {
      var file = BoxFile(try fixture(path))
      let size = try #require(file.firstRange(of: "ispe")) + 8
      file.replace(at: size, with: BoxFile.big(width, 4) + BoxFile.big(height, 4))
      return file.data
    }

    @Test(
      "that declare too much are refused for the limit that they exceed",
      arguments: ["matrix/avif-420-q90.avif", "matrix/heic-420.heic"].filter(isDecodable))
    func limits(path: String) throws {
      let side = DecodingLimits.Violation(.side, value: 70_000, limit: 65_535)
      #expect(try error(declaring(70_000, 64, path)) == .limitExceeded(side))
      // The HEIC has a clean aperture, which is its size.
      if path.hasSuffix("avif") {
        let pixels = DecodingLimits.Violation(.pixelCount, value: 3_600_000_000, limit: 128_000_000)
        #expect(try error(declaring(60_000, 60_000, path)) == .limitExceeded(pixels))
      }
      #expect(try CodecRegistry.standard.header(of: declaring(70_000, 64, path)).storedSize.width == 70_000)
    }

    @Test("of a track that declares too much are refused for it")
    func trackLimits() throws {
      var file = BoxFile(try fixture("matrix/anim.avif"))
      // The sides are the last fields, with 16 bits of fraction.
      let track = try #require(file.boxes(["moov", "trak", "tkhd"])?.last)
      file.replace(
        at: track.upperBound - 8, with: BoxFile.big(60_000 << 16, 4) + BoxFile.big(50_000 << 16, 4))
      let pixels = DecodingLimits.Violation(.pixelCount, value: 3_000_000_000, limit: 128_000_000)
      #expect(error(file.data) == .limitExceeded(pixels))
    }

    @Test("with more frames than are counted give their still picture")
    func frames() throws {
      let samples = ["moov", "trak", "mdia", "minf", "stbl"]
      var file = BoxFile(try fixture("matrix/anim.avif"))
      // All frames in one chunk, with one byte each.
      let chunks = try #require(file.boxes(samples + ["stsc"])?.last)
      file.replace(at: chunks.lowerBound + 20, with: BoxFile.big(70_000, 4))
      let sizes = try #require(file.boxes(samples + ["stsz"])?.last)
      file.replace(at: sizes.lowerBound + 12, with: BoxFile.big(1, 4) + BoxFile.big(70_000, 4))
      let header = try CodecRegistry.standard.header(of: file.data)
      #expect(header.frameCount == ImageHeader.largestFrameCount && !header.isFrameCountExact)
      #expect(header.storedSize == (try original()).size)
    }

    @Test("that say how often an animation is played are read by libavif 1.0 and newer", arguments: [1, 3])
    func loops(count: Int) throws {
      var file = BoxFile(try fixture("matrix/anim.avif"))
      // An edit list is played once, or with a flag until the track ends.
      let edit = try #require(file.boxes(["moov", "trak", "edts", "elst"])?.last)
      let track = try #require(file.boxes(["moov", "trak", "tkhd"])?.last)
      file.bytes[edit.lowerBound + 11] = count == 1 ? 0 : 1
      let duration = file.integer(at: edit.lowerBound + 16, 8)
      file.replace(at: track.lowerBound + 36, with: BoxFile.big(count * duration, 8))
      let animation = try #require(try CodecRegistry.standard.picture(from: file.data).animation)
      let isNew = dlopen("libavif.so.16", RTLD_LAZY | RTLD_NOLOAD) != nil
      #expect(animation.frameCount == 4 && animation.loopCount == (isNew ? count : 0))
    }

    /// A header with tables of many entries, which name the same few items.
    private static func crowded(
      _ type: String, items: Int = 1, references: Int = 0, places: Int = 0, bindings: Int = 0
    )
      -> Data
    {
      var entries: [UInt8] = []
      for _ in 0..<items {
        entries += BoxFile.box("infe", [2, 0, 0, 0, 0, 1, 0, 0] + Array("av01".utf8) + [0])
      }
      var links: [UInt8] = []
      for _ in 0..<references { links += BoxFile.box("dimg", [0, 1, 0, 1, 0, 1]) }
      let place: [UInt8] = [0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]
      var boxes = BoxFile.box(
        "hdlr", [0, 0, 0, 0, 0, 0, 0, 0] + Array("pict".utf8) + Array(repeating: 0, count: 13))
      boxes += BoxFile.box("pitm", [0, 0, 0, 0, 0, 1])
      boxes += BoxFile.box("iinf", [1, 0, 0, 0] + BoxFile.big(items, 4) + entries)
      boxes += BoxFile.box("iref", [0, 0, 0, 0] + links)
      boxes += BoxFile.box(
        "iloc",
        [0, 0, 0, 0, 0x44, 0] + BoxFile.big(places, 2) + Array(repeatElement(place, count: places).joined()))
      let binding = BoxFile.box(
        "ipma", [0, 0, 0, 0] + BoxFile.big(bindings, 4) + Array(repeating: 0, count: bindings * 3))
      boxes += BoxFile.box("iprp", BoxFile.box("ipco", []) + binding)
      let head = BoxFile.box("ftyp", Array(type.utf8) + [0, 0, 0, 0] + Array("mif1\(type)".utf8))
      return Data(head + BoxFile.box("meta", [0, 0, 0, 0] + boxes))
    }

    @Test(
      "with more entries than any picture needs are refused before a library reads them",
      arguments: [("avif", "matrix/avif-420-q90.avif"), ("heic", "matrix/heic-420.heic")].filter {
        isDecodable($0.1)
      })
    func entries(type: String, path: String) throws {
      let limit = HEIFTables.mostEntries
      let crowds = [
        Self.crowded(type, items: limit + 1), Self.crowded(type, references: limit / 2),
        Self.crowded(type, places: limit), Self.crowded(type, bindings: limit),
        Self.crowded(type, items: limit / 2, references: limit / 4, places: 1),
      ]
      for (index, data) in crowds.enumerated() {
        guard case .unsupportedType(ImageType(rawValue: type), let reason) = error(data) else {
          Issue.record("\(index): \(String(describing: error(data)))")
          continue
        }
        #expect(reason.hasSuffix("entries in its tables, limit \(limit)"), "\(index): \(reason)")
      }
      // Within the limit, the library says what is wrong.
      #expect(error(Self.crowded(type, items: 3)).map { "\($0)".contains("entries") } == false)
      #expect(throws: Never.self) { try HEIFTables.check(fixture(path).span, type: .avif) }
    }

    @Test("that are broken are refused with the library's own message")
    func diagnosis() throws {
      var file = BoxFile(try fixture("matrix/avif-420-q90.avif"))
      let handler = try #require(file.firstRange(of: "pict"))
      file.replace(at: handler, with: Array("nope".utf8))
      guard case .corrupt(.avif, "header", let reason) = error(file.data) else {
        Issue.record("not corrupt")
        return
      }
      // The result, and what the library says about it.
      #expect(reason.split(separator: ": ").count == 2, "\(reason)")
    }

    @Test("that crop the picture without the flag \"essential\" are refused, those that turn it are read")
    func optionalTurn() throws {
      let coded = try #require(try ItemFile.Coded("avif"))
      var (turned, cropped) = (ItemFile.turn(1), ItemFile.crop(32, 16))
      let expected = try CodecRegistry.standard.picture(from: ItemFile("avif", coded, [turned]).data).bitmap
      turned.isEssential = false
      let file = ItemFile("avif", coded, [turned]).data
      #expect(try CodecRegistry.standard.picture(from: file).bitmap == expected)
      #expect(error(ItemFile("avif", coded, [cropped]).data) == nil)
      cropped.isEssential = false
      let reason = "a turn or a cut that is not marked as essential"
      #expect(
        error(ItemFile("avif", coded, [cropped]).data)
          == .corrupt(.avif, stage: "header", reason: reason))
    }

    @Test("of a sound track are skipped")
    func sound() throws {
      var file = BoxFile(try fixture("matrix/anim.avif"))
      let header = try #require(file.box(["moov", "trak", "tkhd"]))
      // The sample entry of sound is shorter than the common part of a picture's.
      let entry = BoxFile.box("mp4a", Array(repeating: 0, count: 28))
      let table = BoxFile.box("stbl", BoxFile.box("stsd", [0, 0, 0, 0, 0, 0, 0, 1] + entry))
      let handler = BoxFile.box(
        "hdlr", [0, 0, 0, 0, 0, 0, 0, 0] + Array("soun".utf8) + Array(repeating: 0, count: 13))
      let track = BoxFile.box("trak", header + BoxFile.box("mdia", handler + BoxFile.box("minf", table)))
      file.append(track, to: ["moov"])
      file.moveSamples(by: track.count)
      let picture = try CodecRegistry.standard.picture(from: file.data)
      let original = try self.original()
      #expect(picture.bitmap == original.bitmap && picture.animation?.frameCount == 4)
    }

    @Test("of depth are not taken for transparency, those of alpha are", arguments: ["depth", "alpha"])
    func depth(kind: String) throws {
      var file = BoxFile(try fixture("matrix/anim.avif"))
      var track = BoxFile(Data(try #require(file.box(["moov", "trak"]))))
      let identifier = try #require(track.firstRange(of: "tkhd")) + 4
      // Version 1 has dates of eight bytes.
      track.replace(at: identifier + (track.bytes[identifier] == 1 ? 20 : 12), with: BoxFile.big(2, 4))
      let handler = try #require(track.firstRange(of: "hdlr")) + 12
      track.replace(at: handler, with: Array("auxv".utf8))
      let urn = Array("urn:mpeg:mpegB:cicp:systems:auxiliary:\(kind)\0".utf8)
      track.append(BoxFile.box("auxi", [0, 0, 0, 0] + urn), to: Self.samples.dropFirst() + ["av01"])
      track.append(BoxFile.box("tref", BoxFile.box("auxl", BoxFile.big(1, 4))), to: ["trak"])
      file.append(track.bytes, to: ["moov"])
      file.moveSamples(by: track.bytes.count)
      let header = try CodecRegistry.standard.header(of: file.data)
      #expect(header.hasAlpha == (kind == "alpha"))
      #expect(header.frameCount == 4)
      guard kind == "depth" else { return }
      #expect(try CodecRegistry.standard.picture(from: file.data).bitmap == original().bitmap)
    }

    private func original() throws -> Picture { try picture("matrix/anim.avif") }
  }
#endif
