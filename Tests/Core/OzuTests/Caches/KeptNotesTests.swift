import Foundation
import OzuTesting
import Testing

@testable import Ozu
@testable import OzuImaging

@Suite("Notes of pictures in the caches")
struct KeptNotesTests {
  private static let codecs = CodecRegistry.standard

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var policy: ColorPolicy?
    var processors: [any ImageProcessing] = []
    /// A word of each note, in their order.
    var words: [String]
  }

  private static let cases: [Case] = [
    Case(testDescription: "tone-mapped", words: ["assumed", "tone-mapped"]),
    Case(
      testDescription: "tone-mapped, and stepped on", processors: [GaussianBlur(radius: 2), Turn.flip],
      words: ["assumed", "tone-mapped"]),
    Case(testDescription: "kept", policy: .keepForFile, words: []),
    Case(
      testDescription: "kept, and then rounded", policy: .keepForFile, processors: [GaussianBlur(radius: 2)],
      words: ["8 bits"]),
  ]

  /// A picture under PQ without a stated peak.
  private static let file: Data = {
    let bitmap = Bitmap(
      size: PixelSize(96, 64), format: .rgba16, isOpaque: true, colorSpace: .coded(primaries: 9, transfer: 16)
    ) { bytes, bytesPerRow in
      for y in 0..<64 {
        for x in 0..<96 {
          for (channel, value) in [x * 500, y * 600, 20_000, 65_535].enumerated() {
            bytes.storeBytes(
              of: UInt16(value), toByteOffset: y * bytesPerRow + x * 8 + channel * 2, as: UInt16.self)
          }
        }
      }
    }
    // A bitmap of these bits is always written.
    return (try? codecs.encode(bitmap, as: .png)) ?? Data()
  }()

  private static func request(_ kind: Case, _ size: PixelSize = PixelSize(48, 32)) -> ImageRequest {
    ImageRequest(
      .data(file, key: "bright"), resize: Resize(size), processors: kind.processors
    ).with {
      $0.colorPolicy = kind.policy
      $0.storagePolicy = .all
    }
  }

  private static func matches(_ notes: [String], _ words: [String]) -> Bool {
    notes.count == words.count && zip(notes, words).allSatisfy { $0.contains($1) }
  }

  @Test("are the same for a new picture, in memory, and from disk", arguments: cases)
  func states(kind: Case) async throws {
    let files = MemoryFileSystem()
    let request = Self.request(kind)
    let first = ImagePipeline.testing(files: files)
    let made = try await first.response(for: request)
    #expect(made.source == .original)
    let notes = made.picture.notes
    #expect(Self.matches(notes, kind.words), "\(notes)")
    let known = try await first.response(for: request)
    #expect(known.source == .memory && known.picture.notes == notes)
    #expect(first.cache[request]?.notes == notes)
    await first.flush()
    for _ in 0..<2 {
      let next = ImagePipeline.testing(files: files)
      let read = try await next.response(for: request)
      #expect(read.source == .rendition && read.picture.notes == notes, "\(read.picture.notes)")
      let again = try await next.response(for: request)
      #expect(again.source == .memory && again.picture.notes == notes)
      await next.flush()
    }
    // And by the blocking call.
    let third = ImagePipeline.testing(files: files)
    let looked = await Task.detached { third.cache.image(for: request, layers: .renditions) }.value
    #expect(looked?.notes == notes)
  }

  @Test("are kept by a smaller picture that is derived from the one on disk")
  func derived() async throws {
    let files = MemoryFileSystem()
    let first = ImagePipeline.testing(files: files)
    let notes = try await first.image(for: Self.request(Self.cases[0])).notes
    #expect(!notes.isEmpty)
    await first.flush()
    let next = ImagePipeline.testing(files: files)
    let smaller = try await next.response(for: Self.request(Self.cases[0], PixelSize(24, 16)))
    #expect(smaller.source == .derived && smaller.picture.notes == notes)
  }

  @Test("are kept when a stale picture on disk is confirmed")
  func renewed() async throws {
    let (client, files, clock) = (FakeHTTPClient(), MemoryFileSystem(), ManualClock())
    let url = Fixture.url("bright.png")
    var reply = FakeHTTPReply.ok(Self.file)
    reply.headers.add(name: "Cache-Control", value: "max-age=60")
    reply.headers.add(name: "ETag", value: "\"1\"")
    client.reply(to: url, with: [reply, .status(304, headers: ["Cache-Control": "max-age=600"])])
    let request = ImageRequest(url: url, resize: Resize(PixelSize(48, 32)))
    for (expected, pause) in [(ImageResponse.Source.network, 0), (.revalidated, 90), (.rendition, 300)] {
      clock.advance(by: .seconds(pause))
      let pipeline = ImagePipeline.testing(client: client, files: files) {
        $0.testing.currentDate = clock.date
      }
      let response = try await pipeline.response(for: request)
      #expect(response.source == expected)
      #expect(Self.matches(response.picture.notes, Self.cases[0].words), "\(response.picture.notes)")
      await pipeline.flush()
      if let disk = pipeline.diskCache { await disk.close() }
    }
  }

  @Test("are kept when a format is preloaded, with unconverted colours too")
  func preloaded() async throws {
    let fixture = FormatFixture()
    let format = FormatFixture.format(preloadPolicy: .all)
    func request(_ policy: ColorPolicy) -> ImageRequest {
      ImageRequest(.data(Self.file, key: "\(policy)"), format: format).with { $0.colorPolicy = policy }
    }
    var made: [Picture] = []
    for policy in [ColorPolicy.convertToSRGB, .keepForFile] {
      made.append(try await fixture.pipeline.image(for: request(policy)))
    }
    #expect(Self.matches(made[0].notes, Self.cases[0].words) && made[1].bitmap.format == .rgba16)
    let pipeline = await fixture.restarted()
    #expect(await pipeline.register(format).count == 2)
    for (policy, made) in zip([ColorPolicy.convertToSRGB, .keepForFile], made) {
      let response = try await pipeline.response(for: request(policy))
      #expect(response.source == .memory && response.picture.notes == made.notes)
      #expect(response.picture.bitmap.format == made.bitmap.format)
      #expect(response.picture.bitmap.colorSpace == made.bitmap.colorSpace)
    }
  }

  @Test("are bounded in number and length before they are stored, so that all states have the same")
  func bounded() async throws {
    let files = MemoryFileSystem()
    let notes = (0..<1000).map { "\($0) " + String(repeating: "🎞", count: 5000) }
    let picture = Picture(PatternPicture(PixelSize(8, 8)).bitmap, notes: notes)
    #expect(picture.notes.count == 32 && picture.notes.allSatisfy { $0.utf8.count <= 512 })
    #expect(picture.notes[0].hasPrefix("0 🎞🎞") && picture.notes[0].hasSuffix("🎞…"))
    #expect(picture.notes[31] == "further notes are left out")
    #expect(Picture(picture.bitmap, notes: picture.notes).notes == picture.notes)
    let request = ImageRequest(.picture(picture, key: "noted"), processors: [Turn.flip])
    for expected in [ImageResponse.Source.original, .rendition] {
      let pipeline = ImagePipeline.testing(files: files)
      let response = try await pipeline.response(for: request)
      #expect(response.source == expected && response.picture.notes == picture.notes)
      await pipeline.flush()
    }
  }
}
