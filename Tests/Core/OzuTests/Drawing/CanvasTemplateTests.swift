import Foundation
import Ozu
import Testing

@Suite("Templates of canvases")
struct CanvasTemplateTests {
  private static let card = """
    {"size": {"width": 120, "height": 63}, "background": "#102030", "elements": [
      {"label": {"text": "{title} by {author}", "size": 20}, "placement": {"x": 4, "y": 4}},
      {"label": {"text": "<b>{title}</b> {{1}}", "isMarkup": true}}]}
    """

  private static func texts(_ canvas: Canvas) -> [String] {
    canvas.elements.compactMap { if case .label(let label, _) = $0 { label.text } else { nil } }
  }

  @Test("values stand in the places of names, and are characters whatever they contain")
  func replacing() throws {
    let template = try CanvasTemplate(Data(Self.card.utf8))
    #expect(template.names == ["author", "title"])
    let canvas = try template.canvas(["title": "1 < 2 \"&{author}", "author": "A\",\"x\":1"])
    #expect(
      Self.texts(canvas) == [
        "1 < 2 \"&{author} by A\",\"x\":1", "<b>1 &lt; 2 &quot;&amp;{author}</b> {1}",
      ])
    #expect(canvas.size == PixelSize(width: 120, height: 63))
  }

  @Test("missing and unknown names are refused by their names")
  func names() throws {
    let template = try CanvasTemplate(Data(Self.card.utf8))
    #expect(throws: CanvasTemplate.Failure.missing(["author"])) { try template.canvas(["title": "x"]) }
    #expect(throws: CanvasTemplate.Failure.unknown(["y"])) {
      try template.canvas(["title": "x", "author": "x", "y": ""])
    }
  }

  @Test(
    "a field that is not read is refused by its path",
    arguments: [
      ("{\"label\": {\"text\": \"a\", \"colour\": \"#fff\"}}", "elements.0.label.colour"),
      ("{\"label\": {\"text\": \"a\"}, \"x\": 4}", "elements.0.x"),
      ("{\"picture\": \"/a.png\", \"label\": {\"text\": \"a\"}}", "elements.0.label"),
      (
        "{\"rectangle\": {\"width\": 1, \"height\": 1, \"fill\": {\"linear\": {\"stops\": [], \"angel\": 9}}}}",
        "angel"
      ),
      (
        "{\"label\": {\"text\": \"a\", \"background\": {\"color\": \"#fff\", \"padding\": 4}, \"width\": null}}",
        nil
      ),
      ("{\"picture\": {\"source\": \"/a.png\", \"clip\": \"circle\"}, \"placement\": {\"x\": 1}}", nil),
    ] as [(String, String?)])
  func fields(element: String, field: String?) throws {
    let json = Data("{\"size\": {\"width\": 9, \"height\": 9}, \"elements\": [\(element)]}".utf8)
    guard let field else {
      _ = try CanvasTemplate(json)
      return
    }
    let failure = #expect(throws: CanvasTemplate.Failure.self) { try CanvasTemplate(json) }
    #expect("\(try #require(failure))".contains("\(field) is not read"))
  }

  @Test(
    "a value of another kind is refused in words",
    arguments: [
      ("{\"text\": \"a\", \"size\": \"big\"}", "elements.0.label.size: a number is needed"),
      ("{\"text\": 5}", "elements.0.label.text: a text is needed"),
      ("{}", "elements.0.label: it needs \"text\""),
      ("{\"text\": \"a\", \"width\": 1e30}", "a number is too large"),
      ("{\"text\": \"a\", \"color\": \"red\"}", "elements.0.label.color: red is not a colour"),
    ])
  func kinds(label: String, words: String) throws {
    let json = "{\"size\": {\"width\": 9, \"height\": 9}, \"elements\": [{\"label\": \(label)}]}"
    let failure = #expect(throws: CanvasTemplate.Failure.self) { try CanvasTemplate(Data(json.utf8)) }
    #expect("\(try #require(failure))".contains(words))
  }

  @Test(
    "what is no canvas is refused",
    arguments: [
      "", "{", "[]", "{}", "{\"size\": 5}", "{\"size\": {\"width\": 1, \"height\": 1}, \"elements\": [{}]}",
      "{\"a\": \"{open\"}", "{\"a\": \"}\"}", "{\"a\": \"{}\"}", String(repeating: "[", count: 100_000),
    ])
  func unreadable(json: String) {
    #expect(throws: CanvasTemplate.Failure.self) { try CanvasTemplate(Data(json.utf8)) }
  }
}
