import Foundation
import Ozu
import OzuHTTP
import OzuImaging
import OzuTesting
import Testing

@testable import OzuServer

@Suite("Cards by address")
struct CardAddressTests {
  static let template = """
    {"size": {"width": 120, "height": 60}, "background": "{color}",
     "elements": [{"picture": {"source": "{photo}"}, "placement": {"x": 80, "y": 10, "size": {"width": 30, "height": 30}}}]}
    """
  static let font = """
    {"size": {"width": 9, "height": 9}, "elements": [{"label": {"text": "a", "font": {"file": "/etc/passwd"}}}]}
    """
  static let lost = font.replacing("{\"file\": \"/etc/passwd\"}", with: "\"Nowhere Grotesk\"")
  static let sized = "{\"size\": {\"width\": \"{w}\", \"height\": 60}, \"background\": \"#00f\"}"
  private static let photo = "https://origin.test/1.png"

  private func fixture() throws -> ServiceFixture {
    var rules = AddressRules()
    rules.allowsUnsigned = true
    rules.sources = ["https://origin.test/"]
    rules.cards = try CardTemplates([
      "team": CanvasTemplate(Data(Self.template.utf8)), "font": CanvasTemplate(Data(Self.font.utf8)),
      "lost": CanvasTemplate(Data(Self.lost.utf8)), "sized": CanvasTemplate(Data(Self.sized.utf8)),
    ])
    let fixture = try ServiceFixture(addressing: SignedAddresses(rules))
    try fixture.serve("1.png")
    return fixture
  }

  private static func target(_ source: String, options: String = "") -> String {
    "/unsafe\(options)/plain/" + ImageAddress.escaped(source) + "@png"
  }

  @Test("a card is drawn with its picture, resized and kept like every picture")
  func drawn() async throws {
    let fixture = try fixture()
    let card = "card://team?color=%23ff0000&photo=\(Self.photo)"
    let answer = await fixture.get(Self.target(card))
    #expect(answer.status == 200)
    let picture = try CodecRegistry.standard.picture(from: answer.body).bitmap
    #expect(picture.size == PixelSize(120, 60))
    #expect(picture[0, 0] == Pixel(red: 255, green: 0, blue: 0))
    #expect(picture[95, 25] != picture[0, 0])
    let small = await fixture.get(Self.target(card, options: "/w:60"))
    #expect(
      try CodecRegistry.standard.picture(from: small.body).size == PixelSize(60, 30))
    let sized = await fixture.get(Self.target("card://sized?w=40"))
    #expect(try CodecRegistry.standard.picture(from: sized.body).size == PixelSize(40, 60))
    // The photograph is asked for once.
    #expect(fixture.network.requests.count == 1)
  }

  @Test("a card has another tag when its picture has changed")
  func changed() async throws {
    let fixture = try fixture()
    let target = Self.target("card://team?color=%23ff0000&photo=\(Self.photo)")
    let first = await fixture.get(target)
    let tag = try #require(first.headers["ETag"])
    #expect(await fixture.get(target, ["If-None-Match": tag]).status == 304)
    try fixture.serve("1.png", number: 2)
    fixture.clock.advance(by: .seconds(700))
    let second = await fixture.get(target, ["If-None-Match": tag])
    #expect(second.status == 200 && second.body != first.body)
  }

  @Test(
    "what does not fit or is not allowed is refused, and nothing is asked for",
    arguments: [
      ("card://team?color=red", 400, ""), ("card://team?color=%23f00&photo=\(photo)&x=1", 400, ""),
      ("card://team?color=%23f00&color=%23f00&photo=\(photo)", 400, ""), ("card://none", 403, ""),
      ("card:team", 403, ""), ("card://team?color=wrong&photo=\(photo)", 400, ""),
      ("card://team?color=%23f00&photo=https://other.test/1.png", 403, ""),
      ("card://team?color=%23f00&photo=/etc/passwd", 400, ""),
      ("card://team?color=%23f00&photo=file:///etc/passwd", 403, ""),
      ("card://team?color=%23f00&photo=card://font", 400, ""), ("card://font", 400, ""),
      // A font that is not there is no matter of an origin.
      ("card://lost", 422, ""), ("card://sized?w=", 400, ""),
      ("card://sized?w=4x", 400, ""), ("card://sized?w=40#1", 400, ""),
      ("card://sized?w=65536", 400, ""), ("card://sized?w=-4", 422, ""),
      ("card://team?color=%23f00&photo=\(photo)", 400, "/raw:1"),
    ])
  func refused(source: String, status: Int, options: String) async throws {
    let fixture = try fixture()
    #expect(await fixture.get(Self.target(source, options: options)).status == status)
    #expect(fixture.network.requests.isEmpty)
  }

  @Test("a folder of templates is read whole; what is wrong in it is named")
  func folder() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "ozu-cards-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(Self.template.utf8).write(to: folder.appending(path: "team.json"))
    try Data("x".utf8).write(to: folder.appending(path: "notes.txt"))
    #expect(try CardTemplates(folder: folder).has(URL(string: "card://team?color=red")!))
    for (name, text) in [("broken.json", "{"), ("Big Name.json", Self.template)] {
      let file = folder.appending(path: name)
      try Data(text.utf8).write(to: file)
      let error = #expect(throws: AddressRulesError.self) { try CardTemplates(folder: folder) }
      #expect("\(try #require(error))".contains(name.prefix(6)))
      try FileManager.default.removeItem(at: file)
    }
  }
}
