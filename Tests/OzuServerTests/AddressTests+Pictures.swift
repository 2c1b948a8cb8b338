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
      ("/rs:fill-down:128:128:1", 48, 48), ("/rs:fill:20:20/g:no", 20, 20),
      ("/rs:fill:20:20/g:fp:1:0", 20, 20),
      ("/rs:fill:20:20/g:sm", 20, 20), ("/rs:fit:20:20/dpr:2", 40, 30), ("/rs:fit:32:32:0:1", 32, 32),
      ("/c:10:20", 10, 20), ("/c:0:20:soea", 64, 20), ("/c:10:10/rs:fit:5:5", 5, 5), ("/w:32/rot:90", 24, 32),
      ("/w:32/pd:1:2:3:4", 38, 28), ("/w:32/pd:1/dpr:2", 68, 52), ("/w:32/bl:1/sh:1/fl:1:1/bg:f00", 32, 24),
      ("/rs:fill:100:100/g:so", 48, 48),
    ])
  func sizes(options: String, width: Int, height: Int) async throws {
    var request = try Self.picture(options).request
    request = ImageRequest(
      .data(try PatternPicture(PixelSize(64, 48)).data(as: .png)), resize: request.resize,
      processors: request.processors)
    let pipeline = ImagePipeline { $0.caching.diskStorage = .none }
    #expect(try await pipeline.image(for: request).size == PixelSize(width, height))
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
      "/rs:force:10:0", "/c:10:10:sm", "/w:5000", "/w:2000/dpr:3",
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
    #expect(fixed.output.types == [.jpeg] && fixed.output.options.compressionQuality == 0.55)
    #expect(fixed.varyingFields.isEmpty)
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
      "ex", "1", "0",
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
