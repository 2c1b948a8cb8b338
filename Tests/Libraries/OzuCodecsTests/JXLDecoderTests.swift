#if JXL
  import Foundation
  import OzuCodecs
  import OzuStandardCodecs
  import OzuImaging
  import Testing

  @Suite("JPEG XL")
  struct JXLDecoderTests {
    @Test(
      "reports a truncated file, wherever it ends",
      arguments: ["matrix/jxl-lossless.jxl", "matrix/jxl-lossy.jxl", "matrix/jxl-lossless-alpha.jxl"])
    func truncated(path: String) throws {
      let data = try fixture(path)
      for count in stride(from: 40, to: data.count - 20, by: max(1, data.count / 37)) {
        let error = #expect(throws: ImageDecodingError.self) {
          try CodecRegistry.standard.picture(from: data.prefix(count))
        }
        guard case .truncated(.jxl, _) = error else {
          Issue.record("\(count) bytes: \(String(describing: error))")
          return
        }
      }
    }

    @Test(
      "stores a JPEG and gives back the same bytes",
      arguments: [
        "baseline-420", "baseline-422", "baseline-444", "440", "gray", "progressive-420", "progressive-444",
        "restart-rows", "rgb-colourspace", "large",
      ])
    func stored(name: String) throws {
      // Larger than the room that libjxl gets at first: it begins again when it gets more.
      let noise = Bitmap(size: PixelSize(400, 400)) { x, y in
        Pixel(
          red: UInt8(truncatingIfNeeded: (x &* 37) ^ (y &* 91)), green: UInt8(x * y % 251), blue: 9,
          alpha: 255)
      }
      let jpeg =
        name == "large"
        ? try CodecRegistry.standard.encode(noise, as: .jpeg, options: EncodingOptions(compressionQuality: 1))
        : try fixture("matrix/jpeg-\(name).jpg")
      if name == "large" { #expect(jpeg.count > 1 << 17) }
      func transcoded(
        _ data: Data, _ way: JPEGTranscoding, _ limits: DecodingLimits = .default
      ) throws(ImageDecodingError) -> Data {
        try CodecRegistry.standard.transcoded(data, way, by: .jxl, limits: limits)
      }
      let file = try transcoded(jpeg, .store)
      #expect(try transcoded(file, .restore) == jpeg)
      let size = try CodecRegistry.standard.header(of: jpeg).storedSize
      #expect(try CodecRegistry.standard.header(of: file).storedSize == size)
      for (data, way) in [(jpeg, JPEGTranscoding.store), (file, .restore)] {
        #expect(throws: ImageDecodingError.self) { try transcoded(data, way, DecodingLimits(side: 20)) }
        for count in [0, 1, 30, data.count / 2] {
          #expect(throws: ImageDecodingError.self) { try transcoded(data.prefix(count), way) }
        }
      }
      #expect(throws: ImageDecodingError.self) { try transcoded(jpeg, .restore) }
      #expect(throws: ImageDecodingError.self) { try transcoded(file, .store) }
    }

    @Test("reads the EXIF data of a stored JPEG, which libjxl compresses")
    func compressedMetadata() throws {
      let codecs = CodecRegistry.standard
      let jpeg = try fixture("metadata/exif.jpg")
      let file = try codecs.transcoded(jpeg, .store, by: .jxl, limits: .default)
      let mark = try #require(file.range(of: Data("brobExif".utf8)))
      #expect(try codecs.header(of: file).metadata == codecs.header(of: jpeg).metadata)
      #expect(try codecs.metadata(of: file).exif == codecs.metadata(of: jpeg).exif)
      // Compressed bytes that break the rules of Brotli.
      var broken = file
      broken.replaceSubrange(mark.upperBound..<mark.upperBound + 4, with: [0xFF, 0xFF, 0xFF, 0xFF])
      #expect(try codecs.header(of: broken).metadata == nil)
    }

    @Test(
      "refuses what it cannot store, and gives back no JPEG that there is none of",
      arguments: [
        ("jpeg-arithmetic.jpg", JPEGTranscoding.store), ("jpeg-cmyk-noprofile.jpg", .store),
        ("jxl-lossy.jxl", .restore), ("jxl-lossless-alpha.jxl", .restore),
      ])
    func notStored(name: String, way: JPEGTranscoding) throws {
      let file = try fixture("matrix/" + name)
      let error = #expect(throws: ImageDecodingError.self) {
        try CodecRegistry.standard.transcoded(file, way, by: .jxl, limits: .default)
      }
      guard case .unsupportedType(.jxl, _) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }
#endif
