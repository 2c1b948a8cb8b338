import Foundation
import OzuImaging
import Testing

@Suite("Labels as values")
struct LabelTests {
  private static var whole: Label {
    var label = Label(
      "Zeile \u{1F600}", font: .family("Inter, sans-serif"), size: 20.5, weight: 700,
      color: ColorValue(red: 1, green: 2, blue: 3, alpha: 4), width: 300)
    label.isItalic = true
    label.maximumLineCount = 2
    label.ellipsis = .middle
    label.alignment = .justify
    label.lineHeight = 1.25
    label.direction = .rightToLeft
    label.language = "zh-Hant"
    label.outline = Label.Outline(width: 1.5, color: .white)
    label.shadow = Label.Shadow(x: 1, y: -2, blur: 3, color: .black)
    label.background = Label.Background(
      color: .white, horizontalPadding: 4, verticalPadding: 5, cornerRadius: 6)
    label.isMarkup = true
    return label
  }

  @Test("a label is the same after JSON, with everything or with its text alone")
  func coding() throws {
    var file = Label("x")
    file.font = .file("/fonts/a.ttf")
    for label in [Self.whole, Label(""), file] {
      let data = try JSONEncoder().encode(label)
      #expect(try JSONDecoder().decode(Label.self, from: data) == label)
      #expect(try LabelDocument.label(in: LabelDocument.data(label)) == label)
    }
  }

  @Test("JSON may leave out everything but the text")
  func defaults() throws {
    let text =
      ##"{"text":"Hi","font":"serif","background":{"color":"#fff","padding":3},"shadow":{"color":"#000"}}"##
    var label = Label("Hi", font: .family("serif"))
    label.background = Label.Background(color: .white, padding: 3)
    label.shadow = Label.Shadow(color: .black)
    #expect(try JSONDecoder().decode(Label.self, from: Data(text.utf8)) == label)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Label.self, from: Data("{}".utf8)) }
  }

  private static let changes: [@Sendable (inout Label) -> Void] = [
    { $0.text = "y" }, { $0.font = .family("serif") }, { $0.font = .file("/sans-serif") }, { $0.size = 17 },
    { $0.weight = 500 }, { $0.isItalic = true }, { $0.color = .white }, { $0.width = 9 },
    { $0.maximumLineCount = 9 },
    { $0.ellipsis = .end }, { $0.alignment = .end }, { $0.lineHeight = 2 }, { $0.direction = .leftToRight },
    { $0.language = "ja" }, { $0.outline = Label.Outline(width: 1, color: .black) },
    { $0.shadow = Label.Shadow(color: .black) }, { $0.background = Label.Background(color: .black) },
    { $0.isMarkup = true },
  ]

  @Test("every value of a label is a part of its identity")
  func identity() {
    let labels =
      [Label("x")]
      + Self.changes.map { change in
        var label = Label("x")
        change(&label)
        return label
      }
    #expect(Set(labels.map(\.identifier)).count == labels.count)
    #expect(labels[0].identifier == Label("x").identifier)
  }

  private static let refused: [(String, @Sendable (inout Label) -> Void)] = [
    ("text", { $0.text = "a\0b" }), ("size", { $0.size = .nan }), ("size", { $0.size = .infinity }),
    ("size", { $0.size = 0 }), ("size", { $0.size = -5 }), ("size", { $0.size = 2001 }),
    ("size", { ($0.text, $0.size) = (String(repeating: "m", count: 5000), 1000) }),
    ("weight", { $0.weight = 0 }),
    ("weight", { $0.weight = .max }), ("width", { $0.width = 0 }), ("width", { $0.width = .min }),
    ("width", { $0.width = .max }), ("maximumLineCount", { $0.maximumLineCount = 0 }),
    ("lineHeight", { $0.lineHeight = .nan }), ("lineHeight", { $0.lineHeight = 1e300 }),
    ("font", { $0.font = .family(" , ") }), ("font", { $0.font = .family("a\nb") }),
    ("font", { $0.font = .file("relative.ttf") }), ("font", { $0.font = .file("/a\0b") }),
    ("language", { $0.language = "de\"><x" }), ("language", { $0.language = "" }),
    ("outline.width", { $0.outline = Label.Outline(width: .nan, color: .black) }),
    ("shadow.x", { $0.shadow = Label.Shadow(x: .infinity, color: .black) }),
    ("shadow.blur", { $0.shadow = Label.Shadow(blur: -1, color: .black) }),
    ("background.horizontalPadding", { $0.background = Label.Background(color: .black, padding: .nan) }),
    (
      "background.cornerRadius",
      { $0.background = Label.Background(color: .black, padding: 0, cornerRadius: .nan) }
    ),
  ]

  @Test("numbers that cannot be drawn are refused by their names")
  func numbers() {
    for (name, change) in Self.refused {
      var label = Label("x")
      change(&label)
      do throws(LabelError) {
        try label.check(.default)
        Issue.record("\(name) was accepted")
      } catch {
        guard case .invalid(name, _) = error else {
          Issue.record("\(name): \(error)")
          continue
        }
      }
    }
    #expect(throws: Never.self) { try Self.whole.check(.default) }
  }

  @Test(
    "a million characters are refused before anything is laid out", arguments: ["a", "\u{1F600}"],
    [10_001, 1_000_000])
  func length(character: String, count: Int) {
    let text = String(repeating: character, count: count)
    let violation = DecodingLimits.Violation(.characterCount, value: count, limit: 10_000)
    #expect(throws: LabelError.limitExceeded(violation)) { try Label(text, size: 1).check(.default) }
  }

  @Test("a label without a decoder says what is missing")
  func absence() {
    #expect(throws: LabelError.unavailable(reason: "no decoder is registered for them")) {
      try CodecRegistry().labelDrawing.draw(Label("x"))
    }
  }

  @Test("the bitmap holds the box, the shadow and what reaches out of the lines")
  func geometry() {
    var label = Label("x")
    let lines = LabelGeometry.Box(left: 10, top: 0, right: 60, bottom: 20)
    let ink = LabelGeometry.Box(left: 8, top: 0, right: 60, bottom: 21)
    #expect(LabelGeometry(label, lines: lines, ink: ink).size == PixelSize(52, 21))
    label.background = Label.Background(color: .white, horizontalPadding: 10, verticalPadding: 4)
    let boxed = LabelGeometry(label, lines: lines, ink: ink)
    #expect(boxed.size == PixelSize(70, 28))
    #expect(boxed.background == LabelGeometry.Box(left: 0, top: 0, right: 70, bottom: 28))
    #expect(boxed.origin.x == 0 && boxed.origin.y == 4)
    label.shadow = Label.Shadow(x: -5, y: 3, color: .black)
    let shaded = LabelGeometry(label, lines: lines, ink: ink)
    #expect(shaded.size == PixelSize(75, 31))
    #expect(shaded.origin.x == 5 && shaded.origin.y == 4)
    label.shadow?.blur = 2
    #expect(LabelGeometry(label, lines: lines, ink: ink).size == PixelSize(86, 44))
  }

  @Test("a scaled label has scaled lengths")
  func scaling() {
    let label = Self.whole.scaled(by: 2)
    #expect(label.size == 41 && label.width == 600 && label.lineHeight == 1.25 && label.maximumLineCount == 2)
    #expect(label.outline?.width == 3 && label.shadow?.y == -4 && label.background?.cornerRadius == 12)
    // A narrow one stays possible, and an impossible one impossible.
    #expect(Label("x", width: 9).scaled(by: 0.1).width == 1 && Label("x", width: 0).scaled(by: 2).width == 0)
  }
}
