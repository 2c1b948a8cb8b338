import Foundation
import Ozu
import OzuTesting
import Testing

@testable import OzuCLI

@Suite("The C libraries of the formats print nothing on standard error")
struct LibraryMessagesTests {
  @Test(
    "damaged JPEG XL files", .enabled(if: CodecRegistry.standard.encodableTypes.contains(.jxl)))
  func jpegXL() async throws {
    let folder = try Folder()
    let whole = try PatternPicture(PixelSize(64, 48), tint: 3).data(as: .jxl)
    // A damaged header makes no decoder read the file, so the bytes after it are damaged.
    let names = try (0..<40).map { number in
      var damaged = whole
      let index = damaged.index(damaged.startIndex, offsetBy: damaged.count * (number + 10) / 50)
      damaged[index] ^= 0xFF
      let name = "\(number).jxl"
      try folder.write(damaged, to: name)
      return name
    }
    let run = try await ChildRun(["load"] + names + ["--cache", "cache"], in: folder)
    let lines = run.errors.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    #expect(run.status == 1 && !lines.isEmpty)
    #expect(lines.allSatisfy { $0.hasPrefix("ozu: ") }, "\(run.errors)")
  }
}
