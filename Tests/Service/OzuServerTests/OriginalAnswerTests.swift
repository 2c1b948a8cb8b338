import Foundation
import Ozu
import OzuBase
import OzuHTTP
import OzuImaging
import OzuTesting
import Testing

@testable import OzuServer

@Suite("Answers that are the source, or that are about it")
struct OriginalAnswerTests {
  private static func fixture(_ change: (inout AddressRules) throws -> Void = { _ in }) throws
    -> ServiceFixture
  {
    var rules = AddressTests.openRules
    try change(&rules)
    let fixture = try ServiceFixture(addressing: SignedAddresses(rules))
    try fixture.serve("a.png")
    fixture.network.reply(
      to: ServiceFixture.url("page.html"), with: .ok(Data("<html><script>1</script>".utf8), type: "text/html")
    )
    return fixture
  }

  private static func address(_ options: String, _ name: String = "a.png") -> String {
    "/x/\(options)/plain/https://origin.test/\(name)"
  }

  @Test(
    "the source is the answer where the address says so",
    arguments: [
      ("raw:1/w:10", true), ("skp:png/w:10", true), ("skp:jpg:png/w:10/f:png", true), ("skp:jpg/w:10", false),
      ("skp:png/w:10/f:webp", false), ("raw:0/w:10", false), ("raw:1/msfs:1000000", true),
    ])
  func originals(options: String, isOriginal: Bool) async throws {
    let fixture = try Self.fixture()
    // A file with the same recipe in memory is no answer.
    _ = await fixture.get(Self.address("w:10"))
    for _ in 0..<2 {
      let answer = await fixture.get(Self.address(options))
      #expect(answer.status == 200)
      #expect(try (answer.body == ServiceFixture.picture()) == isOriginal)
      #expect(answer.headers["Content-Security-Policy"]?.contains("sandbox") == true)
      let tag = try #require(answer.headers["ETag"])
      let again = await fixture.get(Self.address(options), ["If-None-Match": tag])
      #expect(again.status == 304 && again.headers["ETag"] == tag && again.body.isEmpty)
    }
    let other = await fixture.get(Self.address("w:10"))
    #expect(await fixture.get(Self.address(options)).headers["ETag"] != other.headers["ETag"] || !isOriginal)
  }

  @Test("what is no picture is passed on as a download alone, or not at all")
  func strangers() async throws {
    let fixture = try Self.fixture()
    let answer = await fixture.get(Self.address("raw:1", "page.html"))
    #expect(answer.status == 200 && answer.headers["Content-Type"] == "application/octet-stream")
    #expect(answer.headers["Content-Disposition"] == "attachment")
    #expect(answer.headers["X-Content-Type-Options"] == "nosniff")
    for (options, name) in [("raw:1/att:1", "page.html"), ("raw:1/fn:a.pdf", "a.pdf")] {
      let download = await fixture.get(Self.address(options, "page.html"))
      #expect(download.headers["Content-Disposition"] == "attachment; filename=\"\(name)\"")
    }
    #expect(await fixture.get(Self.address("skp:svg", "page.html")).status == 422)
    // It is the same for every client.
    let plain = await fixture.get(Self.address("raw:1"))
    let modern = await fixture.get(Self.address("raw:1"), ["Accept": "image/webp"])
    #expect(plain.headers["ETag"] != nil && modern.headers["ETag"] == plain.headers["ETag"])
    #expect(modern.headers["Vary"] == nil)
    let named = await fixture.get(Self.address("raw:1/fn:cat/att:1"))
    #expect(named.headers["Content-Disposition"] == "attachment; filename=\"cat.png\"")
    let strict = try Self.fixture { $0.allowsRaw = false }
    #expect(await strict.get(Self.address("raw:1")).status == 400)
  }

  /// The source has 64 x 48 pixels, 3,072.
  @Test(
    "limits of an address refuse a source that is over them",
    arguments: [
      ("msr:0.003072", 200), ("msr:0.003071", 422), ("msr:0", 200), ("msfs:10", 422), ("msfs:100000", 200),
      ("maf:1", 200), ("maf:2", 200), ("mafr:0.000001", 200), ("msr:0.003071/skp:png", 422),
    ])
  func limits(option: String, status: Int) async throws {
    let answer = await (try Self.fixture()).get(Self.address("w:10/\(option)"))
    #expect(answer.status == status)
    #expect(status == 200 || answer.headers["Cache-Control"] == "public, max-age=60")
  }

  @Test(
    "the source is asked for once for each request at most, and not at all while a picture of it is fresh",
    arguments: [
      ("w:10", "max-age=600", [1, 1, 1]), ("w:10/msr:1", "max-age=600", [1, 1, 1]),
      ("w:10/msfs:100000/skp:jpg", "max-age=600", [1, 1, 1]), ("w:10/msr:0.001", "max-age=600", [1, 1, 1]),
      ("w:10/skp:png", "max-age=600", [1, 2, 3]), ("w:10/msr:1", "no-cache", [1, 2, 3]),
      ("w:10/skp:jpg", "no-store", [1, 2, 3]), ("raw:1", "max-age=600", [1, 2, 3]),
    ])
  func fetches(options: String, control: String, counts: [Int]) async throws {
    let fixture = try Self.fixture()
    try fixture.serve("a.png", control: control)
    for count in counts {
      // A condition that is not met must not cost a second fetch.
      _ = await fixture.get(Self.address(options), count == 1 ? ["If-None-Match": "\"none\""] : [:])
      #expect(fixture.network.requestCount(for: ServiceFixture.url("a.png")) == count)
    }
    // A body that the origin confirms is not decoded again.
    let isStored =
      control != "no-store" && !options.contains("0.001") && !["raw:1", "w:10/skp:png"].contains(options)
    if isStored { #expect(fixture.service.pipeline.statistics.encodes == 1) }
  }

  @Test(
    "a picture in memory is no answer to an address whose limits refuse its source, nor where the source is the answer"
  )
  func rememberedLimits() async throws {
    let fixture = try Self.fixture()
    #expect(await fixture.get(Self.address("w:10")).status == 200)
    #expect(await fixture.get(Self.address("w:10/msfs:10")).status == 422)
    #expect(await fixture.get(Self.address("w:10/msr:0.001")).status == 422)
    #expect(fixture.network.requests.count == 1)
    let original = await fixture.get(Self.address("w:10/skp:png"))
    #expect(try original.body == ServiceFixture.picture())
  }

  @Test("limits count the frames of an animation")
  func frames() {
    let still = ImageHeader(type: .gif, storedSize: PixelSize(1000, 1000))
    let moving = ImageHeader(type: .gif, storedSize: PixelSize(1000, 1000), frameCount: 3)
    func flaw(_ header: ImageHeader, _ change: (inout SourceLimits) -> Void) -> Bool {
      var limits = SourceLimits()
      change(&limits)
      return limits.flaw(of: header) != nil
    }
    #expect(!flaw(still) { $0.pixelCount = 2_000_000 } && flaw(moving) { $0.pixelCount = 2_000_000 })
    #expect(!flaw(moving) { ($0.pixelCount, $0.frameCount) = (2_000_000, 1) })
    #expect(!flaw(moving) { ($0.pixelCount, $0.framePixelCount) = (10, 1_000_000) })
    #expect(flaw(moving) { $0.framePixelCount = 999_999 } && !flaw(still) { $0.framePixelCount = 1 })
    #expect(flaw(moving) { $0.frameCount = 2 } && !flaw(moving) { $0.frameCount = 3 })
  }

  // MARK: Facts

  private static func facts(
    _ options: String, _ change: (inout AddressRules) throws -> Void = { _ in }
  ) async throws -> [String: Any] {
    let answer = await (try fixture(change)).get("/info\(address(options))")
    #expect(answer.status == 200 && answer.headers["Content-Type"] == "application/json")
    return try #require(try JSONSerialization.jsonObject(with: answer.body) as? [String: Any])
  }

  @Test("facts about a file, about its pixels and hashes of it")
  func information() async throws {
    let data = try ServiceFixture.picture()
    let picture = try CodecRegistry.standard.picture(from: data)
    let plain = try await Self.facts("cb:1")
    #expect(Set(plain.keys) == ["size", "format", "mime_type", "width", "height", "orientation"])
    #expect(plain["size"] as? Int == data.count && plain["mime_type"] as? String == "image/png")
    #expect(
      plain["width"] as? Int == 64 && plain["height"] as? Int == 48 && plain["orientation"] as? Int == 1)
    let options =
      "s:0/f:0/d:0/cs:1/b:1/sf:1/pn:1/a:1:1/avg:1/dc:1:1/p:8/bh:4:3/th:1/chs:sha256:md5:sha1:sha512"
    let all = try await Self.facts(options)
    #expect(all["size"] == nil && all["format"] == nil && all["width"] == nil)
    #expect(all["colorspace"] as? String == "srgb" && all["sample_format"] as? String == "uchar")
    #expect(all["pages_number"] as? Int == 1 && all["alpha"] as? Bool == false)
    #expect(all["transparency"] as? Bool == false && all["bands"] as? Int == 3)
    let digests = try #require(all["hashsums"] as? [String: String])
    #expect(digests["sha256"] == SHA256.hexDigest(of: Array(data)) && digests["md5"]?.count == 32)
    #expect(digests["sha1"]?.count == 40 && digests["sha512"]?.count == 128)
    #expect(all["blurhash"] as? String == BlurHash(encoding: picture.bitmap).text)
    let hash = ThumbHash(encoding: picture.bitmap).bytes.map { String(format: "%02X", $0) }.joined()
    #expect(all["thumb_hash"] as? String == hash)
    // Computed in another way.
    let pixels = BGRABitmap(picture.bitmap)
    var sums = [0, 0, 0]
    for y in 0..<48 {
      for x in 0..<64 {
        let pixel = pixels[x, y]
        sums = [sums[0] + Int(pixel.red), sums[1] + Int(pixel.green), sums[2] + Int(pixel.blue)]
      }
    }
    let average = try #require(all["average"] as? [String: Int])
    for (name, sum) in zip(["R", "G", "B"], sums) { #expect(abs((average[name] ?? -9) - sum / 3072) <= 1) }
    let dominant = try #require(all["dominant_colors"] as? [String: [String: Int]])
    let names = ["vibrant", "muted"].flatMap { [$0, "light_\($0)", "dark_\($0)"] } + ["dominant"]
    #expect(Set(dominant.keys) == Set(names))
    let palette = try #require(all["palette"] as? [[String: Int]])
    #expect((2...8).contains(palette.count) && Set(palette).count == palette.count)
  }

  @Test(
    "the palette of flat colours is these, the most frequent first; colours of a design are found, or made of others"
  )
  func palette() throws {
    let (red, dark) = (ColorValue(red: 220, green: 20, blue: 30), ColorValue(red: 20, green: 30, blue: 60))
    let bitmap = Bitmap(size: PixelSize(10, 10)) { x, _ in
      let color = x < 7 ? red : dark
      return Pixel(red: color.red, green: color.green, blue: color.blue, alpha: 255)
    }
    let picture = BGRABitmap(bitmap)
    let palette = picture.palette(atMost: 16)
    #expect(palette.map(\.color) == [red, dark] && palette.map(\.count) == [70, 30])
    let found = picture.dominantColors(completed: false)
    #expect(found == ["dominant": red, "vibrant": red, "dark_vibrant": dark])
    let all = picture.dominantColors(completed: true)
    #expect(all.count == 7 && found.allSatisfy { all[$0.key] == $0.value })
    // The hue of the red one, lighter.
    let light = try #require(all["light_vibrant"])
    #expect(light.red > 220 && light.green > 100 && light.blue > light.green && light.red > light.blue)
  }

  @Test(
    "addresses of facts",
    arguments: [
      ("/info/x/plain/https://origin.test/a.png", 200), ("/info/x/aHR0cHM6Ly9vcmlnaW4udGVzdC9hLnBuZw", 200),
      ("/info/x/plain/https://origin.test/a.png@webp", 400), ("/info/x", 404), ("/info/", 404),
      ("/info/x/w:10/plain/https://origin.test/a.png", 400),
      ("/info/x/exif:1/plain/https://origin.test/a.png", 400),
      ("/info/x/palette:3/plain/https://origin.test/a.png", 200),
      ("/info/x/p:1/plain/https://origin.test/a.png", 400),
      ("/info/x/p:257/plain/https://origin.test/a.png", 400),
      ("/info/x/phash:1/plain/https://origin.test/a.png", 400),
      ("/info/x/exp:1/plain/https://origin.test/a.png", 404), ("/info/x/plain/file:///etc/passwd", 403),
      ("/info/x/hs:none/plain/https://origin.test/a.png", 200),
      ("/info/x/hs:sha256:\(String(repeating: "0", count: 64))/plain/https://origin.test/a.png", 422),
      ("/info/x/hs:sha1:00/plain/https://origin.test/a.png", 400),
      ("/info/x/hs:sha1:\(String(repeating: "0", count: 40))/plain/https://origin.test/a.png", 422),
      ("/info/x/chs:sha3/plain/https://origin.test/a.png", 400),
      ("/info/x/msr:0.001/plain/https://origin.test/a.png", 422),
      ("/info/x/plain/https://origin.test/none.png", 404),
      ("/info/x/plain/https://origin.test/page.html", 422),
    ])
  func informationAddresses(target: String, status: Int) async throws {
    let fixture = try Self.fixture()
    fixture.network.reply(to: ServiceFixture.url("none.png"), with: .status(404))
    #expect(await fixture.get(target).status == status)
  }

  @Test("facts are signed as the rest of the path, are validated by a tag, and can be off")
  func signedFacts() async throws {
    let key = try AddressKey(hexKey: AddressTests.key, salt: AddressTests.salt)
    let path = "/bh:4:3/plain/https://origin.test/a.png"
    let signed = try Self.fixture { ($0.keys, $0.allowsUnsigned) = ([key], false) }
    let target = "/info/\(key.signature(of: path))\(path)"
    let answer = await signed.get(target)
    #expect(answer.status == 200 && answer.headers["Cache-Control"] == "public, max-age=600")
    let tag = try #require(answer.headers["ETag"])
    #expect(await signed.get(target, ["If-None-Match": tag]).status == 304)
    #expect(await signed.get("/info/x\(path)").status == 403)
    let off = try Self.fixture { $0.information = .none }
    #expect(await off.get("/info/x\(path)").status != 200)
  }

  @Test(
    "metadata are told by the settings alone, and the place by a setting of its own",
    arguments: [InformationDetail.picture, .metadata, .everything])
  func metadata(detail: InformationDetail) async throws {
    let fixture = try Self.fixture { $0.information = detail }
    let bitmap = Bitmap(size: PixelSize(8, 8)) { _, _ in .black }
    let file = try CodecRegistry.standard.encode(
      bitmap, as: .jpeg, options: EncodingOptions(metadata: EncodedMetadata(exif: Self.exif)))
    fixture.network.reply(to: ServiceFixture.url("photo.jpg"), with: .ok(file, type: "image/jpeg"))
    let answer = await fixture.get(
      "/info\(Self.address("exif:\(detail == .picture ? 0 : 1):1", "photo.jpg"))")
    let facts = try #require(try JSONSerialization.jsonObject(with: answer.body) as? [String: Any])
    let exif = facts["exif"] as? [String: Any]
    #expect((exif == nil) == (detail == .picture))
    #expect((exif?["Model"] as? String == "M1") == (detail != .picture))
    #expect((exif?["GPSLatitude"] as? Double == 50.5) == (detail == .everything))
    #expect(exif?.keys.contains { $0.hasPrefix("GPS") } != true || detail == .everything)
    let text = String(decoding: answer.body, as: UTF8.self)
    #expect(text.contains("50") == (detail == .everything))
    let words = await fixture.get("/info\(Self.address("exif:1", "photo.jpg"))")
    let isWord = String(decoding: words.body, as: UTF8.self).contains("\"GPS Latitude\":50.5")
    #expect(isWord == (detail == .everything))
  }

  @Test(
    "a name of EXIF data is written as words",
    arguments: [
      ("Make", "Make"), ("ExposureTime", "Exposure Time"), ("ISOSpeedRatings", "ISO Speed Ratings"),
      ("FNumber", "F Number"), ("FocalLengthIn35mmFilm", "Focal Length In 35mm Film"), ("OECF", "OECF"),
    ])
  func words(name: String, words: String) { #expect(MetadataValues.spaced(name) == words) }

  /// EXIF data with a model, and with a place at 50.5 degrees north and 7 east.
  private static let exif: Data = {
    func bytes(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
      bytes(tag, 2) + bytes(type, 2) + bytes(count, 4) + value
    }
    func degrees(_ whole: Int, _ minutes: Int) -> [UInt8] {
      [whole, 1, minutes, 1, 0, 1].flatMap { bytes($0, 4) }
    }
    var data: [UInt8] = Array("MM".utf8) + bytes(42, 2) + bytes(8, 4)
    // The first directory has 2 entries and ends at 38; that of the place has 4, and ends at 92.
    data += bytes(2, 2) + entry(0x0110, 2, 3, Array("M1".utf8) + [0, 0]) + entry(0x8825, 4, 1, bytes(38, 4))
    data += bytes(0, 4) + bytes(4, 2)
    data += entry(1, 2, 2, Array("N".utf8) + [0, 0, 0]) + entry(2, 5, 3, bytes(92, 4))
    data += entry(3, 2, 2, Array("E".utf8) + [0, 0, 0]) + entry(4, 5, 3, bytes(116, 4)) + bytes(0, 4)
    return Data(data + degrees(50, 30) + degrees(7, 0))
  }()
}
