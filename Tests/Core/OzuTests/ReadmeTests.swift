import Foundation
import Ozu
import OzuTesting
import Testing

/// The first samples of the README, copied unchanged except for the pipeline.
@Suite("The samples of the README work")
struct ReadmeTests {
  @Test("a picture is no larger than the size, and has exactly the size where it covers it")
  func samples() async throws {
    let client = FakeHTTPClient()
    let url = URL(string: "https://example.com/a.jpg")!
    // The proportions of the picture are those of neither size.
    client.reply(to: url, with: .ok(try PatternPicture(PixelSize(1000, 700), tint: 2).data(as: .jpeg)))
    let pipeline = ImagePipeline.testing(client: client)

    let photo = try await pipeline.image(for: url)
    let thumb = try await pipeline.image(for: url, size: .init(width: 320, height: 240), mode: .aspectFill)
    #expect(photo.size == PixelSize(1000, 700))
    #expect(thumb.size == PixelSize(320, 240))

    let avatar = try await pipeline.image(for: url, size: .init(width: 96, height: 96), mode: .aspectFill)
    #expect(avatar.size == PixelSize(96, 96))
    #expect(try await pipeline.image(for: url, size: .init(320, 240)).size == PixelSize(320, 224))

    let tests = URL(filePath: #filePath)
    let own = try String(contentsOf: tests, encoding: .utf8)
    let page = try String(contentsOf: Repository.url("README.md"), encoding: .utf8)
    let lines = page.split(separator: "\n").filter { $0.contains("= try await ImagePipeline.shared.image(") }
    #expect(lines.count == 3)
    for line in lines {
      let sample = line.replacing("ImagePipeline.shared", with: "pipeline").trimmingCharacters(
        in: .whitespaces)
      #expect(own.contains(sample), "\(line)")
    }
  }
}
