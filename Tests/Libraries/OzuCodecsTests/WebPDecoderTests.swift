#if WebP
  import Foundation
  import OzuCodecs
  import OzuStandardCodecs
  import OzuImaging
  import Testing

  @Suite("WebP decoder")
  struct WebPDecoderTests {
    @Test(
      "decodes every variant to the same picture",
      arguments: [
        ("webp-lossless", "rgb", 0), ("webp-lossless-alpha", "rgba", 0), ("webp-lossy", "rgb", 110),
        ("webp-lossy-alpha", "rgba", 120), ("anim-lossless", "anim-0", 0), ("anim-lossy", "anim-0", 120),
      ])
    func variants(name: String, reference: String, tolerance: Int) throws {
      let bitmap = try picture("matrix/\(name).webp").bitmap
      let expected = try picture("matrix/ref/\(reference).png").bitmap
      #expect(bitmap.largestDifference(from: expected) <= tolerance)
      #expect(bitmap.meanDifference(from: expected) < 10)
    }

    @Test(
      "has a header with the stored facts",
      arguments: [
        ("webp-lossless", false, 1), ("webp-lossless-alpha", true, 1), ("webp-lossy", false, 1),
        ("webp-lossy-alpha", true, 1), ("anim-lossless", false, 4), ("anim-lossy", false, 4),
      ])
    func header(name: String, hasAlpha: Bool, frameCount: Int) throws {
      let header = try CodecRegistry.standard.header(of: fixture("matrix/\(name).webp"))
      let hasPlanes = name == "webp-lossy" || name == "anim-lossy"
      let expected = ImageHeader(
        type: .webp, storedSize: PixelSize(64, 48), hasAlpha: hasAlpha, frameCount: frameCount,
        planeLayout: hasPlanes
          ? PlaneLayout(
            chromaStep: .init(horizontal: 2, vertical: 2), source: .wholePlanes(bytesPerPixel: 2)) : nil)
      #expect(header == expected)
    }

    @Test(
      "reports that image data are missing, or returns the rows that exist",
      arguments: ["webp-lossless", "webp-lossy"])
    func truncated(name: String) throws {
      let whole = try fixture("matrix/\(name).webp")
      let cut = whole.prefix(whole.count * 3 / 4)
      #expect(throws: ImageDecodingError.truncated(.webp, stage: "image data")) {
        try CodecRegistry.standard.picture(from: cut)
      }
      let part = try CodecRegistry.standard.picture(from: cut, context: .init(allowsTruncation: true)).bitmap
      let full = try CodecRegistry.standard.picture(from: whole).bitmap
      #expect(part[0, 0] == full[0, 0])
      #expect(part[63, 47] == Pixel(red: 128, green: 128, blue: 128))
    }

    @Test("is corrupt, and not cut off, if it announces an animation and has a still picture")
    func withoutFrames() throws {
      let still = try fixture("matrix/webp-lossless.webp")
      let extended = Data("VP8X".utf8) + Data([10, 0, 0, 0, 2, 0, 0, 0, 63, 0, 0, 47, 0, 0])
      let byteCount = UInt32(still.count - 8 + extended.count).littleEndian
      let head = Data("RIFF".utf8) + withUnsafeBytes(of: byteCount) { Data($0) } + Data("WEBP".utf8)
      let data = head + extended + still.dropFirst(12)
      #expect(
        throws: ImageDecodingError.corrupt(.webp, stage: "image data", reason: "it has no picture")
      ) {
        try CodecRegistry.standard.picture(from: data)
      }
      #expect(throws: ImageDecodingError.truncated(.webp, stage: "image data")) {
        try CodecRegistry.standard.picture(from: data.prefix(40))
      }
    }

    @Test("is corrupt if its picture does not begin as one")
    func invalidPicture() throws {
      var data = try fixture("matrix/webp-lossless.webp")
      let signature = try #require(data.range(of: Data("VP8L".utf8))).lowerBound + 8
      data[signature] = 0
      #expect(
        throws: ImageDecodingError.corrupt(.webp, stage: "header", reason: "a picture without a valid header")
      ) {
        try CodecRegistry.standard.header(of: data)
      }
    }

    @Test("has the alpha of its first frame, though the animation announces none")
    func unannouncedAlpha() throws {
      let still = try fixture("matrix/webp-lossy-alpha.webp")
      func chunk(_ name: String, _ content: Data) -> Data {
        let byteCount = UInt32(content.count).littleEndian
        return Data(name.utf8) + withUnsafeBytes(of: byteCount) { Data($0) } + content
      }
      // 64x48, for 100 ms, in place of what is there.
      let place = Data([0, 0, 0, 0, 0, 0, 63, 0, 0, 47, 0, 0, 100, 0, 0, 2])
      let frame = chunk("ANMF", place + still.dropFirst(30))
      let head = chunk("VP8X", Data([2, 0, 0, 0, 63, 0, 0, 47, 0, 0])) + chunk("ANIM", Data(count: 6))
      let picture = try CodecRegistry.standard.picture(
        from: chunk("RIFF", Data("WEBP".utf8) + head + frame + frame))
      #expect(picture.header?.hasAlpha == true && !picture.bitmap.isOpaque)
      let first = try #require(picture.animation).frame(at: 0)
      #expect(picture.bitmap == first)
      #expect(try picture.bitmap == CodecRegistry.standard.picture(from: still).bitmap)
    }

    @Test("is opaque if it announces no alpha, whatever alpha its pixels have")
    func opaque() throws {
      var data = try fixture("matrix/webp-lossless-alpha.webp")
      // The hint of VP8L: bit 28 of the field after its signature byte.
      let signature = try #require(data.range(of: Data("VP8L".utf8))).lowerBound + 8
      data[signature + 4] &= ~0x10
      if let extended = data.range(of: Data("VP8X".utf8)) { data[extended.lowerBound + 8] &= ~0x10 }
      let bitmap = try CodecRegistry.standard.picture(from: data).bitmap
      #expect(bitmap.isOpaque)
      #expect(bitmap.packed.enumerated().allSatisfy { $0.offset % 4 != 3 || $0.element == 255 })
    }
  }
#endif
