import Foundation
import Ozu
import OzuTesting
import Testing

@testable import OzuCLI

@Suite("ozu compare")
struct CompareCommandTests {
  @Test("prints score, signal-to-noise ratio and bytes, and fails below the score that is needed")
  func scores() async throws {
    let folder = try Folder()
    let picture = PatternPicture(PixelSize(64, 48))
    let original = try folder.write(picture.data(as: .png), to: "a.png")
    let copy = try folder.write(picture.data(as: .jpeg), to: "b.jpg")
    let equal = await CommandRun("compare", original, original, "--no-cache", "--at-least", "100")
    #expect(equal.status == .done && equal.errors.isEmpty)
    #expect(equal.output.contains("100.00") && equal.output.contains("equal"))
    let difference = folder.path("c.png")
    let arguments = ["compare", original, copy, "--no-cache", "--diff", difference]
    let object = try #require(try await CommandRun(arguments + ["--json"]).objects.first)
    let score = try #require(object["ssimulacra2"] as? Double)
    #expect(score < 100 && object["psnr"] as? Double ?? 0 > 10)
    #expect(object["width"] as? Int == 64 && object["height"] as? Int == 48)
    let written = try CodecRegistry.standard.picture(from: #require(folder.data("c.png")))
    #expect(written.bitmap.size == PixelSize(64, 48))
    for (least, status) in [(Int(score), ExitStatus.done), (Int(score) + 1, .failed)] {
      #expect(await CommandRun(arguments + ["--at-least", "\(least)"]).status == status)
    }
  }

  @Test("names the picture that fails, and sizes that differ")
  func failures() async throws {
    let folder = try Folder()
    let small = try folder.write(PatternPicture(PixelSize(16, 8)).data(as: .png), to: "a.png")
    let large = try folder.write(PatternPicture(PixelSize(32, 8)).data(as: .png), to: "b.png")
    let differing = await CommandRun("compare", small, large, "--no-cache")
    #expect(differing.status == .failed && differing.errors.contains("cannot be compared"))
    let missing = await CommandRun("compare", small, folder.path("none.png"), "--no-cache")
    #expect(missing.status == .failed && missing.errors.contains("none.png"))
    for arguments in [["a"], ["a", "b", "c"], ["-", "-"], ["a", "b", "--at-least", "101"]] {
      #expect(await CommandRun(["compare"] + arguments).status == .wrongUsage)
    }
  }

  @Test("the differences take the place of no picture that is compared, and no name of another format")
  func differences() async throws {
    let folder = try Folder()
    let bytes = try PatternPicture(PixelSize(16, 8)).data(as: .png)
    let original = try folder.write(bytes, to: "a.png")
    let copy = try folder.write(bytes, to: "b.png")
    #expect(symlink("b.png", folder.path("link.png")) == 0)
    for name in ["a.png", "b.png", "link.png", "c.jpg"] {
      let run = await CommandRun("compare", original, copy, "--no-cache", "--diff", folder.path(name))
      #expect(run.status == .wrongUsage && run.errors.contains("--diff "), "\(run.errors)")
    }
    #expect(try folder.names.sorted() == ["a.png", "b.png", "link.png"])
    #expect(folder.data("a.png") == bytes && folder.data("b.png") == bytes)
  }
}
