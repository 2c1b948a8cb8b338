import Foundation
import Ozu
import OzuDemonstration
import OzuHTTP

/// Loads photographs of its own from a server on loopback: cold, through a fresh pipeline, and from memory. Then checks
/// that each picture came from the expected place.
struct Demonstration {
  static let resize = Resize(PixelSize(320, 240), mode: .aspectFill)

  /// One load of all photographs.
  struct Pass: Sendable {
    let expected: ImageResponse.Source
    let responses: [ImageResponse]
    let duration: Duration
    let peakByteCount: Int?

    /// A message for each picture that came from another place or has another size than expected.
    var mistakes: [String] {
      responses.compactMap { response in
        if response.source != expected {
          return
            "\(response.request.source.name) came from \(response.source.rawValue), not \(expected.rawValue)"
        }
        if response.picture.size != resize.size {
          return "\(response.request.source.name) has \(response.picture.size) pixels, not \(resize.size)"
        }
        return nil
      }
    }
  }

  struct Result: Sendable {
    let photos: [DemoPhotos.Photo]
    let passes: [Pass]
    /// Bytes of the renditions on disk.
    let renditionByteCounts: [Int]
    let requestCount: Int
    /// The same thumbnails without reduced decoding: every photograph decoded whole, then resized.
    let fullDecode: (duration: Duration, peakByteCount: Int?)

    var mistakes: [String] {
      let extra = requestCount == photos.count ? [] : ["the server got \(requestCount) requests"]
      return passes.flatMap(\.mistakes) + extra
    }
  }

  let photos: [DemoPhotos.Photo]
  let server: LoopbackServer
  let folder: URL

  init() throws {
    photos = try DemoPhotos.load()
    server = try LoopbackServer()
    folder = FileManager.default.temporaryDirectory.appending(path: "ozu-demo-\(UUID().uuidString)")
    for photo in photos {
      server.route("/\(photo.name)", .ok(photo.data, type: photo.mediaType))
    }
  }

  func run() async throws -> Result {
    defer {
      server.stop()
      try? FileManager.default.removeItem(at: folder)
    }
    let network = try await coldPass()
    let warm = pipeline()
    let disk = try await pass(through: warm, expecting: .rendition)
    let memory = try await pass(through: warm, expecting: .memory)
    return Result(
      photos: photos, passes: [network, disk, memory],
      renditionByteCounts: disk.responses.map(\.encodedByteCount), requestCount: server.requestCount,
      fullDecode: try await decodeWhole())
  }

  private func pipeline() -> ImagePipeline {
    let folder = folder
    // The server is on this machine, where a proxy of the environment does not find it.
    var settings = HTTPClientConfiguration()
    settings.proxy = .none
    let client = DefaultHTTPClient(configuration: settings)
    return ImagePipeline {
      $0.caching.diskStorage = .folder(folder, capacity: 64 << 20)
      $0.network.httpClient = client
    }
  }

  /// Ends its pipeline before it returns, so that the next pipeline can find the pictures only on disk.
  private func coldPass() async throws -> Pass {
    let pipeline = pipeline()
    let pass = try await pass(through: pipeline, expecting: .network)
    await pipeline.end()
    return pass
  }

  private func pass(through pipeline: ImagePipeline, expecting source: ImageResponse.Source) async throws
    -> Pass
  {
    let requests = photos.map { ImageRequest(url: server.url("/\($0.name)"), resize: Self.resize) }
    let start = ContinuousClock.now
    let (responses, peak) = try await PeakMemory.measure {
      try await withThrowingTaskGroup(of: (Int, ImageResponse).self) { group in
        for (index, request) in requests.enumerated() {
          group.addTask { (index, try await pipeline.response(for: request)) }
        }
        var responses: [(Int, ImageResponse)] = []
        for try await response in group { responses.append(response) }
        return responses.sorted { $0.0 < $1.0 }.map(\.1)
      }
    }
    return Pass(
      expected: source, responses: responses, duration: start.duration(to: .now), peakByteCount: peak)
  }

  private func decodeWhole() async throws -> (duration: Duration, peakByteCount: Int?) {
    let codecs = ImagePipeline.Configuration().decoding.codecs
    let photos = photos
    PixelBufferPool.shared.releaseIdle()
    let start = ContinuousClock.now
    let (_, peak) = try await PeakMemory.measure {
      try await BlockingWork.run {
        // A pool that keeps nothing, as in a program that allocates each picture afresh.
        let pool = PixelBufferPool(retainedByteLimit: 0)
        for photo in photos {
          let whole = try codecs.picture(from: photo.data, context: DecodingContext(pool: pool))
          _ = whole.resized(Self.resize, pool: pool)
        }
      }
    }
    return (start.duration(to: .now), peak)
  }
}

/// The photographs that come with the program, in the folder SwiftPM puts beside it.
enum DemoPhotos {
  struct Photo: Sendable {
    let name: String
    let data: Data

    var mediaType: String { name.hasSuffix(".png") ? "image/png" : "image/jpeg" }
  }

  struct Missing: Error, CustomStringConvertible {
    let folders: [String]

    var description: String {
      "the photographs of the demo are not beside the program; looked in "
        + folders.joined(separator: " and ")
    }
  }

  /// All photographs, by name.
  ///
  /// Not through `Bundle.module`: that ends the process when the folder is missing.
  static func load() throws -> [Photo] {
    let places = [
      Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent(), Bundle.main.bundleURL,
    ]
    let folders = places.compactMap { $0?.appending(path: "Ozu_OzuCLI.resources").appending(path: "Photos") }
    for folder in folders {
      let files =
        (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
      let photos = files.filter { ["jpg", "png"].contains($0.pathExtension) }
      guard !photos.isEmpty else { continue }
      return try photos.sorted { $0.lastPathComponent < $1.lastPathComponent }.map {
        Photo(name: $0.lastPathComponent, data: try Data(contentsOf: $0))
      }
    }
    throw Missing(folders: folders.map { $0.path(percentEncoded: false) })
  }
}
