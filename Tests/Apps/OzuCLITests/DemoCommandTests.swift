import Foundation
import Ozu
import Testing

@testable import OzuCLI

@Suite struct DemoCommandTests {
  @Test("all photographs from network, disk and memory, and a contact sheet of them")
  func demo() async throws {
    let folder = try Folder()
    let sheet = folder.path("sheet.png")
    let run = await CommandRun("demo", "--json", "-o", sheet)
    #expect(run.status == .done, "\(run.errors)")
    let object = try #require(try run.objects.first)
    let passes = try #require(object["passes"] as? [[String: Any]])
    let sources = passes.map { pass in
      Set((pass["pictures"] as? [[String: Any]] ?? []).compactMap { $0["from"] as? String })
    }
    #expect(sources == [["network"], ["disk-rendition"], ["memory"]])
    #expect(object["requests"] as? Int == 6)
    #expect((object["mistakes"] as? [String])?.isEmpty == true)
    let picture = try ImagePipeline.Configuration().decoding.codecs.picture(
      from: Data(contentsOf: URL(fileURLWithPath: sheet)))
    #expect(picture.size == PixelSize(3 * 332 + 12, 2 * 252 + 12))
  }
}

@Suite struct DemoOutputTests {
  @Test("-o - writes the contact sheet, and the report goes to standard error; a proxy is not asked")
  func standardOutput() async throws {
    let run = try await ChildRun(
      ["demo", "-o", "-"], in: Folder(), variables: ["http_proxy": "http://127.0.0.1:9", "no_proxy": ""])
    #expect(run.status == 0, "\(run.errors)")
    let picture = try ImagePipeline.Configuration().decoding.codecs.picture(from: run.output)
    #expect(picture.size == PixelSize(3 * 332 + 12, 2 * 252 + 12))
    #expect(run.errors.contains("network"))
  }

  @Test("without -o a link that another user has put into the temporary folder is not followed")
  func foreignLink() async throws {
    let folder = try Folder()
    let file = try folder.write(Data("kept".utf8), to: "file")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("ozu-demo.png"), withDestinationPath: file)
    let run = try await ChildRun(["demo"], in: folder, variables: ["TMPDIR": folder.path("")])
    #expect(run.status == 0, "\(run.errors)")
    #expect(folder.data("file") == Data("kept".utf8))
  }
}

@Suite struct HalfBlocksTests {
  @Test("a cell shows two pixels, one above the other")
  func cells() {
    let bitmap = Bitmap(size: PixelSize(2, 2)) { x, y in
      Pixel(red: UInt8(x * 10), green: UInt8(y * 20), blue: 7)
    }
    let text = HalfBlocks.row([bitmap], cells: 2)
    #expect(
      text
        == "\u{1B}[38;2;0;0;7m\u{1B}[48;2;0;20;7m▀\u{1B}[38;2;10;0;7m\u{1B}[48;2;10;20;7m▀\u{1B}[0m")
  }
}
