import Foundation
import Ozu
import OzuTesting
import Testing

@testable import OzuCLI

@Suite("`ozu load` does not overwrite its sources")
struct OverwritingTests {
  /// Two photographs and other names of the first.
  private static func folder() throws -> Folder {
    let folder = try Folder()
    mkdir(folder.path("sub"), 0o700)
    try folder.write(PatternPicture(PixelSize(320, 240), tint: 1).data(as: .jpeg), to: "x.jpg")
    try folder.write(PatternPicture(PixelSize(320, 240), tint: 2).data(as: .jpeg), to: "y.jpg")
    try folder.write(PatternPicture(PixelSize(320, 240), tint: 4).data(as: .png), to: "z.png")
    try folder.write(PatternPicture(PixelSize(320, 240), tint: 5).data(as: .jpeg), to: "sub/x.jpg")
    symlink("x.jpg", folder.path("soft.jpg"))
    symlink("new.jpg", folder.path("dangling.jpg"))
    symlink(".", folder.path("here"))
    link(folder.path("x.jpg"), folder.path("hard.jpg"))
    return folder
  }

  @Test(
    "refused before anything is loaded, and nothing is written",
    arguments: [
      ["x.jpg", "-o", "x.jpg"], ["x.jpg", "y.jpg", "-o", "."], ["y.jpg", "x.jpg", "-o", "here/"],
      ["x.jpg", "-o", "soft.jpg"], ["soft.jpg", "-o", "x.jpg"], ["x.jpg", "-o", "hard.jpg"],
      ["x.jpg", "-o", "sub/../here/x.jpg"], ["dangling.jpg", "-o", "new.jpg"],
      // The result may be a PNG.
      ["z.png", "-o", "."], ["z.png", "-f", "png", "-o", "."],
      // The source of another result.
      ["sub/x.jpg", "x.jpg", "-o", "."], ["sub/x.jpg", "x.jpg", "-o", ".", "--overwrite-sources"],
      ["x.jpg", "x.jpg", "-o", ".", "--overwrite-sources"],
      ["x.jpg", "--trace", "hard.jpg"], ["x.jpg", "--trace", "x.jpg", "--overwrite-sources"],
      ["x.jpg", "-o", "out.jpg", "--trace", "./out.jpg"],
    ])
  func refused(_ arguments: [String]) async throws {
    let folder = try Self.folder()
    let before = try folder.contents
    let run = try await ChildRun(["load"] + arguments + ["-s", "64x64", "--cache", "cache"], in: folder)
    #expect(run.status == ExitStatus.wrongUsage.rawValue, "\(run.errors)")
    let reasons = ["source", "the result of -o", "would both be"]
    #expect(reasons.contains(where: run.errors.contains), "\(run.errors)")
    #expect(run.output.isEmpty)
    #expect(try folder.contents == before)
    #expect(!FileManager.default.fileExists(atPath: folder.path("cache")))
  }

  @Test(
    "a result that overwrites no source is written, and with --overwrite-sources it may replace its own",
    arguments: [
      (["x.jpg", "-o", "x.jpg", "--overwrite-sources"], "x.jpg"),
      (["soft.jpg", "-o", "soft.jpg", "--overwrite-sources"], "x.jpg"),
      (["x.jpg", "y.jpg", "-o", ".", "--overwrite-sources"], "y.jpg"),
      (["sub/x.jpg", "-o", "."], "x.jpg"), (["x.jpg", "-o", "y.jpg"], "y.jpg"),
      (["z.png", "-f", "jpeg", "-o", "."], "z.jpg"), (["x.jpg", "-o", "dangling.jpg"], "new.jpg"),
      (["x.jpg", "y.jpg", "-o", "sub"], "sub/y.jpg"),
    ])
  func written(_ arguments: [String], _ name: String) async throws {
    let folder = try Self.folder()
    let run = try await ChildRun(["load"] + arguments + ["-s", "64x64", "--cache", "cache"], in: folder)
    #expect(run.status == 0, "\(run.errors)")
    let picture = try ImagePipeline.Configuration().decoding.codecs.picture(from: #require(folder.data(name)))
    #expect(picture.size == PixelSize(64, 48))
    #expect(folder.kind("soft.jpg") == S_IFLNK && folder.kind("dangling.jpg") == S_IFLNK)
    #expect(folder.data("z.png")?.count == (try Self.folder().data("z.png"))?.count)
  }

  @Test("a link to a source that is made after the check is not followed to it")
  func afterCheck() throws {
    let folder = try Self.folder()
    let source = ListedSource(text: folder.path("x.jpg"))
    let result = OutputTarget.Result(data: Data("new".utf8), type: .jpeg, size: PixelSize(1, 1))
    let target = try OutputTarget(
      path: folder.path("out.jpg"), format: .byName, sources: [source], overwritesSources: false)
    symlink("x.jpg", folder.path("out.jpg"))
    let before = folder.data("x.jpg")
    #expect(throws: OutputError.self) { try target.write(result, forSource: 0) }
    #expect(folder.data("x.jpg") == before)
  }
}
