import Foundation
import OzuHTTP
import OzuTesting
import Testing

@testable import Ozu
@testable import OzuServer

#if !OZU_ASAN && !OZU_TSAN
  /// A service whose decoders have a trap: it ends the process that opens a file with a mark in it. With required isolation
  /// that is never the process of the service. A process under a sanitizer cannot be confined, which isolation requires.
  @Suite("Traps in the decoders of a service", .timeLimit(.minutes(5)))
  struct PlantedTrapTests {
    /// Fixtures of what no encoder here writes, two of each format where there are two.
    private static let files: [ImageType: [String]] = [
      .avif: ["matrix/avif-444-q90.avif", "matrix/avif-420-q90.avif"],
      .heic: ["matrix/heic-420.heic", "matrix/heic-alpha-444.heic"],
      .tiff: ["matrix/tiff-raw.tif", "matrix/tiff-g4.tif"],
      .bmp: ["matrix/bmp-gray.bmp", "matrix/bmp-rgb24.bmp"],
      .ico: ["matrix/ico-png.ico"], .tga: ["small/t15-32-8-9x5-1.tga"], .icns: ["small/ic05-1.icns"],
      .psd: ["small/gray-16-0-0-0-10x4-1.psd", "small/cmyk-8-0-0-0-10x4-1.psd"],
    ]

    /// A file with the mark, and another one of the same format.
    private static func pair(_ type: ImageType) throws -> (trap: Data, good: Data) {
      let pair: [Data]
      if type == .svg {
        pair = ["red", "blue"].map {
          Data(
            "<svg xmlns='http://www.w3.org/2000/svg' width='60' height='40'><rect width='9' height='9' fill='\($0)'/></svg>"
              .utf8)
        }
      } else if type == .raf {
        pair = try [1, 2].map { try cameraRAW(PatternPicture(PixelSize(64, 48), tint: $0).data(as: .jpeg)) }
      } else if let names = files[type] {
        pair = try names.map { try Data(contentsOf: Repository.fixture($0)) }
      } else {
        pair = try [1, 2].map { try PatternPicture(PixelSize(64, 48), tint: $0).data(as: type) }
      }
      return (pair[0] + HelperWithTrap.marker, pair[pair.count - 1])
    }

    /// A JPEG in a camera RAW file of Fujifilm.
    private static func cameraRAW(_ preview: Data) -> Data {
      var head = Data("FUJIFILMCCD-RAW ".utf8)
      head.append(Data(count: 84 - head.count))
      for number in [160, preview.count] {
        head.append(contentsOf: (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) })
      }
      return head + Data(count: 160 - head.count) + preview
    }

    /// All formats that are read here; one maker's camera RAW stands for those of all, which have the same decoder.
    private static let types = CodecRegistry.standardWithDrawings.decodableTypes
      .filter { $0 == .raf || !ImageType.cameraRAW.contains($0) }

    @Test(
      "one costs the answer to its picture; the next request for the format is answered", arguments: types)
    func trap(type: ImageType) async throws {
      let helper = try HelperWithTrap()
      defer { helper.remove() }
      let fixture = try ServiceFixture {
        // One process, so that the next request needs the one in which the trap was.
        $0.pipeline.decoding.isolation = DecoderIsolation(
          .required, helper: .program(helper.path), processLimit: 1)
        $0.allowsDecodingInProcess = false
      }
      let (trap, good) = try Self.pair(type)
      for (name, data) in [("trap", trap), ("good", good), ("trap2", trap + [0]), ("good2", good)] {
        fixture.network.reply(
          to: ServiceFixture.url(name),
          with: FakeHTTPReply.ok(data, type: type.mediaType).header("Cache-Control", "max-age=600"))
        let response = await fixture.get("/8/\(name)")
        let text = String(decoding: response.body.prefix(60), as: UTF8.self)
        if name.hasPrefix("trap") {
          #expect(response.status == 422 && text == "the source cannot be decoded\n", "\(name): \(text)")
        } else {
          #expect(response.status == 200, "\(name): \(text)")
        }
      }
      // The traps are what failed.
      #expect((fixture.service.pipeline.diagnostics().isolation?.failureCount ?? 0) >= 2)
      #expect(await fixture.get("/health").status == 200)
    }
  }
#endif
