import Foundation
import OzuImaging
import OzuStandardCodecs
import OzuTesting
import Testing

@Suite("The page of formats")
struct FormatsPageTests {
  private static let page =
    (try? String(contentsOf: Repository.url("Documentation/formats.md"), encoding: .utf8)) ?? ""

  /// The cells of the rows of the first table.
  private static let rows = rows(under: "Read")

  /// The cells of the rows of the table in a section.
  private static func rows(under heading: String) -> [[String]] {
    page.split(separator: "\n").drop { $0 != "## \(heading)" }.drop { !$0.hasPrefix("|---") }.dropFirst()
      .prefix { $0.hasPrefix("|") }
      .map { row in row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
  }

  @Test("has a row for each format that is read, in the order of the table, and names those that are not")
  func formats() {
    #expect(Self.rows.map(\.first) == ImageFormat.read.map(\.name))
    for format in ImageFormat.known where !format.isRead {
      let names = Self.page.components(separatedBy: .newlines).joined(separator: " ")
      #expect(names.contains(format.name), "\(format.name)")
    }
  }

  @Test(
    "says how a format is named, decoded and written, and which tests show it", arguments: ImageFormat.read)
  func row(format: ImageFormat) throws {
    let row = try #require(Self.rows.first { $0.first == format.name })
    try #require(row.count == 6)
    #expect(row[1] == format.endings.joined(separator: ", "))
    #expect(row[3].hasPrefix("Swift") == (format.decoding == .own))
    #expect(row[4].hasPrefix("yes") == format.isWritten)
    let movesWhenWritten = CodecRegistry.standard.encodableAnimationTypes.contains(format.type)
    #expect(!movesWhenWritten || row[4].hasSuffix("animated"))
    let suite = row[5].trimmingCharacters(in: ["`"])
    let file = Repository.url("Tests/Libraries/OzuCodecsTests/\(suite).swift")
    #expect(try String(contentsOf: file, encoding: .utf8).contains("struct \(suite)"))
  }

  @Test("says beside others what Ozu reads and writes")
  func comparison() throws {
    let rows = Self.rows(under: "Beside others")
    #expect(rows.count > 15)
    for row in rows {
      for name in row[0].components(separatedBy: ", ") {
        let format = try #require(ImageFormat.known.first { $0.name == name }, "\(name)")
        #expect(format.isRead == (row[1] != "named"), "\(name)")
        #expect(format.isWritten == row[1].hasSuffix("out"), "\(name)")
      }
    }
  }
}
