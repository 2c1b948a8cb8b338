import Foundation
import OzuTesting
import Testing

/// The pages about migration agree with the tests.
@Suite("The migration pages and their tests")
struct MigrationPagesTests {
  @Test(
    "the pages contain exactly the calls of these tests",
    arguments: ["haneke", "jmimagecache", "nuke", "kingfisher", "sdwebimage"])
  func pages(name: String) throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent()
    let calls = try ["MigrationTests", "MigrationTests+WithoutShims"].map {
      Self.squeezed(try String(contentsOf: tests.appending(path: $0 + ".swift"), encoding: .utf8))
    }
    let folder = Repository.url("")
    let page = try String(
      contentsOf: folder.appending(path: "Documentation/migration/\(name).md"), encoding: .utf8)
    var count = 0
    for row in page.split(separator: "\n") where row.hasPrefix("| `") {
      let cells = row.split(separator: "|").map(String.init)
      let spans = try #require(cells.count > 1 ? cells[1] : nil).split(
        separator: "`", omittingEmptySubsequences: false)
      for (index, span) in spans.enumerated() where index % 2 == 1 {
        count += 1
        let call = Self.squeezed(String(span))
        #expect(calls.contains { $0.contains(call) }, "\(span)")
      }
    }
    #expect(count > 8)
  }

  @Test("every test that parity.md names exists")
  func parity() throws {
    let tests = Repository.url("Tests")
    let page = try String(
      contentsOf: Repository.url("Documentation/parity.md"),
      encoding: .utf8)
    let files =
      FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)?.allObjects as? [URL] ?? []
    let sources = try files.filter { $0.pathExtension == "swift" }
      .map { try String(contentsOf: $0, encoding: .utf8) }
    // The sources by what stands between quotation marks in them.
    var byText: [String: [String]] = [:]
    for source in sources {
      for text in Set(source.utf8.split(separator: UInt8(ascii: "\"")).map { String($0) ?? "" }) {
        byText[text, default: []].append(source)
      }
    }
    // A name, and its type in the brackets behind it.
    let rows = page.matches(of: /“([^”]+)”(?: \(`(\w+)`\))?/)
    #expect(rows.count > 80)
    for row in rows {
      let name = String(row.output.1)
      let places = byText[name] ?? []
      #expect(!places.isEmpty, "\(name)")
      let type = try #require(row.output.2, "\(name) names no type")
      // The test is in the type or in an extension of it, in a file of its own.
      let hasType = places.contains { $0.contains("struct \(type) ") || $0.contains("extension \(type) ") }
      #expect(hasType, "\(type) has no test \(name)")
    }
  }

  /// A text without white space, so that line breaks make no difference.
  private static func squeezed(_ text: String) -> String {
    text.filter { !$0.isWhitespace }
  }
}
