import Foundation
import Ozu
import OzuHTTP
import OzuImaging
import OzuTesting
import Testing

@testable import OzuServer

extension AddressTests {
  private static func picture(
    _ options: String, rules: AddressRules = openRules, headers: HTTPHeaders = [:]
  ) throws -> AddressedPicture {
    try SignedAddresses(rules).picture(
      for: ServiceRequest(method: "GET", target: "/x\(options)\(plain)", headers: headers), at: now)
  }

  @Test(
    "the size of the result for a picture of 64 x 48 pixels",
    arguments: [
      ("", 64, 48), ("/rs:fit:32:32", 32, 24), ("/w:32", 32, 24), ("/h:12", 16, 12),
      ("/rs:fill:32:32", 32, 32),
      ("/rs:force:10:20", 10, 20), ("/rs:fit:128:128", 64, 48), ("/rs:fit:128:128:1", 128, 96),
      ("/rs:fill-down:128:128", 48, 48), ("/rs:fill:20:20/g:no", 20, 20),
      ("/rs:fill:20:20/g:fp:1:0", 20, 20),
      ("/rs:fill:20:20/g:sm", 20, 20), ("/rs:fit:20:20/dpr:2", 40, 30), ("/rs:fit:32:32:0:1", 32, 32),
      ("/c:10:20", 10, 20), ("/c:0:20:soea", 64, 20), ("/c:10:10/rs:fit:5:5", 5, 5),
      ("/w:32/pd:1:2:3:4", 38, 28), ("/w:32/pd:1/dpr:2", 68, 52), ("/w:32/bl:1/sh:1/fl:1:1/bg:f00", 32, 24),
      ("/rs:fill:100:100/g:so", 64, 48), ("/rs:fill:100:100", 64, 48), ("/rs:fill:100:20", 64, 20),
      ("/rs:fill:100:20/g:sm", 64, 20), ("/rs:fill:100:20/g:soea", 64, 20), ("/rs:fill:20:100/el:1", 20, 100),
      ("/rs:fill-down:100:20", 64, 13), ("/rs:fill-down:100:20/g:no", 64, 13), ("/rs:auto:100:40", 64, 40),
      ("/rs:fill:32:24/dpr:4", 64, 48), ("/rs:fill:32:16/dpr:4", 64, 32), ("/rs:fill:40:80/dpr:2", 40, 48),
      ("/rs:fill:40:80/g:no/dpr:2", 40, 48), ("/rs:fill:40:80/rot:90", 40, 64),
      ("/rs:fill:40:80/z:2", 64, 48),
      ("/c:0:40/rs:fill:100:20", 64, 20),
    ])
  func sizes(options: String, width: Int, height: Int) async throws {
    var request = try Self.picture(options).request
    request = ImageRequest(
      .data(try PatternPicture(PixelSize(64, 48)).data(as: .png)), resize: request.resize,
      processors: request.processors)
    let pipeline = ImagePipeline { $0.caching.diskStorage = .none }
    #expect(try await pipeline.image(for: request).size == PixelSize(width, height))
  }

  /// The results of each option over its range by imgproxy's documentation and code, with the options that scale or
  /// turn its result. Where two lines differ in `dpr` alone, everything else scales with it.
  static let comparisons: [(options: String, width: Int, height: Int)] = [
    // Sizes are those of the turned picture.
    ("rs:fill:30:20/rot:90", 30, 20), ("rs:fill:30:20/rot:180", 30, 20), ("rs:fill:30:20/rot:270", 30, 20),
    ("rs:fill:30:20/g:no/rot:90", 30, 20), ("rs:fill:30:20/g:sm/rot:90", 30, 20),
    ("rs:fit:32:32/rot:90", 24, 32), ("w:32/rot:90", 32, 43), ("h:32/rot:90", 24, 32),
    ("rs:force:10:20/rot:90", 10, 20), ("rs:fill-down:20:10/rot:90", 20, 10), ("c:10:20/rot:90", 10, 20),
    ("c:10:20/w:5/rot:270", 5, 10), ("t:10/w:32/rot:90", 32, 43), ("w:32/rot:360", 32, 24),
    ("w:32/rot:0/fl:1:1", 32, 24),
    // The density: what it scales, and what a source is too small for.
    ("dpr:0.5", 32, 24), ("dpr:2", 64, 48), ("dpr:2/el:1", 128, 96), ("dpr:4/w:8", 32, 24),
    ("dpr:2/w:64", 64, 48), ("dpr:2/w:64/el:1", 128, 96), ("dpr:0.1/w:10", 1, 1),
    ("rs:auto:32:16/dpr:0.5", 16, 8), ("rs:auto:20:20/dpr:0.5/pd:2", 12, 12),
    ("rs:fit:40:40/mw:36/dpr:0.5", 20, 15),
    ("w:32/pd:5", 42, 34), ("w:32/pd:5/dpr:2", 84, 68), ("w:64/pd:5", 74, 58), ("w:64/pd:5/dpr:2", 74, 58),
    ("w:40/pd:10/dpr:2", 96, 80), ("pd:5", 74, 58), ("pd:5/dpr:2", 74, 58), ("pd:5/dpr:2/el:1", 148, 116),
    ("w:32/pd:1::3", 34, 28), ("w:32/pd::2", 36, 24), ("w:32/pd:1:2:3:4", 38, 28), ("w:32/pd:0", 32, 24),
    // An extension reaches the size, at the density that the picture reaches.
    ("rs:fit:20:20:0:1", 20, 20), ("rs:fit:20:20:0:1/dpr:2", 40, 40), ("rs:fit:100:100:0:1", 100, 100),
    ("rs:fit:100:100:0:1/dpr:2", 100, 100), ("rs:fit:100:100:1:1/dpr:2", 200, 200), ("w:100/ex:1", 100, 48),
    ("h:100/ex:1", 64, 100), ("ex:1", 64, 48), ("rs:fit:30:20:0:1/rot:90", 30, 20),
    ("rs:fit:20:20:0:1/pd:1/dpr:2", 44, 44),
    ("rs:fill-down:128:128:1", 128, 128), ("rs:fill-down:0:96:1", 128, 96),
    // A forced size keeps its proportions where it is larger than the source.
    ("rs:force:32:32", 32, 32), ("rs:force:128:20", 64, 10), ("rs:force:128:128", 48, 48),
    ("rs:force:128:128:1", 128, 128), ("rs:force:40:40/dpr:2", 48, 48), ("rs:force:20:128/rot:90", 10, 64),
    // A crop is in pixels of the source, at every density.
    ("c:10:20/dpr:2", 10, 20), ("c:100:20", 64, 20), ("c:0:20", 64, 20), ("c:20:20/w:10/dpr:2", 20, 20),
    ("c:20:20/w:10/pd:1/dpr:4", 24, 24),
    // A fraction of a side, also of the turned picture.
    ("c:0.5:0.25", 32, 12), ("c:0.5:10", 32, 10), ("c:0.5:0/rot:90", 24, 64), ("c:0.5:0.5/w:16", 16, 12),
    ("c:0.5:0.5:sm", 32, 24), ("c:20:20:sm/w:10", 10, 10), ("g:sm/c:20:20", 20, 20),
    // `auto` fills if the source and the size are both upright or both not, and else fits.
    ("rs:auto:32:16", 32, 16), ("rs:auto:20:20", 20, 20), ("rs:auto:16:32", 16, 12),
    ("rs:auto:16:32/rot:90", 16, 32),
    ("rs:auto:32:16/rot:90", 12, 16), ("rs:auto:32:16/dpr:2", 64, 32), ("rs:auto:128:64", 64, 48),
    ("rs:auto:128:64:1", 128, 64), ("rs:auto:64:128:1", 64, 48), ("rs:auto:32:0", 32, 24),
    ("rt:auto/h:12", 16, 12),
    ("rt:auto", 64, 48), ("rs:auto:16:32:0:1", 16, 32),
    // A least side enlarges what is smaller, and what becomes larger than the size is cut to it.
    ("mw:128", 128, 96), ("mh:96", 128, 96), ("mw:32", 64, 48), ("w:16/mh:24", 16, 24),
    ("w:16/mw:32", 16, 24),
    ("h:12/mw:32", 32, 12), ("rs:fit:32:32/mh:32", 32, 32), ("rs:fill:20:20/mw:40", 20, 20),
    // The density that a source is too small for scales no least side either.
    ("mw:100/dpr:2", 100, 75), ("mw:100/dpr:2/el:1", 200, 150), ("w:16/mw:32/dpr:2", 32, 48),
    ("h:24/mw:40/rot:90", 40, 24), ("mw:96/rot:90", 96, 128), ("mw:128/pd:1", 130, 98),
    // A zoom is a factor of the size, which is bounded by the source as the size is.
    ("z:0.5", 32, 24), ("z:2", 64, 48), ("z:2/el:1", 128, 96), ("z:0.5:0.25", 32, 12),
    ("z:0.5:0.25/rot:90", 24, 16),
    ("z:2:1", 64, 24), ("w:16/z:2", 32, 24), ("rs:fill:10:10/z:2", 20, 20),
    ("rs:fill:10:10/z:2/dpr:2", 40, 40),
    ("w:16/z:2/pd:3", 38, 30), ("w:80/z:0.5", 40, 30), ("rs:fit:20:20:0:1/z:2", 40, 40),
    ("z:0.5/dpr:2", 64, 48), ("z:0.5/pd:5/dpr:2", 84, 68), ("z:2/pd:5/dpr:0.5", 74, 58),
    // An extension at a place, and to proportions alone.
    ("rs:fit:20:20:0:1:no", 20, 20), ("rs:fit:32:32/ex:1:soea:1:2", 32, 32), ("rs:fit:32:32/ex:0:no", 32, 24),
    ("rs:fit:32:32/exar:1", 32, 32), ("rs:fit:100:100/exar:1", 64, 64), ("rs:fit:100:50/exar:1", 96, 48),
    ("rs:fit:50:100/extend_ar:1:no", 50, 100), ("exar:1", 64, 48), ("w:32/exar:1", 32, 24),
    ("rs:fit:100:100/extend_aspect_ratio:1/pd:1/dpr:2", 66, 66),
    // Any number of quarters.
    ("w:32/rot:-90", 32, 43), ("rot:450", 48, 64), ("rot:-180", 64, 48), ("rot:720", 64, 48),
    // Offsets that lead out are cut.
    ("c:10:20:ea:-5:-99", 10, 20), ("rs:fill:20:20/g:no:0:-0.5", 20, 20),
    // A forced side beside an open one, which keeps its length.
    ("rs:force:10:0", 10, 48), ("rs:force:0:10", 64, 10), ("rs:force:128:0", 64, 24),
    ("rs:force:128:0:1", 128, 48), ("rs:force:10:0/rot:90", 10, 64), ("rs:force:10:0/dpr:2", 10, 48),
    ("rs:force:10:10/mw:20", 10, 10),
    // Two factors of zoom stretch the picture that the size asks for.
    ("rs:fit:32:32/z:1:0.5", 32, 12), ("w:10/z:2:1", 20, 8), ("rs:fill:20:20/z:0.5:1", 10, 20),
    ("rs:fill:16:16/z:2:1/dpr:2", 48, 24), ("rs:fit:100:100/z:2:1", 64, 24),
    // The largest side of the result, with its padding.
    ("mrd:32", 32, 24), ("w:60/pd:4/mrd:34", 34, 27), ("w:16/mrd:32", 16, 12), ("mrd:0", 64, 48),
    // A trim of a border that is none, with a decimal tolerance.
    ("t:0.4", 64, 48),
    // Long names.
    ("min-width:128", 128, 96), ("min_width:128", 128, 96), ("min-height:96", 128, 96),
    ("min_height:96", 128, 96),
    ("zoom:0.5", 32, 24), ("extend:1:no/size:20:20", 20, 20),
  ]

  @Test("sizes are those of imgproxy", arguments: comparisons)
  func comparison(options: String, width: Int, height: Int) async throws {
    try await sizes(options: "/" + options, width: width, height: height)
  }

  @Test(
    "the places of gravities are those of imgproxy: in the turned picture, and at the density that is reached",
    arguments: [
      ("/rs:fill:10:20/g:we:3:0", 3, 0), ("/rs:fill:10:20/g:ea:3:0", 27, 0),
      ("/rs:fill:5:10/g:we:3:0/dpr:2", 6, 0), ("/rs:fill:5:10/g:we:3:0/dpr:4", 6, 0),
      ("/rs:fill:10:20/g:we/fl:1", 39, 0), ("/rs:fill:20:10/g:no/rot:90", 0, 19),
      ("/rs:fill:20:10/g:so/rot:90", 30, 19), ("/c:10:10:nowe:3:4/dpr:2", 3, 4),
      ("/c:10:10:nowe/rot:90", 0, 19), ("/c:10:10:nowe/fl:1", 39, 0),
      // Offsets below zero, and fractions of the picture's side, which `dpr` does not scale.
      ("/c:10:10:ce:-5:-3", 10, 2), ("/c:10:10:nowe:-5:-3", 0, 0), ("/c:10:10:ce:0.25:0", 25, 5),
      ("/c:10:10:ce:-0.25:0", 5, 5), ("/c:10:10:nowe:0.1:0.1", 4, 2), ("/c:10:10:soea:0.1:0.1", 26, 8),
      ("/rs:fill:10:20/g:we:0.25:0", 10, 0), ("/rs:fill:5:10/g:we:0.25:0/dpr:2", 10, 0),
      ("/rs:fill:5:10/g:ce:-2:0/dpr:2", 11, 0), ("/c:0.5:0.5:soea", 20, 10),

      ("/rs:auto:20:20/g:we:3:0", 3, 0),
    ])
  func positions(options: String, x: Int, y: Int) async throws {
    let bitmap = Bitmap(size: PixelSize(40, 20)) { x, y in Pixel(red: UInt8(x), green: UInt8(y), blue: 0) }
    let request = try Self.picture(options).request
    let pipeline = ImagePipeline { $0.caching.diskStorage = .none }
    let picture = try await pipeline.image(
      for: ImageRequest(
        .data(try CodecRegistry.standard.encode(bitmap, as: .png)), resize: request.resize,
        processors: request.processors))
    let corner = BGRABitmap(picture.bitmap)[0, 0]
    #expect((Int(corner.red), Int(corner.green)) == (x, y))
  }

  @Test(
    "every value of blur and of sharpen that is not 0 changes the picture",
    arguments: [
      "pix:3", "pix:99", "bl:0.2", "bl:0.5", "bl:0.79", "bl:0.8", "bl:3", "bl:100", "sh:0.3", "sh:0.5",
      "sh:1", "sh:10",
    ])
  func filters(option: String) throws {
    let bitmap = Bitmap(size: PixelSize(16, 16)) { x, y in
      let value = UInt8(x < 8 ? 60 : 190)
      return Pixel(red: value, green: value, blue: value)
    }
    let step = try #require(try Self.picture("/" + option).request.processors.first)
    let result = BGRABitmap(try step.process(bitmap))
    let values = (0..<16).map { Int(result[$0, 8].red) }
    #expect(values != (0..<16).map { $0 < 8 ? 60 : 190 })
    // A blur is monotonous across an edge; a sharpened edge is steeper than before.
    if option.hasPrefix("pix") {
      return #expect(option == "pix:99" ? Set(values).count == 1 : values[7] != 60)
    }
    #expect(option.hasPrefix("bl") ? values == values.sorted() : values[8] - values[7] > 130)
  }

  @Test(
    "padding and extension keep the format: white around an opaque picture for a client that reads JPEG alone",
    arguments: [
      ("/w:32/pd:4", nil, true, ImageType.jpeg), ("/rs:fit:20:20:0:1", nil, true, .jpeg),
      ("/w:32/pd:4", nil, false, .png), ("/w:32/pd:4", "image/webp", true, .webp),
      ("/w:32/pd:4/f:png", nil, true, .png),
    ] as [(String, String?, Bool, ImageType)])
  func surrounds(options: String, accept: String?, isOpaque: Bool, type: ImageType) async throws {
    let picture = try Self.picture(options, headers: accept.map { ["Accept": $0] } ?? [:])
    let bitmap = Bitmap(size: PixelSize(64, 48), isOpaque: isOpaque) { x, _ in
      Pixel(red: 9, green: 9, blue: 9, alpha: isOpaque || x > 9 ? 255 : 99)
    }
    let pipeline = ImagePipeline { $0.caching.diskStorage = .none }
    let file = try await pipeline.encoded(
      for: ImageRequest(
        .data(try CodecRegistry.standard.encode(bitmap, as: .png)), resize: picture.request.resize,
        processors: picture.request.processors), as: picture.output)
    #expect(file.type == type)
    let corner = BGRABitmap(try CodecRegistry.standard.picture(from: file.data).bitmap)[0, 0]
    #expect(type == .jpeg ? min(corner.red, corner.green, corner.blue) > 230 : corner.alpha == 0)
  }

  @Test(
    "a limit on bytes that cannot be met gives the best effort", arguments: ["jpg", "webp", "png", "gif"])
  func bestEffort(format: String) async throws {
    let picture = try Self.picture("/mb:10/f:\(format)")
    let pipeline = ImagePipeline { $0.caching.diskStorage = .none }
    let source = ImageSource.data(try PatternPicture(PixelSize(64, 48)).data(as: .png))
    let small = try await pipeline.encoded(for: ImageRequest(source), as: picture.output).data.count
    #expect(small > 10)
    let whole = try await pipeline.encoded(for: ImageRequest(source), as: Self.picture("/f:\(format)").output)
    #expect(small <= whole.data.count)
  }

  @Test("a gravity selects its part of the picture")
  func places() throws {
    let bitmap = Bitmap(size: PixelSize(40, 20)) { x, y in Pixel(red: UInt8(x), green: UInt8(y), blue: 0) }
    for (gravity, x, y) in [
      ("ce", 15, 5), ("no", 15, 0), ("soea", 30, 10), ("nowe:3:4", 3, 4), ("soea:3:4", 27, 6),
      ("fp:0:1", 0, 10),
      ("fp:0.5:0.5", 15, 5), ("fp:1:0", 30, 0), ("ea:99:0", 0, 5),
    ] {
      let steps = try Self.picture("/c:10:10:\(gravity)").request.processors
      let result = try #require(steps.first).process(bitmap)
      let corner = BGRABitmap(result)[0, 0]
      #expect((Int(corner.red), Int(corner.green)) == (x, y), "\(gravity)")
    }
  }

  /// Where the top left pixel of a picture of 4 x 2 pixels is in its extension, which is white.
  @Test(
    "an extension has the picture at the place of its gravity",
    arguments: [
      ("w:8/h:8/ex:1", 2, 3), ("w:8/h:8/ex:1:nowe", 0, 0), ("w:8/h:8/ex:1:soea", 4, 6),
      ("w:8/h:8/ex:1:soea:1:2", 3, 4),
      ("w:8/h:8/ex:1:nowe:1:0.25", 1, 2), ("w:8/h:8/ex:1:no:0:99", 2, 6), ("w:8/h:8/ex:1:ce:-1:-1", 1, 2),
      ("w:8/h:8/ex:1:fp:0:1", 0, 6), ("w:8/h:8/exar:1", 0, 1), ("w:8/h:8/exar:1:so", 0, 2),
      ("w:9/h:1/exar:1:ea", 14, 0),
      ("rs:fit:8:8:0:1:nowe:1:1", 1, 1),
    ])
  func extensions(options: String, x: Int, y: Int) throws {
    let bitmap = Bitmap(size: PixelSize(4, 2)) { x, y in
      Pixel(red: x == 0 && y == 0 ? 9 : 99, green: 0, blue: 0)
    }
    let step = try #require(try Self.picture("/\(options)/f:jpg").request.processors.last)
    let result = BGRABitmap(try step.process(bitmap))
    #expect(result[x, y].red == 9 && result.size != bitmap.size)
  }

  @Test(
    "a trim compares with its colour, and keeps the middle along the axes that it names",
    arguments: [
      ("t:0", 8, 4), ("t:0:ff0000", 2, 1), ("t:0:f00", 2, 1), ("trim:0:00ff00", 8, 4), ("t:0:ff0000:1", 4, 1),
      ("t:0:ff0000:0:1", 2, 2), ("t:0:ff0000:1:1", 4, 2), ("t:255::1:1", 8, 4),
      ("t:0:ff00ff", 8, 4),
    ])
  func trims(option: String, width: Int, height: Int) throws {
    // The corner has another colour than the border, and the blue part is not in the middle.
    let bitmap = Bitmap(size: PixelSize(8, 4)) { x, y in
      (2...3).contains(x) && y == 1
        ? Pixel(red: 0, green: 0, blue: 255)
        : Pixel(red: 255, green: (x, y) == (0, 0) && option == "t:0" ? 255 : 0, blue: 0)
    }
    let step = try #require(try Self.picture("/\(option)").request.processors.first)
    #expect(try step.process(bitmap).size == PixelSize(width, height))
  }

  @Test("a background is visible outside of the picture")
  func backdrop() throws {
    let clear = Bitmap(size: PixelSize(2, 1), isOpaque: false) { x, _ in
      x == 0 ? Pixel(red: 0, green: 0, blue: 0, alpha: 0) : Pixel(red: 64, green: 0, blue: 0, alpha: 128)
    }
    let steps = try Self.picture("/bg:0:200:0").request.processors
    let result = BGRABitmap(try #require(steps.first).process(clear))
    #expect(result.isOpaque)
    #expect(result[0, 0] == Pixel(red: 0, green: 200, blue: 0))
    #expect(result[1, 0] == Pixel(red: 64, green: 100, blue: 0))
  }

  @Test(
    "contradictory options, and results that are too large, are refused",
    arguments: [
      "/w:5000", "/w:2000/dpr:3", "/mw:5000", "/wm:1", "/rs:force:5000:0",
      "/w:100/z:50",
      "/mh:3000/dpr:2",
    ])
  func refusedPictures(options: String) {
    let error = #expect(throws: AddressRefusal.self) { try Self.picture(options) }
    #expect(error?.status == 400)
  }

  @Test("how it is written")
  func output() throws {
    let picture = try Self.picture("/q:40/mb:5000/sm:0/fn:a.png/att:1", headers: ["Accept": "image/webp"])
    #expect(picture.output.types.first == .webp)
    #expect(picture.output.options.compressionQuality == 0.4)
    #expect(picture.output.options.maximumByteCount == 5000)
    #expect(picture.output.metadata == .keepWithoutPlace)
    #expect(picture.varyingFields == ["Accept"])
    #expect(picture.fileName == "a.png" && picture.isAttachment)
    let fixed = try Self.picture("/f:jpg/fq:jpg:55:webp:44", headers: ["Accept": "image/webp"])
    #expect(fixed.output.types == [.jpeg] && fixed.output.options.quality(for: .jpeg) == 0.55)
    #expect(fixed.varyingFields.isEmpty)
    var rules = Self.openRules
    (rules.quality, rules.qualities) = (70, [.avif: 60, .webp: 50])
    for (options, qualities) in [
      ("", [0.6, 0.5, 0.7]), ("/fq:avif:40", [0.4, 0.5, 0.7]), ("/q:30", [0.3, 0.3, 0.3]),
    ] {
      let output = try Self.picture(options, rules: rules).output
      #expect([.avif, .webp, .jpeg].map { output.options.quality(for: $0) } == qualities, "\(options)")
    }
    let scored = try Self.picture("/aq:ssimulacra2:75/mb:5000").output.options
    #expect(scored.targetScore == 75 && scored.maximumByteCount == 5000)
    #expect(try Self.picture("/autoquality:size:900").output.options.maximumByteCount == 900)
  }

  @Test("client hints are used if they are enabled and the address gives no value")
  func hints() throws {
    let headers: HTTPHeaders = ["Sec-CH-DPR": "2", "Sec-CH-Width": "30"]
    #expect(try Self.picture("/w:10", headers: headers).request.resize?.size.width == 10)
    let rules = Self.open { $0.usesClientHints = true }
    let dense = try Self.picture("/w:10", rules: rules, headers: headers)
    #expect(dense.request.resize?.size.width == 20)
    #expect(dense.varyingFields == ["Accept", "Sec-CH-DPR", "DPR"])
    #expect(try Self.picture("/w:10/dpr:1", rules: rules, headers: headers).request.resize?.size.width == 10)
    #expect(try Self.picture("", rules: rules, headers: headers).request.resize?.size.width == 30)
    // 4,096 pixels are 2,730.7 points: rounded up they would be 4,097 pixels.
    let large: HTTPHeaders = ["Sec-CH-DPR": "1.5", "Sec-CH-Width": "9999"]
    #expect(try Self.picture("", rules: rules, headers: large).request.resize?.size.width == 4095)
    let wide: HTTPHeaders = ["Sec-CH-Width": "3000"]
    #expect(try Self.picture("/z:2", rules: rules, headers: wide).request.resize?.size.width == 4096)
    let sharp: HTTPHeaders = ["DPR": "3"]
    #expect(throws: AddressRefusal.self) { try Self.picture("/pd:0:2049:0:2048") }
    #expect(throws: AddressRefusal.self) { try Self.picture("/pd:1025/dpr:2") }
    _ = try Self.picture("/pd:2048", rules: rules, headers: sharp)
    _ = try Self.picture("/pd:5000:0:0", rules: Self.open { $0.largestSide = 5000 })
    #expect(try Self.picture("/w:3000/h:9", rules: rules, headers: sharp).request.resize?.size.width == 4096)
    #expect(throws: AddressRefusal.self) { try Self.picture("/w:4097", rules: rules, headers: sharp) }
    for value in ["x", "-1", "1e9", "inf"] {
      #expect(
        try Self.picture("/w:10", rules: rules, headers: ["DPR": value]).request.resize?.size.width == 10)
    }
    #expect(try Self.picture("/w:10", rules: rules, headers: ["DPR": "99"]).request.resize?.size.width == 40)
  }

  // MARK: Making addresses

  @Test("an address that was made can be read")
  func making() throws {
    let key = try AddressKey(hexKey: Self.key, salt: Self.salt)
    let addresses = SignedAddresses(AddressRules(keys: [key]))
    let source = URL(string: "https://example.com/a%20b.png?c=d&e=%40")!
    let path = try addresses.path(of: source, options: "rs:fill:320:240/g:fp:0.25:0.5/q:70", format: "webp")
    let address = try ImageAddress(path, rules: addresses.rules, now: Self.now)
    #expect(address.source == source)
    #expect(address.options.type == .webp && address.options.quality == 70)
    // Numbers have no exponents in addresses.
    let small = try addresses.path(of: source, options: "bl:0.00001/sh:0.00002")
    #expect(try ImageAddress(small, rules: addresses.rules, now: Self.now).options.blur == 0.00001)
    var rules = addresses.rules
    try rules.definePreset("thumb", options: "rs:fill:16:12")
    #expect(try addresses.path(of: source, options: "t:9:f80:1").contains("/t:9:ff8800:1:0/"))
    let thumb = try SignedAddresses(rules).path(of: source, options: "pr:thumb/q:70")
    #expect(try ImageAddress(thumb, rules: rules, now: Self.now).options.height == 12)
    #expect(throws: AddressRefusal.self) { try addresses.path(of: source, options: "pr:thumb") }
    var (few, names) = (rules, rules)
    few.allowedOptions = ["pr"]
    names.onlyPresets = true
    for (rules, own, other) in [(few, "pr:thumb", "q:70"), (names, "thumb", "pr:thumb")] {
      let limited = SignedAddresses(rules)
      let path = try limited.path(of: source, options: own)
      #expect(try ImageAddress(path, rules: rules, now: Self.now).options.height == 12)
      #expect(throws: AddressRefusal.self) { try limited.path(of: source, options: other) }
    }
    // What the default preset says can be taken back.
    try rules.definePreset("default", options: "sm:0/q:30")
    let stripped = try SignedAddresses(rules).path(of: source, options: "sm:1/q:0", format: "webp")
    let options = try ImageAddress(stripped, rules: rules, now: Self.now).options
    #expect(!options.keepsMetadata && options.quality == nil && options.type == .webp)
    #expect(throws: AddressRefusal.self) { try addresses.path(of: source, format: "svg") }
    #expect(throws: AddressRefusal.self) { try addresses.path(of: URL(string: "file:///a")!) }
  }

  /// Pieces of the grammar in any order, some of them damaged: nothing traps, and an accepted address gives the same value when
  /// its own text is read.
  @Test("random addresses", arguments: 0..<UInt64(8))
  func random(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let words = [
      "rs", "fill", "fit", "force", "fill-down", "w", "h", "dpr", "el", "g", "sm", "fp", "ce", "soea", "c",
      "rot", "90", "bl",
      "sh", "pd", "bg", "q", "fq", "jpg", "webp", "mb", "sm", "fn", "a.png", "att", "exp", "cb", "t", "fl",
      "ex", "1", "0", "auto", "wm", "re", "raw", "skp", "msr", "mafr", "msfs", "maf", "mrd", "kcr", "ph",
      "eth", "mw", "mh", "z", "exar", "-0.25", "-90", "pix",
      "ff8000",
      "320", "0.5", "255", "pr", "x", "",
    ]
    let rules = Self.openRules
    var readCount = 0
    for _ in 0..<2500 {
      var segments: [String] = []
      for _ in 0..<Int.random(in: 0..<4, using: &random) {
        let count = Int.random(in: 2..<5, using: &random)
        segments.append((0..<count).map { _ in words.randomElement(using: &random)! }.joined(separator: ":"))
      }
      var target = "/x/" + segments.map { "\($0)/" }.joined() + "plain/https://example.com/a.png@webp"
      if Int.random(in: 0..<4, using: &random) == 0 {
        var bytes = Array(target.utf8)
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
        target = String(decoding: bytes, as: UTF8.self)
      }
      guard let address = try? ImageAddress(target, rules: rules, now: .distantPast) else { continue }
      readCount += 1
      let again = try ImageAddress("/x" + address.path, rules: rules, now: .distantPast)
      #expect(again == address, "\(target)")
      #expect(again.path == address.path)
      _ = try? address.options.picture(of: .url(address.source), density: 2, accept: nil, rules: rules)
    }
    #expect(readCount > 300)
  }
}
