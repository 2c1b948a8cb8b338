import Foundation
import Ozu
import OzuHTTP
import OzuImaging
import OzuTesting
import Testing

@testable import OzuServer

/// What imgproxy documents about each option of its open edition, as vectors.
@Suite("The documented options of imgproxy")
struct ImgproxyVectorTests {
  private static let markSize = PixelSize(4, 2)

  /// Rules with a watermark: opaque green, but for its first pixel.
  private static let rules: AddressRules = {
    var rules = AddressTests.openRules
    rules.watermark = WatermarkPicture(
      Bitmap(size: markSize) { x, y in
        Pixel(red: x == 0 && y == 0 ? 255 : 0, green: 255, blue: UInt8(16 * x + y))
      })
    return rules
  }()

  private static func options(_ text: String) throws -> ImageOptions {
    try ImageAddress("/x/\(text)\(AddressTests.plain)", rules: rules, now: AddressTests.now).options
  }

  @Test(
    "long and short names are the same option, and neither is ignored",
    arguments: [
      ("resize", "rs", "fill:300:400:0"), ("size", "s", "300:400:1:1:no:1:2"),
      ("resizing_type", "rt", "auto"),
      ("width", "w", "10"), ("height", "h", "10"), ("min-width", "mw", "10"), ("min-height", "mh", "10"),
      ("zoom", "z", "2:3"), ("enlarge", "el", "t"), ("extend", "ex", "true:so:1:0.5"),
      ("extend_aspect_ratio", "extend_ar", "1:ea"), ("extend_aspect_ratio", "exar", "1:fp:0.1:0.2"),
      ("gravity", "g", "fp:0.5:0.25"), ("gravity", "g", "soea:10:-0.1"), ("crop", "c", "0.5:100:sm"),
      ("trim", "t", "10:FF00FF:1:t"), ("padding", "pd", "1::3"), ("rotate", "rot", "-90"),
      ("flip", "fl", "t:1"), ("background", "bg", "255:128:0"), ("background", "bg", "ff8000"),
      ("blur", "bl", "2.5"), ("sharpen", "sh", "0.7"), ("pixelate", "pix", "10"),
      ("watermark", "wm", "0.5:re:10:0.1:0.25"), ("watermark_text", "wmt", "SGk"),
      ("strip_metadata", "sm", "f"),
      ("keep_copyright", "kcr", "1"),
      ("strip_color_profile", "scp", "0"), ("preserve_hdr", "ph", "1"), ("enforce_thumbnail", "eth", "1"),
      ("quality", "q", "50"), ("format_quality", "fq", "jpg:50:webp:60"), ("max_bytes", "mb", "1000"),
      ("format", "f", "png"), ("format", "ext", "webp"), ("skip_processing", "skp", "svg:gif"),
      ("cachebuster", "cb", "abc"), ("expires", "exp", "2000000000"), ("filename", "fn", "cat"),
      ("filename", "fn", "Y2F0:1"), ("return_attachment", "att", "1"),
      ("max_src_resolution", "msr", "16.8"), ("max_src_file_size", "msfs", "1000"),
      ("max_animation_frames", "maf", "1"), ("max_animation_frame_resolution", "mafr", "2"),
      ("max_result_dimension", "mrd", "100"),
    ])
  func names(long: String, short: String, arguments: String) throws {
    let options = try Self.options("\(long):\(arguments)")
    #expect(try Self.options("\(short):\(arguments)") == options)
    #expect(options != ImageOptions())
  }

  @Test("a 0 takes a value back", arguments: ["q:50/q:0", "fq:jpg:50/fq:jpg:0", "mb:9/mb:0", "mrd:9/mrd:0"])
  func taken(back text: String) throws { #expect(try Self.options(text) == ImageOptions()) }

  @Test(
    "the defaults of PyPI's client, version 1.0.0",
    arguments: [
      ("/ieY4gKR-Rpa1whAR0i2cfzEfEr3duF0otfzrlmH-jiI/g:ce/rs:auto:0:0:0", "", 64, 48),
      ("/2wyWzd7YDmJg6f8hX6VTjrvbAkikbN3FTOrfS1OMA5c/g:ce/rs:auto:32:0:0", "", 32, 24),
      (
        "/9COjE1js1TdygcuegZgnEptPehNPwDBWoLn3ltX_o1c/bg:F00/pd:10:10:10:10/g:sm/rs:fill:32:20:1", ".webp",
        52,
        40
      ),
      ("/TlBWhogcBIFbddj-bFLtqjyyrzatfXYPbPYqPb57d3Q/q:70/bl:1/g:ce/rs:auto:16:0:0", "", 16, 12),
      ("/cl_tKb-_mdl1uUB0Eljy95InUGi2EKK1EhxRFz-agyY/q:70/dpr:2/g:ce/rs:auto:16:9:0", "", 32, 18),
    ])
  func client(path: String, ending: String, width: Int, height: Int) async throws {
    let key = try AddressKey(hexKey: AddressTests.key, salt: AddressTests.salt)
    let addresses = SignedAddresses(AddressRules(keys: [key]))
    let target = "\(path)/aHR0cHM6Ly9leGFtcGxlLmNvbS9hLnBuZw\(ending)"
    let picture = try addresses.picture(
      for: ServiceRequest(method: "GET", target: target), at: AddressTests.now)
    #expect(picture.request.source.url?.absoluteString == "https://example.com/a.png")
    let request = ImageRequest(
      .data(try PatternPicture(PixelSize(64, 48)).data(as: .png)), resize: picture.request.resize,
      processors: picture.request.processors)
    let pipeline = ImagePipeline { $0.caching.diskStorage = .none }
    #expect(try await pipeline.image(for: request).size == PixelSize(width, height))
  }

  /// The corner of the mark in a picture of 20 x 10 pixels, or of each tile of it.
  @Test(
    "a watermark is where it is documented to be, pixel for pixel",
    arguments: [
      ("wm:1", [(8, 4)]), ("wm:1:ce:1:-2", [(9, 2)]), ("wm:1:no", [(8, 0)]), ("wm:1:so:0:1", [(8, 7)]),
      ("wm:1:ea:3", [(13, 4)]), ("wm:1:we:0.25", [(5, 4)]), ("wm:1:noea:1:1", [(15, 1)]),
      ("wm:1:nowe:1:1", [(1, 1)]), ("wm:1:soea:2:3", [(14, 5)]), ("wm:1:sowe:2:3", [(2, 5)]),
      // An offset leads out of the picture.
      ("wm:1:nowe:-2:-1", [(-2, -1)]), ("wm:1:soea:-2:-1", [(18, 9)]), ("wm:1:nowe:20:0", []),
      ("wm:1:ce:0:0:0", [(8, 4)]), ("wm:0", []),
      (
        "wm:1:re:8:4", [(-4, -2), (8, -2), (20, -2), (-4, 4), (8, 4), (-4, 10), (8, 10)]
      ),
      // Fractions of the picture's sides.
      ("wm:1:re:0.4:0.4", [(-4, -2), (8, -2), (-4, 4), (8, 4), (-4, 10)]),
    ] as [(String, [(Int, Int)])])
  func watermarks(option: String, corners: [(x: Int, y: Int)]) throws {
    let size = PixelSize(20, 10)
    let below = Bitmap(size: size) { x, y in Pixel(red: 7, green: UInt8(x), blue: UInt8(y)) }
    let picture = try Self.options(option).picture(
      of: .url(URL(fileURLWithPath: "/a")), density: 1, accept: nil, rules: Self.rules)
    var result = BGRABitmap(below)
    if let step = picture.request.processors.last {
      result = BGRABitmap(try step.process(below))
    } else {
      #expect(corners.isEmpty)
    }
    for y in 0..<size.height {
      for x in 0..<size.width {
        let corner = corners.first { corner in
          (0..<Self.markSize.width).contains(x - corner.x)
            && (0..<Self.markSize.height).contains(y - corner.y)
        }
        var expected = Pixel(red: 7, green: UInt8(x), blue: UInt8(y))
        if let corner {
          let place = (x: x - corner.x, y: y - corner.y)
          expected = Pixel(
            red: place == (0, 0) ? 255 : 0, green: 255, blue: UInt8(16 * place.x + place.y))
        }
        #expect(result[x, y] == expected, "\(option) at \(x), \(y)")
      }
    }
  }

  @Test("a watermark has its opacity, its scale and its density")
  func watermarkLook() throws {
    func result(_ options: String, _ change: (inout WatermarkPicture) -> Void = { _ in }) throws -> BGRABitmap
    {
      var rules = Self.rules
      var mark = WatermarkPicture(
        Bitmap(size: PixelSize(4, 2)) { _, _ in Pixel(red: 0, green: 200, blue: 0) })
      change(&mark)
      rules.watermark = mark
      let options = try ImageAddress(
        "/x/\(options)\(AddressTests.plain)", rules: rules, now: AddressTests.now
      ).options
      let steps = try options.picture(
        of: .url(URL(fileURLWithPath: "/a")), density: 1, accept: nil, rules: rules
      ).request.processors
      let below = Bitmap(size: PixelSize(20, 10)) { _, _ in Pixel(red: 100, green: 100, blue: 100) }
      return BGRABitmap(try #require(steps.last).process(below))
    }
    #expect(try result("wm:0.5:nowe")[0, 0] == Pixel(red: 50, green: 150, blue: 50))
    #expect(try result("wm:0.5:nowe") { $0.opacity = 0.5 }[0, 0] == Pixel(red: 75, green: 125, blue: 75))
    // A quarter of 20 x 10 pixels has room for 5 x 2.5, at its own proportions.
    let scaled = try result("wm:1:nowe:0:0:0.5")
    #expect(scaled[9, 4].green == 200 && scaled[10, 4].green == 100 && scaled[9, 5].green == 100)
    // The density scales offsets, and no mark. Here the picture has twice the pixels of its size.
    let dense = try result("rs:force:10:5/dpr:2/wm:1:nowe:2:1")
    #expect(
      dense[4, 2].green == 200 && dense[3, 2].green == 100 && dense[7, 3].green == 200
        && dense[8, 3].green == 100)
    // Margins make a picture larger, and no denser: here a small source has its size at a density of 1.
    let framed = try result("rs:force:10:5/dpr:2/pd:2:5:3:5/wm:1:nowe:2:1")
    #expect(framed[2, 1].green == 200 && framed[1, 1].green == 100)
    // A drawing has more pixels for a larger size.
    let sharp = try result("wm:1:nowe:0:0:1") {
      $0.enlarged = Bitmap(size: PixelSize(40, 20)) { _, _ in Pixel(red: 1, green: 2, blue: 3) }
    }
    #expect(sharp[19, 9] == Pixel(red: 1, green: 2, blue: 3))
  }

  @Test("magenta trims what is transparent", arguments: [true, false])
  func transparentBorder(isOpaque: Bool) throws {
    let magenta = Pixel(red: 255, green: 0, blue: 255)
    let bitmap = Bitmap(size: PixelSize(8, 4), isOpaque: isOpaque) { x, y in
      let isBorder = x < 2 || y < 1
      return isBorder ? isOpaque ? magenta : .clear : Pixel(red: 9, green: 9, blue: 9)
    }
    let step = try Self.options("t:10:ff00ff").picture(
      of: .url(URL(fileURLWithPath: "/a")), density: 1, accept: nil, rules: Self.rules
    ).request.processors.first
    #expect(try #require(step).process(bitmap).size == PixelSize(6, 3))
  }

  @Test(
    "what is kept of the source's metadata, colours, bits and thumbnail",
    arguments: [
      ("q:80", MetadataPolicy.strip, ColorProfilePolicy.convert, false),
      ("kcr:1", .keepCopyright, .convert, false),
      ("sm:1/kcr:1", .keepCopyright, .convert, false), ("sm:0/kcr:0", .keepWithoutPlace, .convert, false),
      ("scp:0", .strip, .embed, false), ("scp:1", .strip, .convert, false), ("ph:1", .strip, .keep, false),
      ("ph:0/scp:0", .strip, .embed, false), ("eth:1/w:10", .strip, .convert, true),
    ])
  func kept(option: String, metadata: MetadataPolicy, colors: ColorProfilePolicy, thumbnail: Bool) throws {
    func read(_ rules: AddressRules) throws -> AddressedPicture {
      try Self.options(option).picture(
        of: .url(URL(fileURLWithPath: "/a")), density: 1, accept: nil, rules: rules)
    }
    let picture = try read(Self.rules)
    #expect(picture.output.metadata == metadata && picture.output.colorProfile == colors)
    #expect((picture.request.resize?.allowsEmbeddedThumbnail ?? false) == thumbnail)
    var rules = Self.rules
    rules.keepsCopyright = true
    let hasOwn = option.contains("kcr")
    #expect(try read(rules).output.metadata == (hasOwn || metadata != .strip ? metadata : .keepCopyright))
  }
}
