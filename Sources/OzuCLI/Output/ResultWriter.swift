import Ozu

/// How a source becomes a file: the one place where commands have results encoded and written.
struct ResultWriter: Sendable {
  let target: OutputTarget
  let pipeline: ImagePipeline

  /// A file that was written.
  struct Written: Sendable {
    let path: String
    let image: EncodedImage
    let duration: Duration
  }

  /// Has a result encoded, or found, and writes it.
  ///
  /// - Throws: `ImageError` when it cannot be made, `OutputError` when it cannot be written.
  func write(_ request: ImageRequest, as format: OutputFormat, forSource index: Int) async throws -> Written {
    try await write(try await pipeline.encoded(for: request, as: format), forSource: index)
  }

  /// Writes what is encoded.
  ///
  /// - Parameter part: which of the results of the source it is.
  func write(_ image: EncodedImage, forSource index: Int, part: Int = 0) async throws -> Written {
    let start = ContinuousClock.now
    let result = OutputTarget.Result(data: image.data, type: image.type, size: image.size, part: part)
    let path = try await BlockingWork.run { [target] in try target.write(result, forSource: index) }
    return Written(path: path, image: image, duration: start.duration(to: .now))
  }
}
