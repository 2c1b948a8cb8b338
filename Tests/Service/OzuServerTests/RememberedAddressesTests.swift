import Foundation
import Ozu
import OzuBase
import OzuHTTP
import OzuImaging
import OzuTesting
import Testing

@testable import OzuServer

@Suite("Remembered addresses", .timeLimit(.minutes(5)))
struct RememberedAddressesTests {
  /// Counts how often addresses are read.
  private final class Addresses: PictureAddressing {
    let base: SignedAddresses
    let count = Atomic(0)

    init(_ rules: AddressRules) { base = SignedAddresses(rules) }

    func picture(for request: ServiceRequest, at date: Date) throws(AddressRefusal) -> AddressedPicture {
      count.add(1, ordering: .relaxed)
      return try base.picture(for: request, at: date)
    }
  }

  private static let keys: [AddressKey] = {
    let texts = ["0a", "0c"].map { String(repeating: $0, count: 32) }
    return texts.compactMap { try? AddressKey(hexKey: $0, salt: "0b") }
  }()

  private static let rules: AddressRules = {
    var rules = AddressRules(keys: keys)
    rules.sources = ["https://origin.test/"]
    rules.usesClientHints = true
    try? rules.definePreset("thumb", options: "rs:fill:16:12")
    return rules
  }()

  private static let clock = Date(timeIntervalSince1970: 1_000_000)

  private static func signed(_ path: String, by key: Int = 0) -> String {
    "/\(keys[key].signature(of: path))\(path)"
  }

  private static func fixture(_ addresses: Addresses, count: Int) throws -> ServiceFixture {
    let fixture = try ServiceFixture(clock: ManualClock(date: clock), addressing: addresses) {
      $0.rememberedAddressCount = count
      // Otherwise bytes that a thread of an earlier load has not let go yet may serve a later picture: right, but by chance,
      // and with the age of the earlier download.
      $0.pipeline.isCoalescingEnabled = false
    }
    for name in ["a.png", "b.png"] { try fixture.serve(name, number: name == "a.png" ? 1 : 2) }
    return fixture
  }

  /// Paths of every kind: answered ones, which depend on headers or not, and refused ones.
  private static let targets: [String] = {
    let options = [
      "", "/w:20", "/w:20/q:40", "/pr:thumb", "/rs:fill:16:16/g:no", "/w:20/dpr:2", "/w:20/exp:1000060",
      "/w:20/exp:1000001", "/w:20/exp:999999", "/w:20/exp:0", "/w:20/fn:name/att:1", "/w:5000", "/raw:1",
      "/h:20/f:png", "/w:20/cb:1",
    ]
    var targets: [String] = []
    for source in [
      "https:%2F%2Forigin.test%2Fa.png", "https://origin.test/b.png@png", "https://origin.test/b.png@webp",
      "https://origin.test/none.png", "https://other.test/a.png",
    ] {
      for option in options {
        let path = "\(option)/plain/\(source)"
        targets += [signed(path), signed(path, by: 1)]
        targets.append("/unsafe\(path)")
      }
    }
    return targets + ["/", "/health", "/none", "/\(String(repeating: "a", count: 9000))/w:1/plain/a"]
  }()

  private static let headers: [HTTPHeaders] = [
    [:], ["Accept": "image/webp"], ["Accept": "image/avif,image/webp,*/*"], ["Accept": "image/png"],
    ["Accept": "image/png", "accept": "image/webp"], ["Accept": "image/png, image/webp"], ["DPR": "2"],
    ["Sec-CH-DPR": "2"], ["Sec-CH-DPR": "2", "sec-ch-dpr": "1"], ["Sec-CH-DPR": "2, 1"],
    ["DPR": "2", "Accept": "image/webp"], ["Sec-CH-Width": "30"], ["Width": "30", "DPR": "2"],
    ["If-None-Match": "*"], ["If-None-Match": "*", "Accept": "image/webp"],
    ["Host": "other", "Cookie": "a=b"],
  ]

  @Test(
    "the answer equals that of a service that remembers no addresses",
    arguments: Cases.every(2, of: [1 as UInt64, 2, 3]))
  func model(seed: UInt64) async throws {
    let (remembering, reading) = (Addresses(Self.rules), Addresses(Self.rules))
    // So few that some are evicted.
    let first = try Self.fixture(remembering, count: seed == 1 ? 4096 : 20)
    let second = try Self.fixture(reading, count: 0)
    var generator = SeededGenerator(seed: seed)
    // Few at a time, so that addresses are repeated.
    var near = Self.targets.shuffled(using: &generator).prefix(12)
    for number in 0..<1500 {
      if number % 150 == 149 { near = Self.targets.shuffled(using: &generator).prefix(12) }
      if number % 40 == 39 {
        let seconds = Duration.seconds(Int.random(in: 0...20, using: &generator))
        first.clock.advance(by: seconds)
        second.clock.advance(by: seconds)
      }
      let target = near.randomElement(using: &generator) ?? ""
      let request = ServiceRequest(
        method: Bool.random(using: &generator) ? "GET" : "HEAD", target: target,
        headers: Self.headers.randomElement(using: &generator) ?? [:])
      let isNow = Bool.random(using: &generator)
      let answers =
        isNow
        ? (first.service.immediateResponse(to: request), second.service.immediateResponse(to: request))
        : (await first.service.respond(to: request), await second.service.respond(to: request))
      #expect(answers.0 == answers.1, "seed \(seed), step \(number): \(target) \(request.headers)")
    }
    let counts = (remembering.count.load(ordering: .relaxed), reading.count.load(ordering: .relaxed))
    #expect(counts.0 < counts.1 && first.service.addresses.count > 0)
    #expect(second.service.addresses.count == 0)
  }

  @Test(
    "the address of a picture in memory is read once; an expiring address is not remembered beyond its end")
  func expiry() async throws {
    let addresses = Addresses(Self.rules)
    let fixture = try Self.fixture(addresses, count: 4096)
    let target = Self.signed("/w:20/exp:1000060/plain/https://origin.test/a.png@png")
    #expect(await fixture.get(target).status == 200)
    #expect(fixture.service.addresses.count == 0)
    #expect(await fixture.get(target).status == 200)
    #expect(fixture.service.addresses.count == 1)
    let count = addresses.count.load(ordering: .relaxed)
    fixture.clock.advance(by: .seconds(59))
    for _ in 0..<3 { #expect(await fixture.get(target).status == 200) }
    #expect(addresses.count.load(ordering: .relaxed) == count)
    fixture.clock.advance(by: .seconds(1))
    #expect(
      fixture.service.immediateResponse(to: ServiceRequest(method: "GET", target: target))?.status == 404)
    #expect(await fixture.get(target).status == 404)
  }

  @Test("an address that is refused, not in memory, or may change its picture is not remembered")
  func strangers() async throws {
    let fixture = try Self.fixture(Addresses(Self.rules), count: 4096)
    for path in ["/w:20/plain/https://other.test/a.png", "/page:1/plain/https://origin.test/a.png"] {
      for target in ["/unsafe\(path)", Self.signed(path)] {
        for _ in 0..<3 { #expect(await fixture.get(target).status >= 400) }
      }
    }
    for number in 1...50 {
      #expect(await fixture.get(Self.signed("/w:\(number)/plain/https://origin.test/a.png")).status == 200)
    }
    #expect(fixture.service.addresses.count == 0 && fixture.service.addresses.byteCount == 0)
    // The fixture's own addresses do not state how long they name the same picture.
    let own = try ServiceFixture()
    try own.serve("a.png")
    for _ in 0..<3 { #expect(await own.get("/32/a.png").status == 200) }
    #expect(own.service.addresses.count == 0)
  }

  // MARK: Bounds

  /// A picture that no pipeline loads.
  private static func picture(
    of source: ImageSource = .url(ServiceFixture.url("a.png")), fields: [String] = [],
    until end: Date = .distantFuture
  ) throws -> KnownPicture {
    var picture = AddressedPicture(request: ImageRequest(source), output: OutputFormat(.png))
    picture.varyingFields = fields
    picture.reusableUntil = end
    let pipeline = try ServiceFixture().service.pipeline
    return KnownPicture(picture, file: pipeline.fileRequest(for: picture.request, as: picture.output))
  }

  private static func request(_ target: String, _ headers: HTTPHeaders = [:]) -> ServiceRequest {
    ServiceRequest(method: "GET", target: target, headers: headers)
  }

  @Test("it keeps at most its limits of number and bytes, and keeps addresses that are repeated")
  func bounds() throws {
    let picture = try Self.picture()
    let addresses = RememberedAddresses(maximumCount: 100)
    addresses.remember(picture, of: Self.request("/often"))
    for number in 0..<1000 {
      addresses.remember(picture, of: Self.request("/\(number)"))
      #expect(addresses.count <= 100)
      #expect(addresses.picture(for: Self.request("/often"), at: Self.clock) === picture)
    }
    let kept = (0..<1000).count { addresses.picture(for: Self.request("/\($0)"), at: Self.clock) != nil }
    #expect(kept > 50 && kept < 100)
    #expect(addresses.picture(for: Self.request("/999"), at: Self.clock) === picture)
    let large = RememberedAddresses(maximumCount: 100_000)
    let path = String(repeating: "a", count: 8000)
    for number in 0..<1000 {
      large.remember(picture, of: Self.request("/\(path)\(number)"))
      #expect(large.byteCount <= RememberedAddresses.byteBudget)
    }
    #expect(large.byteCount > RememberedAddresses.byteBudget / 4)
  }

  @Test("a target has at most a few variants, the newest, which differ in the lines of their fields")
  func variants() throws {
    let picture = try Self.picture(fields: ["Accept", "DPR"])
    let addresses = RememberedAddresses(maximumCount: 100)
    for number in 0..<50 { addresses.remember(picture, of: Self.request("/a", ["accept": "\(number)"])) }
    #expect(addresses.count == 1)
    func isFound(_ headers: HTTPHeaders) -> Bool {
      addresses.picture(for: Self.request("/a", headers), at: Self.clock) != nil
    }
    let oldest = 50 - RememberedAddresses.maximumFormCount
    #expect(isFound(["Accept": "\(oldest)"]) && !isFound(["Accept": "\(oldest - 1)"]))
    #expect(isFound(["Accept": "49"]) && isFound(["ACCEPT": "49", "Cookie": "a"]))
    #expect(!isFound([:]) && !isFound(["Accept": "49", "DPR": "1"]) && !isFound(["Accept": "48, 49"]))
    #expect(!isFound(["Accept": "49", "accept": "49"]) && !isFound(["DPR": "49"]))
    let two: HTTPHeaders = ["Accept": "a", "accept": "b"]
    addresses.remember(picture, of: Self.request("/b", two))
    #expect(addresses.picture(for: Self.request("/b", two), at: Self.clock) != nil)
    for other: HTTPHeaders in [["Accept": "a, b"], ["Accept": "b", "accept": "a"], ["Accept": "a"]] {
      #expect(addresses.picture(for: Self.request("/b", other), at: Self.clock) == nil)
    }
  }

  @Test("a form takes the place of one whose time has ended, however often")
  func renewal() throws {
    let addresses = RememberedAddresses(maximumCount: 100)
    let other = Self.request("/a", ["Accept": "b"])
    addresses.remember(try Self.picture(fields: ["Accept"]), of: other)
    for second in 1...10 {
      let now = Self.clock + Double(second)
      let picture = try Self.picture(fields: ["Accept"], until: now + 1)
      addresses.remember(picture, of: Self.request("/a"))
      #expect(addresses.picture(for: Self.request("/a"), at: now) === picture)
    }
    #expect(addresses.picture(for: other, at: Self.clock) != nil)
  }

  @Test("a source with bytes is not kept alive")
  func otherSources() throws {
    let picture = try Self.picture(of: .data(Data(count: 100), key: "a"))
    let addresses = RememberedAddresses(maximumCount: 100)
    addresses.remember(picture, of: Self.request("/a"))
    #expect(addresses.count == 0)
  }
}
