import Foundation
import OzuCodecs
import OzuImaging
import OzuLibraryCodecs
import OzuStandardCodecs
import Testing

@Suite("JPEG decoder")
struct JPEGDecoderTests {
  @Test(
    "decodes every variant to the same picture",
    arguments: [
      ("jpeg-411", "rgb", 110), ("jpeg-440", "rgb", 110), ("jpeg-arith-progressive", "rgb", 110),
      ("jpeg-arithmetic", "rgb", 110), ("jpeg-baseline-420", "rgb", 110), ("jpeg-baseline-422", "rgb", 110),
      ("jpeg-baseline-444", "rgb", 40), ("jpeg-cmyk-noprofile", "rgb", 110), ("jpeg-gray", "gray", 40),
      ("jpeg-progressive-420", "rgb", 110), ("jpeg-progressive-444", "rgb", 40),
      ("jpeg-restart-rows", "rgb", 110), ("jpeg-rgb-colourspace", "rgb", 110),
    ])
  func variants(name: String, reference: String, tolerance: Int) throws {
    let bitmap = try picture("matrix/\(name).jpg").bitmap
    let expected = try picture("matrix/ref/\(reference).png").bitmap
    #expect(bitmap.largestDifference(from: expected) <= tolerance)
    #expect(bitmap.meanDifference(from: expected) < 6)
    #expect(bitmap.isOpaque)
    #expect(bitmap.packed.enumerated().allSatisfy { $0.offset % 4 != 3 || $0.element == 255 })
  }

  @Test("gives the same pixels for one and for several scans")
  func progressiveEqualsBaseline() throws {
    let baseline = try picture("matrix/jpeg-baseline-420.jpg").bitmap
    #expect(try picture("matrix/jpeg-progressive-420.jpg").bitmap == baseline)
  }

  @Test(
    "reduces to eighths of any size, close to the mean",
    arguments: [PixelSize(64, 48), PixelSize(61, 47), PixelSize(9, 65), PixelSize(1, 1)], [1, 2, 4])
  func reduced(size: PixelSize, eighths: Int) throws {
    let data = try JPEGEncoder().encode(waves(size), options: .init(compressionQuality: 0.95))
    let file = try JPEGDecoder().open(data, limits: .default)
    let plan = DecodePlan(header: file.header, resize: nil, scales: file.scales)
    let whole = try file.decode(plan, context: .init())
    let target = PixelSize(max(1, size.width * eighths / 16), max(1, size.height * eighths / 16))
    let small = DecodePlan(header: file.header, resize: Resize(target, mode: .fill), scales: [eighths])
    let bitmap = try file.decode(small, context: .init())
    #expect(bitmap.size == small.decodedSize)
    // If the size is not a multiple of 8, the last column and row contain repeated pixels.
    guard small.eighths == eighths, size.width % 8 == 0 else { return }
    #expect(bitmap.meanDifference(from: whole.reduced(by: 8 / eighths)) < 2)
  }

  /// Every other tool reads CMYK as Adobe writes it, whether its marker is there or not.
  @Test("reads CMYK in the same way with and without Adobe's marker", arguments: [false, true])
  func cmyk(hasProfile: Bool) throws {
    var adobe = try fixture("matrix/jpeg-cmyk-noprofile.jpg")
    if hasProfile {
      let profile = TableProfile(press: "prtr", tables: ["A2B0"], hasInverse: false).data
      let content = Data("ICC_PROFILE\0".utf8) + [1, 1] + profile
      let length = content.count + 2
      adobe.insert(
        contentsOf: [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 255)] + content, at: 2)
    }
    let segment = try #require(adobe.range(of: Data("Adobe".utf8)))
    var plain = adobe
    plain.replaceSubrange(segment, with: Data("Other".utf8))
    for resize in [nil, Resize(PixelSize(9, 9))] {
      let marked = try CodecRegistry.standard.picture(from: adobe, resize: resize).bitmap
      let unmarked = try CodecRegistry.standard.picture(from: plain, resize: resize).bitmap
      #expect(marked.largestDifference(from: unmarked) == 0)
    }
    guard !hasProfile else { return }
    let reference = try picture("matrix/ref/rgb.png").bitmap
    #expect(try CodecRegistry.standard.picture(from: plain).bitmap.meanDifference(from: reference) < 6)
  }

  @Test(
    "reports that scan data are missing", arguments: ["jpg-cut50.jpg", "jpg-cut90.jpg", "prog-jpg-cut70.jpg"])
  func truncated(name: String) throws {
    #expect(throws: ImageDecodingError.truncated(.jpeg, stage: "scan data")) {
      try picture("mutants/\(name)")
    }
  }

  @Test(
    "returns the rows that exist if that is allowed",
    arguments: ["jpeg-baseline-444.jpg", "jpeg-progressive-444.jpg"])
  func partial(name: String) throws {
    let whole = try fixture("matrix/\(name)")
    let context = DecodingContext(allowsTruncation: true)
    let cut = try CodecRegistry.standard.picture(from: whole.prefix(whole.count * 3 / 4), context: context)
    let full = try CodecRegistry.standard.picture(from: whole)
    #expect(cut.size == full.size)
    #expect(cut.notes == ["the file is cut off: a part of the picture is missing"])
    let unharmed = try CodecRegistry.standard.picture(from: whole, context: context)
    #expect(unharmed.notes.isEmpty && unharmed.bitmap == full.bitmap)
    let top = (0..<8).allSatisfy { x in
      abs(Int(cut.bitmap[x * 8, 4].green) - Int(full.bitmap[x * 8, 4].green)) < 40
    }
    #expect(top)
    #expect(cut.bitmap != full.bitmap)
  }

  @Test(
    "does not need the end marker",
    arguments: [
      "jpeg-baseline-420.jpg", "jpeg-progressive-420.jpg", "jpeg-arithmetic.jpg",
      "jpeg-arith-progressive.jpg",
    ])
  func noEndMarker(name: String) throws {
    let whole = try fixture("matrix/\(name)")
    let full = try CodecRegistry.standard.picture(from: whole)
    #expect(try CodecRegistry.standard.picture(from: whole.dropLast(2)).bitmap == full.bitmap)
  }

  @Test(
    "does not take an early end marker for the end of the picture",
    arguments: ["jpeg-baseline-420.jpg", "jpeg-arithmetic.jpg", "jpeg-arith-progressive.jpg"], [500, 1000])
  func earlyEndMarker(name: String, missing: Int) throws {
    let whole = try fixture("matrix/\(name)")
    let cut = whole.prefix(whole.count - missing) + Data([0xFF, 0xD9])
    #expect(throws: ImageDecodingError.truncated(.jpeg, stage: "scan data")) {
      try CodecRegistry.standard.picture(from: cut)
    }
  }

  @Test("takes a file in arithmetic coding whose end is flat for whole: its encoder left out the zeros")
  func flatEnd() throws {
    let white = try #require(
      Data(
        base64Encoded: """
          /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkSEw8UHRofHh0aHBwgJC4nICIsIxwcKDcpLDAx\
          NDQ0Hyc5PTgyPC4zNDL/yQALCAZABLABAREA/8wABgAQEAX/2gAIAQEAAD8A0rf9qaj/2Q==
          """))
    // Fill bytes before a marker and bytes behind the last one are no part of the picture.
    for file in [white, white.dropLast(2) + Data([0xFF, 0xFF, 0xFF, 0xD9, 1, 2, 3])] {
      let bitmap = try CodecRegistry.standard.picture(from: file).bitmap
      #expect(bitmap.size == PixelSize(1200, 1600))
      #expect([0, 800, 1599].allSatisfy { bitmap[600, $0] == Pixel(red: 255, green: 255, blue: 255) })
    }
  }

  @Test(
    "names the reason why libjpeg cannot decode a file",
    arguments: [(0xC3, 8, "without loss"), (0xC1, 12, "12 bits"), (0xF7, 8, "JPEG-LS")])
  func unsupported(marker: Int, precision: Int, words: String) throws {
    var data = try fixture("matrix/jpeg-baseline-420.jpg")
    let frame = try #require(data.range(of: Data([0xFF, 0xC0])))
    data[frame.lowerBound + 1] = UInt8(marker)
    data[frame.lowerBound + 4] = UInt8(precision)
    #expect(try CodecRegistry.standard.header(of: data).bitsPerComponent == precision)
    let error = #expect(throws: ImageDecodingError.self) { try CodecRegistry.standard.picture(from: data) }
    guard case .unsupportedType(.jpeg, let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains(words))
  }

  @Test("ignores bytes after the end of the picture")
  func trailingGarbage() throws {
    #expect(try picture("sniffing/jpeg-trailing-garbage.jpg").size == PixelSize(33, 21))
  }

  @Test("keeps the name of the profile if pixels stay as stored")
  func colorSpace() throws {
    let bitmap = try CodecRegistry.standard.picture(
      from: fixture("icc/display-p3-two-segments-reversed.jpg"),
      context: DecodingContext(colorPolicy: .keep)
    ).bitmap
    #expect(bitmap.colorSpace == .icc(name: "sP3"))
  }
}
