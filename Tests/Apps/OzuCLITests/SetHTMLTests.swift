import Foundation
import Ozu
import OzuTesting
import Testing

@testable import OzuCLI

@Suite("ozu set --html")
struct SetHTMLTests {
  private static let small = PatternPicture(PixelSize(300, 200), tint: 3)

  @Test("the HTML names every file, for all characters in names and texts")
  func html() async throws {
    let folder = try Folder()
    let name = #"a "b"><script>'&amp; , 1x:ä"#
    let source = try folder.write(Self.small.data(as: .jpeg), to: name + ".jpg")
    let alternative = #""><img src=x onerror='y'> & <b>"#
    let run = await CommandRun([
      "set", source, "-w", "100,200", "-f", "png,jpeg", "-o", folder.path("out/"), "--no-cache", "--html",
      "--alt", alternative, "--sizes", "(min-width: 600px) 50vw, 100vw",
    ])
    #expect(run.status == .done, "\(run.errors)")
    #expect(run.errors.contains("-> "))
    let tags = try Tags(run.output)
    #expect(tags.names == ["picture", "source", "source", "img"])
    #expect(tags.attributes.dropFirst().allSatisfy { $0["sizes"] == "(min-width: 600px) 50vw, 100vw" })
    #expect(tags.attributes.map { $0["type"] } == [nil, "image/png", "image/jpeg", nil])
    for attributes in tags.attributes.dropFirst() {
      let candidates = try #require(attributes["srcset"]).components(separatedBy: ", ")
      #expect(candidates.count == 2)
      for candidate in candidates {
        let parts = candidate.split(separator: " ")
        let path = try #require(String(parts[0]).removingPercentEncoding)
        let header = try CodecRegistry.standard.header(of: Data(contentsOf: URL(filePath: path)))
        #expect("\(header.size.width)w" == parts[1])
        #expect(path.hasPrefix(folder.path("out/") + name))
        if let type = attributes["type"] { #expect(header.type.mediaType == type) }
      }
    }
    let image = tags.attributes[3]
    #expect(image["alt"] == alternative && image["loading"] == "lazy" && image["decoding"] == "async")
    #expect(image["width"] == "200" && image["height"] == "133")
    #expect(image["src"]?.hasSuffix("-200.jpg") == true)
    let style = try #require(image["style"])
    let start = try #require(style.range(of: ";base64,")).upperBound
    let text = style[start...].prefix { $0 != ")" }
    let placeholder = try CodecRegistry.standard.header(of: #require(Data(base64Encoded: String(text))))
    #expect(placeholder.size.width == 16)
  }

  @Test(
    "paths as addresses",
    arguments: [
      ("out/a b,c.jpg", "out/a%20b%2Cc.jpg"), ("javascript:x.jpg", "javascript%3Ax.jpg"),
      ("//host/x.jpg", "/host/x.jpg"), ("/a/%20?#\n.jpg", "/a/%2520%3F%23%0A.jpg"), ("ä.jpg", "%C3%A4.jpg"),
    ])
  func addresses(_ path: String, _ address: String) { #expect(PictureElement.address(path) == address) }

  @Test("a transparent picture has no placeholder behind it")
  func transparent() async throws {
    let folder = try Folder()
    let source = try folder.write(Self.small.data(as: .png), to: "p.png")
    for (steps, hasPlaceholder) in [([], true), (["--round", "circle"], false)] {
      let run = await CommandRun(
        ["set", source, "-w", "100", "-f", "png", "-o", folder.path("out/"), "--no-cache", "--html"] + steps)
      #expect(run.output.contains("style=") == hasPlaceholder)
    }
  }
}

/// The tags of a piece of HTML: start tags and their attributes in quotation marks, end tags, white space between them, and
/// nothing else.
private struct Tags {
  var names: [String] = []
  var attributes: [[String: String]] = []

  init(_ html: String) throws {
    let tag = /\s*<(\/?)([a-z]+)((?: [a-z]+="[^"<>]*")*)>\s*/
    var rest = html[...]
    while !rest.isEmpty {
      let match = try #require(rest.prefixMatch(of: tag), "\(rest)")
      rest = rest[match.range.upperBound...]
      if !match.1.isEmpty { continue }
      names.append(String(match.2))
      let pairs = match.3.matches(of: /\ ([a-z]+)="([^"]*)"/).map { (String($0.1), Self.plain($0.2)) }
      attributes.append(
        try #require(Set(pairs.map(\.0)).count == pairs.count ? Dictionary(uniqueKeysWithValues: pairs) : nil)
      )
    }
  }

  private static func plain(_ value: Substring) -> String {
    let names = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
    return names.reduce(String(value)) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
  }
}
