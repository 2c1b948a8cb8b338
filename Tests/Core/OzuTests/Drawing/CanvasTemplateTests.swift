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
    "what is no canvas is refused",
    arguments: [
      "", "{", "[]", "{}", "{\"size\": 5}", "{\"size\": {\"width\": 1, \"height\": 1}, \"elements\": [{}]}",
      "{\"a\": \"{open\"}", "{\"a\": \"}\"}", "{\"a\": \"{}\"}", String(repeating: "[", count: 100_000),
    ])
  func unreadable(json: String) {
    #expect(throws: CanvasTemplate.Failure.self) { try CanvasTemplate(Data(json.utf8)) }
  }
}
