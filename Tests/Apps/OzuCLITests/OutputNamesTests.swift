import Foundation
import Ozu
import OzuTesting
import Testing

@testable import OzuCLI

@Suite("The names of results in a folder")
struct OutputNamesTests {
  private static func stems(_ paths: [String]) -> [String] {
    OutputNames(paths.map { ListedSource(text: $0) }).stems
  }

  @Test("the name of a source follows from the source alone, not from its neighbours")
  func alone() {
    #expect(Self.stems(["/1/p.jpg", "/2/p.png", "/1/p-2.jpg"]) == ["p", "p", "p-2"])
    let named = ListedSource(text: "/1/p.jpg", folder: "shoes", name: "red")
    #expect(OutputNames([named]).stems == ["shoes/red"])
  }

  @Test(
    "two results with one name are refused before anything is written, with the field that tells them apart",
    arguments: [
      (["a.heic", "a.jpg"], "out", "-o 'out/{dir}/{name}.{source-ext}.{ext}'"),
      (["1/a.jpg", "2/a.jpg"], "out/", "-o 'out/{dir}/{name}-{index}.{ext}'"),
      (["1/a.jpg", "2/a.jpg"], "{name}.webp", "Add {index}"),
      (["a.heic", "a.jpg"], "x/{name}.webp", "Add {source-ext}"),
      (["a.png", "b.png"], "x.{ext}", "Add {name}"),
    ])
  func refused(_ sources: [String], _ output: String, _ hint: String) async {
    let run = await CommandRun(["load"] + sources + ["-o", output])
    #expect(run.status == .wrongUsage)
    #expect(
      run.errors.contains("the results of \(sources[0]) and \(sources[1]) would both be"), "\(run.errors)")
    #expect(run.errors.contains(hint), "\(run.errors)")
    let set = await CommandRun(["set"] + sources + ["-o", "out-of-set"])
    #expect(output.contains("{") || set.errors.contains("would both be"), "\(set.errors)")
    #expect(output.contains("{") || set.errors.contains("-o 'out-of-set/{dir}/{name}"), "\(set.errors)")
  }

  @Test("of pictures that come one after the other, the first has a name, and may be made again")
  func claims() throws {
    let folder = try Folder()
    let claims = NameClaims()
    func write(_ name: String) throws {
      var target = try OutputTarget(
        path: folder.path("out/"), format: .type(.png), sources: [ListedSource(text: folder.path(name))],
        overwritesSources: false)
      target.sharedClaims = claims
      let result = OutputTarget.Result(data: Data(name.utf8), type: .png, size: PixelSize(1, 1))
      _ = try target.write(result, forSource: 0)
    }
    try write("a.heic")
    try write("a.heic")
    #expect(throws: OutputError.self) { try write("a.jpg") }
    #expect(folder.data("out/a.png") == Data("a.heic".utf8))
  }

  @Test(
    "names are as long as a file system allows, in bytes, and cut between characters",
    arguments: ["a", "写", "👩‍👩‍👧‍👦", "é", "e" + String(repeating: "\u{301}", count: 300)])
  func long(_ character: String) throws {
    let base = String(repeating: character, count: 300)
    let stem = try #require(Self.stems(["/1/\(base).jpg"]).first)
    let folder = try Folder()
    let name = stem + "." + OutputFormats.longestEnding
    #expect(name.utf8.count <= 255)
    try folder.write(Data(), to: name)
    #expect(stem == "image" || stem.allSatisfy { String($0) == character })
    #expect(stem == "image" || stem.utf8.count + character.utf8.count > 240)
  }
}
