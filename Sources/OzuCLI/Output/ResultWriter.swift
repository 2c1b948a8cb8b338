import Ozu

/// How a loaded picture becomes a file: the one place where `ozu load` encodes and writes.
struct ResultWriter: Sendable {
  let target: OutputTarget
  let options: EncodingOptions
  let pipeline: ImagePipeline

  /// What was written.
  struct Written: Sendable {
    let path: String
    let byteCount: Int
    let duration: Duration
    /// How many frames the file has.
    let frameCount: Int
  }

  /// Writes the result of a source.
  ///
  /// - Throws: `ImageError` when it cannot be encoded, `OutputError` when it cannot be written.
  func write(_ response: ImageResponse, forSource index: Int) async throws -> Written {
    let start = ContinuousClock.now
    let picture = response.picture
    let type = target.type(for: picture)
    let data = try await pipeline.encode(picture, as: type, options: options)
    let result = OutputTarget.Result(data: data, type: type, size: picture.size)
    let path = try await BlockingWork.run { try target.write(result, forSource: index) }
    return Written(
      path: path, byteCount: data.count, duration: start.duration(to: .now), frameCount: 1)
  }

  /// What the request for a source must not take from the caches.
  func prepare(_ request: inout ImageRequest) {
    // What a cache has of a picture may be lossy, or made from something that is; and it would be of no use there.
    request.readLayers = .originals
    request.writeLayers = .originals
  }
}
