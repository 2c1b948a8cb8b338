import Ozu

/// Encodes and writes the results of commands.
struct ResultWriter: Sendable {
  static let onlySmallerOption = OptionSpecification(
    name: "only-smaller",
    help: "Write no result that has as many bytes as its source or more; the report says so.")

  let target: OutputTarget
  let pipeline: ImagePipeline
  /// Whether a result that has no fewer bytes than its source is left out.
  var writesOnlySmaller = false

  struct Written: Sendable {
    let path: String
    let image: EncodedImage
    let duration: Duration
    /// Whether it was left out, because it has no fewer bytes than its source.
    var isLeftOut = false
  }

  /// Encodes a result, or finds it in the cache, and writes it.
  ///
  /// - Throws: `ImageError` when it cannot be made, `OutputError` when it cannot be written.
  func write(_ request: ImageRequest, as format: OutputFormat, forSource index: Int) async throws -> Written {
    let image = try await pipeline.encoded(for: request, as: format)
    if case .sources = target.destination, image.isFirstFrameOnly, format.keepsAnimation {
      throw OutputError(
        reason:
          "only its first frame could be written in its format; -o names another place, --still takes it alone"
      )
    }
    return try await write(image, of: request, forSource: index)
  }

  /// Writes an encoded image.
  ///
  /// - Parameters:
  ///   - request: the request for its picture.
  ///   - part: the number of the result among those of its source.
  func write(
    _ image: EncodedImage, of request: ImageRequest, forSource index: Int, part: Int = 0
  ) async throws -> Written {
    let start = ContinuousClock.now
    let metadata = try await metadata(of: image, request)
    let result = OutputTarget.Result(
      data: image.data, type: image.type, size: image.size, metadata: metadata, part: part)
    if writesOnlySmaller, image.data.count >= image.sourceByteCount {
      return Written(
        path: target.path(of: result, forSource: index), image: image, duration: .zero, isLeftOut: true)
    }
    let path = try await BlockingWork.run { [target] in try target.write(result, forSource: index) }
    return Written(path: path, image: image, duration: start.duration(to: .now))
  }

  /// What the camera wrote into the source, for names that have it. Caches do not store it with a picture, so the source is asked:
  /// a second run must give the same names.
  private func metadata(
    of image: EncodedImage, _ request: ImageRequest
  ) async throws(ImageError) -> PictureMetadata? {
    if let known = image.header?.metadata { return known }
    guard case .template(let template, _) = target.destination, template.has(.date) || template.has(.camera),
      image.source != .network, image.source != .original
    else { return nil }
    return try await pipeline.header(for: request).metadata
  }
}
