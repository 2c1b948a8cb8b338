import Foundation
import Ozu
import OzuBase
import OzuHTTP
import OzuImaging
import OzuTesting
import Testing

@testable import OzuServer

/// Draws a label as a box without a font: each character is as wide as the label's size, lines are wrapped at its width.
private struct BoxDrawing: LabelDrawing {
  func size(of label: Label, context: DecodingContext) throws(LabelError) -> PixelSize {
    let side = Int(label.size.rounded())
    let inLine = max(1, min(label.text.count, (label.width ?? .max) / side))
    let size = PixelSize(inLine * side, (label.text.count + inLine - 1) / inLine * side)
    do throws(ImageDecodingError) {
      try context.limits.checkPixelCount(size.pixelCount)
    } catch {
      throw LabelError(error)
    }
    return size
  }

  func picture(of label: Label, context: DecodingContext) throws(LabelError) -> Picture {
    if label.text == "font" { throw .fontNotFound(reason: "none") }
    let (size, color) = (try size(of: label, context: context), label.color)
    let pixel = Pixel(red: color.red, green: color.green, blue: color.blue)
    return Picture(
      Bitmap(size: size) { _, _ in pixel }, notes: label.text.contains("?") ? ["no font has ?"] : [])
  }
}

@Suite("Texts in the place of a watermark")
struct WatermarkTextTests {
  private static let green = ColorValue(red: 0, green: 200, blue: 0)
  private static let rules = AddressTests.open {
    $0.watermarkText = WatermarkText(style: Label("", size: 2, color: green), drawing: BoxDrawing())
  }

  private static func encoded(_ text: String) -> String { Base64URL.text(of: Array(text.utf8)) }

  private static func picture(_ options: String, _ rules: AddressRules = rules) throws -> AddressedPicture {
    try ImageAddress("/x/\(options)\(AddressTests.plain)", rules: rules, now: AddressTests.now).options
      .picture(
        of: .url(URL(fileURLWithPath: "/a")), density: 1, accept: nil, rules: rules)
  }

  /// The pixels of a text on a picture of 20 x 10.
  private static func drawn(_ options: String) throws -> [(x: Int, y: Int)] {
    let below = Bitmap(size: PixelSize(20, 10)) { _, _ in Pixel(red: 100, green: 100, blue: 100) }
    guard let step = try picture(options).request.processors.last else { return [] }
    let result = BGRABitmap(try step.process(below))
    return (0..<10).flatMap { y in
      (0..<20).compactMap { x in result[x, y].green > 100 ? (x, y) : nil }
    }
  }

  @Test(
    "a text is where the watermark has it, wrapped, scaled and in the pixels of the density",
    arguments: [
      ("wm:1:soea:2:3/wmt:YWI", 14...17, 5...6), ("wmt:YWI=/wm:1:nowe", 0...3, 0...1),
      ("watermark_text:YWI/wm:1", 8...11, 4...5), ("wm:1:re:20:10/wmt:YWI", 8...11, 4...5),
      // Twelve characters are wrapped at the width of the picture.
      ("wm:1:nowe/wmt:YWJjZGVmZ2hpamts", 0...19, 0...3),
      // Half of the picture has room for two characters of 5 pixels; more than the picture is not drawn.
      ("wm:1:nowe:0:0:0.5/wmt:YWI", 0...9, 0...4), ("wm:1:nowe:0:0:50/wmt:YWI", 0...19, 0...9),
      ("rs:force:10:5/dpr:2/wm:1:nowe:1:1/wmt:YWI", 2...9, 2...5), ("wm:0.5:nowe/wmt:YWI", 0...3, 0...1),
    ] as [(String, ClosedRange<Int>, ClosedRange<Int>)])
  func places(options: String, columns: ClosedRange<Int>, rows: ClosedRange<Int>) throws {
    let pixels = try Self.drawn(options)
    #expect(pixels.count == columns.count * rows.count)
    #expect(pixels.allSatisfy { columns.contains($0.x) && rows.contains($0.y) }, "\(pixels)")
  }

  @Test("wrapped lines leave room for the box around them")
  func room() throws {
    var rules = Self.rules
    rules.watermarkText?.style.background = Label.Background(color: .white, padding: 3)
    let step = try #require(
      try Self.picture("rs:force:10:5/dpr:2/wm:1/wmt:YWJjZGVmZ2hpamts", rules).request.processors.last)
    // Of twenty pixels twelve are taken by the padding: two characters of four are left.
    let result = BGRABitmap(try step.process(Bitmap(size: PixelSize(20, 10)) { _, _ in .black }))
    #expect((0..<20).count { result[$0, 5].green > 0 } == 8)
  }

  @Test("without a place nothing is drawn", arguments: ["wmt:YWI", "wm:0/wmt:YWI", "wm:1:ce/wm:0/wmt:YWI"])
  func hidden(options: String) throws {
    #expect(try Self.picture(options).request.processors.isEmpty)
  }

  @Test(
    "what is no text, too long or not set up is refused",
    arguments: [
      "wmt:a", "wmt:YW I", "wmt:_w", "wmt:YWI:1", "wm:1/wmt:\(encoded("a\0"))",
      "wm:1/wmt:\(encoded(String(repeating: "a", count: 201)))", "wm:1/wmt:YWI/wmt:",
    ])
  func refused(options: String) throws {
    #expect(throws: AddressRefusal.self) { try Self.picture(options) }
    #expect(throws: AddressRefusal.self) { try Self.picture("wm:1/wmt:YWI", AddressTests.openRules) }
    // Not more, and characters of others are no markup.
    let longest = String(repeating: "<", count: 200)
    #expect(try Self.picture("wm:1/wmt:\(Self.encoded(longest))").request.processors.count == 1)
  }

  @Test("the text, its style and its place are a part of what a rendition is kept under")
  func identity() throws {
    var rules = Self.rules
    rules.watermarkText?.style.color = .white
    let keys = [
      try Self.picture("wm:1/wmt:YWI"), try Self.picture("wm:1/wmt:YWM"), try Self.picture("wm:1:no/wmt:YWI"),
      try Self.picture("wm:0.5/wmt:YWI"), try Self.picture("wm:1/wmt:YWI", rules),
    ].map { $0.request.processors.map(\.identifier).joined() }
    #expect(Set(keys).count == keys.count)
    let options = try ImageAddress(
      "/x/watermark_text:YWI=/wm:1\(AddressTests.plain)", rules: rules, now: AddressTests.now
    ).options
    #expect(options.segments == ["wm:1:ce:0:0:0", "wmt:YWI"])
  }

  @Test("a text of more pixels than twice its picture, and than a megapixel, is not drawn")
  func price() throws {
    var rules = Self.rules
    rules.watermarkText?.style.size = 1100
    let step = try #require(try Self.picture("wm:1/wmt:YWI", rules).request.processors.last)
    #expect(throws: ProcessingError.self) {
      try step.process(Bitmap(size: PixelSize(20, 10)) { _, _ in .black })
    }
    #expect(
      try step.process(Bitmap(size: PixelSize(1600, 800)) { _, _ in .black }).size == PixelSize(1600, 800))
  }

  @Test("notes are in the log, and what cannot be drawn is an answer")
  func answers() async throws {
    let records = Mutex<[ServiceLogRecord]>([])
    let fixture = try ServiceFixture(addressing: SignedAddresses(Self.rules)) {
      $0.log = { record in records.withLock { $0.append(record) } }
    }
    try fixture.serve("1.png")
    func status(_ text: String, _ place: String = "wm:1") async -> Int {
      await fixture.get("/x/\(place)/wmt:\(Self.encoded(text))/plain/https://origin.test/1.png@png").status
    }
    #expect(await status("a?") == 200)
    #expect(await status("a?") == 200)
    #expect(await status("font") == 422)
    let notes = records.withLock { $0.map(\.notes) }
    #expect(notes[0] == ["no font has ?"] && notes[1].isEmpty)
    #expect(records.withLock { $0[0].jsonLine.contains("\"notes\": [\"no font has ?\"]") })
    #expect(records.withLock { $0[0].textLine.hasSuffix(" note=\"no font has ?\"") })
    #expect(records.withLock { $0[2].failure?.contains("the font of a label: none") == true })
  }
}
