import Foundation
import Ozu
import OzuTesting
import Testing

@testable import OzuCLI

@Suite("The names of results in a folder")
struct OutputNamesTests {
  private static func stems(_ paths: [String]) -> [String] {
    OutputNames(paths.map { .url(URL(filePath: $0)) }).stems
  }

  @Test(
    "names are unique, and numbered in the order of the sources",
    arguments: [
      (["/1/p.jpg", "/2/p.png", "/3/p.gif"], ["p", "p-2", "p-3"]),
      (["/1/p.jpg", "/2/p.jpg", "/1/p-2.jpg"], ["p", "p-2", "p-2-2"]),
      (["/1/p-2.jpg", "/1/p.jpg", "/2/p.jpg"], ["p-2", "p", "p-3"]), (["/1/a.jpg", "/1/b.jpg"], ["a", "b"]),
    ])
  func numbered(_ paths: [String], _ stems: [String]) {
    #expect(Self.stems(paths) == stems)
  }

  @Test(
    "names are as long as a file system allows, in bytes, and cut between characters",
    arguments: ["a", "写", "👩‍👩‍👧‍👦", "é", "e" + String(repeating: "\u{301}", count: 300)])
  func long(_ character: String) throws {
    let base = String(repeating: character, count: 300)
    let stems = Self.stems(["/1/\(base).jpg", "/2/\(base).jpg"])
    let folder = try Folder()
    for stem in stems {
      let name = stem + "." + OutputFormats.longestEnding
      #expect(name.utf8.count <= 255)
      try folder.write(Data(), to: name)
      let part = stem.hasSuffix("-2") ? String(stem.dropLast(2)) : stem
      #expect(part == "image" || part.allSatisfy { String($0) == character })
      #expect(part == "image" || part.utf8.count + character.utf8.count > 240)
    }
    #expect(try folder.names.count == 2)
  }

  @Test("the name of a source does not depend on the order in which loads finish")
  func order() async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    let gate = Gate()
    let count = 4
    for index in 0..<count {
      let answer = LoopbackResponse.ok(
        try PatternPicture(PixelSize(40 + index, 30), tint: index).data(as: .jpeg))
      server.route("/\(index)/p.jpg", index == 0 ? answer.held(by: gate) : answer)
    }
    let folder = try Folder()
    let output = folder.path("out")
    let sources = (0..<count).map { server.url("/\($0)/p.jpg").absoluteString }
    async let run = CommandRun(["load"] + sources + ["-o", output, "--cache", folder.path("cache")])
    await ChildRun.onThread {
      let end = ContinuousClock.now + .seconds(25)
      while ContinuousClock.now < end,
        (try? FileManager.default.contentsOfDirectory(atPath: output).count) ?? 0 < count - 1
      {
        usleep(1000)
      }
    }
    gate.open()
    #expect(await run.status == .done)
    for (index, name) in ["p", "p-2", "p-3", "p-4"].enumerated() {
      let picture = try ImagePipeline.Configuration().decoding.codecs.picture(
        from: #require(folder.data("out/\(name).jpg")))
      #expect(picture.size.width == 40 + index)
    }
  }
}
