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

  private static let numbers = """
    {"size": {"width": "{width}", "height": 63}, "background": {"linear": {"angle": "{angle}", "stops": []}}, "elements": [
      {"label": {"text": "{width}", "size": "{size}", "maximumLineCount": "{lines}", "width": null},
       "placement": {"x": "{x}", "opacity": "{opacity}"}},
      {"picture": {"source": "/a.png", "clip": "{radius}"}}]}
    """

  @Test("values stand for numbers, and a text of digits stays a text")
  func numbers() throws {
    let template = try CanvasTemplate(Data(Self.numbers.utf8))
    let canvas = try template.canvas([
      "width": "1200", "angle": "-45.5", "size": "6.4e1", "lines": "3", "x": "+7", "opacity": ".5",
      "radius": "9",
    ])
    #expect(canvas.size == PixelSize(width: 1200, height: 63))
    #expect(canvas.background == .linear(angle: -45.5, stops: []))
    guard case .label(let label, let placement) = canvas.elements[0],
      case .picture(let frame, _) = canvas.elements[1]
    else {
      Issue.record("other elements")
      return
    }
    #expect(label.text == "1200" && label.size == 64 && label.maximumLineCount == 3)
    #expect(placement == Placement(x: 7, opacity: 0.5) && frame.clip == .rectangle(radius: 9))
  }

  @Test(
    "a value that is no number is refused with the path, and never decides what is markup",
    arguments: [
      ("\"size\": \"{v}\"", "big", "elements.0.label.size: a number is needed, not \"big\""),
      ("\"size\": \"{v}\"", "", "a number is needed, not \"\""),
      ("\"size\": \"{v}\"", "nan", "a number is needed"),
      ("\"size\": \"{v}\"", "0x10", "a number is needed"),
      ("\"size\": \"{v}\"", "1e999", "a number is needed"),
      ("\"size\": \"{v}\"", " 1", "a number is needed"), ("\"size\": \"{v}\"", "1,5", "a number is needed"),
      ("\"size\": \"1{v}\"", "2", "elements.0.label.size: a number is needed"),
      ("\"width\": \"{v}\"", "1.5", "elements.0.label.width: a number is too large, or is not whole"),
      ("\"width\": \"{v}\"", "1e30", "a number is too large, or is not whole"),
      ("\"isMarkup\": \"{v}\"", "true", "elements.0.label.isMarkup: true or false is needed"),
    ])
  func wrongNumbers(field: String, value: String, words: String) throws {
    let json =
      "{\"size\": {\"width\": 9, \"height\": 9}, \"elements\": [{\"label\": {\"text\": \"a\", \(field)}}]}"
    let template = try CanvasTemplate(Data(json.utf8))
    let failure = #expect(throws: CanvasTemplate.Failure.self) { try template.canvas(["v": value]) }
    #expect("\(try #require(failure))".contains(words))
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
