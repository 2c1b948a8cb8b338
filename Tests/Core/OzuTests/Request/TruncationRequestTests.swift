import Foundation
import OzuStandardCodecs
import OzuTesting
import Testing

@testable import Ozu

/// Requests that are content with the part of a file that is there.
@Suite("A part of a truncated file")
struct TruncationRequestTests {
  private static let whole: Data = {
    // A pattern is always encoded.
    (try? PatternPicture(PixelSize(320, 240)).data(as: .jpeg)) ?? Data()
  }()
  private static let cut = whole.prefix(whole.count / 2)
  private static let note = "the file is cut off: a part of the picture is missing"

  private static func requests(_ data: Data, _ resize: Resize?) -> (full: ImageRequest, partial: ImageRequest)
  {
    let full = ImageRequest(.data(data, key: "picture"), resize: resize).with { $0.storagePolicy = .all }
    return (full, full.with { $0.allowsTruncation = true })
  }

  private static func expectTruncated(_ load: () async throws(ImageError) -> Void) async {
    do throws(ImageError) {
      try await load()
      Issue.record("it did not fail")
    } catch {
      #expect(error.kind == .truncatedData)
    }
  }

  @Test("is shown with a note, and never in place of the whole", arguments: [nil, Resize(PixelSize(80, 60))])
  func states(resize: Resize?) async throws {
    let files = MemoryFileSystem()
    let (full, partial) = Self.requests(Self.cut, resize)
    #expect(full.key != partial.key)
    let pipeline = ImagePipeline.testing(files: files)
    let picture = try await pipeline.image(for: partial)
    #expect(picture.notes == [Self.note])
    #expect(pipeline.cachedImage(for: full) == nil)
    // Neither the same picture nor a smaller one is made of the part.
    for request in [full, full.with { $0.resize = Resize(PixelSize(20, 15)) }] {
      await Self.expectTruncated { () async throws(ImageError) in _ = try await pipeline.image(for: request) }
    }
    #expect(try await pipeline.response(for: partial).source == .memory)
    await pipeline.flush()
    let next = ImagePipeline.testing(files: files)
    await Self.expectTruncated { () async throws(ImageError) in _ = try await next.image(for: full) }
    let again = try await next.image(for: partial)
    #expect(again.notes == [Self.note] && again.size == picture.size)
  }

  @Test("of a file that is whole is the whole, without a note")
  func whole() async throws {
    let (full, partial) = Self.requests(Self.whole, Resize(PixelSize(80, 60)))
    let pipeline = ImagePipeline.testing(files: MemoryFileSystem())
    let (a, b) = (try await pipeline.image(for: full), try await pipeline.image(for: partial))
    #expect(a.bitmap == b.bitmap && b.notes.isEmpty)
  }

  @Test("is written, and the file says so in its notes", arguments: [ImageType.jpeg, .png])
  func encoded(type: ImageType) async throws {
    let pipeline = ImagePipeline.testing(files: MemoryFileSystem())
    let (full, partial) = Self.requests(Self.cut, Resize(PixelSize(80, 60)))
    let file = try await pipeline.encoded(for: partial, as: OutputFormat(type))
    #expect(file.notes == [Self.note] && file.size == PixelSize(80, 60))
    await Self.expectTruncated { () async throws(ImageError) in
      _ = try await pipeline.encoded(for: full, as: OutputFormat(type))
    }
  }
}
