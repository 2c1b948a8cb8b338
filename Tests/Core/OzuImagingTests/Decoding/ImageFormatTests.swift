import Foundation
import OzuImaging
import OzuTesting
import Testing

@Suite("The table of formats")
struct ImageFormatTests {
  @Test("no two formats share a name, a media type or an ending")
  func unique() {
    let rows = ImageFormat.known
    for names in [rows.map(\.name), rows.flatMap(\.mediaTypes), rows.flatMap(\.endings)] {
      #expect(Set(names).count == names.count)
    }
    #expect(Set(rows.map(\.type)).count == rows.count)
  }

  @Test(
    "a format has an ending, by which it is found, and media types, in lower case",
    arguments: ImageFormat.known)
  func names(format: ImageFormat) {
    #expect(format.type.fileExtension == format.endings.first)
    #expect(format.type.mediaType == format.mediaTypes.first)
    for ending in format.endings {
      #expect(ending == ending.lowercased())
      #expect(ImageFormat.ofEnding(ending)?.type == (format.isRead ? format.type : nil))
    }
    for type in format.mediaTypes { #expect(type.hasPrefix("image/") && type == type.lowercased()) }
    #expect(!format.isWritten || format.isRead)
    #expect(!format.isNegotiated || format.isWritten && format.audience == .browsers)
  }

  @Test("a type of an app is named by its short name")
  func ofAnApp() {
    let type = ImageType(rawValue: "foo")
    #expect(type.fileExtension == "foo" && type.displayName == "FOO" && type.mediaType == "image/foo")
    #expect(!ImageFormat.of(type).startsThreads)
  }

  /// Code with several formats that is no list of those that Ozu knows: what all software reads, what a browser sends,
  /// files of one structure, files that state a fact of their header late.
  private static let choices = [
    "let fallback: [ImageType] = [.jpeg, .png]", "?? [.jpeg, .png]",
    "defaultTypes = [ImageType.avif, .webp, .jpeg]",
    "[.orf, .pef].contains(type)", "types: [ImageType] = [.jpeg, .png, .webp, .gif]",
    "convertedTypes: Set<ImageType> = [.gif, .webp, .bmp, .ico, .avif, .jxl, .tiff]",
    "where [.png, .jpeg].contains(type)",
    "(\"NIKON\", .nef)", "(\"OM DIGITAL\", .orf)", "type == .avif ||", "case .gif, .jxl: isComplete",
    "case .avif, .heic:", "case .ico, .icns:", "case (.jpeg, .jxl): way", "case (.jxl, .jpeg): way",
    "isOpaque ? .jpeg : .png", "? [nil] : [.jpeg, .png]", "type == .jpeg || type == .png",
    "types: Set<ImageType> = [.jpeg, .webp, .avif, .jxl, .heic]",
    "[\"jpg\", \"png\"].contains", "[\"bmp\", \"ico\", \"tiff\", \"tif\"].contains",
    "? \"image/png\" : \"image/jpeg\"",
  ]

  @Test("no other code lists formats")
  func noOtherList() throws {
    let root = Repository.url("Sources")
    let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
    let sources = try #require(files).compactMap { $0 as? URL }.filter {
      $0.pathExtension == "swift" && !$0.path.contains("ImageFormat+Table")
        && !$0.path.contains("OzuImageIOCodecs")
    }
    #expect(sources.count > 100)
    let words = Set(ImageFormat.known.flatMap { [$0.type.rawValue] + $0.endings + $0.mediaTypes })
    // Lines are looked at closely only if they may name two formats: a search in a whole text is much faster here.
    let names = words.map(NSRegularExpression.escapedPattern(for:)).joined(separator: "|")
    let twice = try NSRegularExpression(
      pattern: "^.*[.\"](\(names))\\b.*[.\"](\(names))\\b.*$", options: .anchorsMatchLines)
    var found: [String] = []
    for source in sources {
      let text = try String(contentsOf: source, encoding: .utf8)
      for match in twice.matches(in: text, range: NSRange(text.startIndex..., in: text)) {
        let line = try #require(Range(match.range, in: text))
        let code = text[line].trimmingPrefix(while: \.isWhitespace)
        if code.hasPrefix("//") || Self.choices.contains(where: code.contains) { continue }
        let named = Self.textsAndMembers(of: code)
        if words.intersection(named).count > 1 { found.append("\(source.lastPathComponent): \(code)") }
      }
    }
    #expect(found == [])
  }

  /// The texts and the members (`.png`) in a line of code, without the sign before them.
  private static func textsAndMembers(of code: Substring) -> Set<String> {
    let ends: Set<UInt8> = Set(" ,()[]{}:;|&=".utf8)
    var found: Set<String> = []
    for part: Substring.UTF8View.SubSequence in code.utf8.split(whereSeparator: { ends.contains($0) }) {
      guard part.first == 0x22 || part.first == 0x2E else { continue }
      let word: [UInt8] = part.filter { $0 != 0x22 }
      found.insert(String(decoding: word.first == 0x2E ? word.dropFirst() : word[...], as: UTF8.self))
    }
    return found
  }
}
