import Foundation

extension ImagePipeline {
  /// The encoded bytes of a source, from the disk cache or the source itself. Any recipe of the request is
  /// left aside; the bytes are not checked to be a picture.
  ///
  /// - Throws: `ImageError`; also when a fetcher brings pixels instead of bytes.
  public func data(for request: ImageRequest) async throws(ImageError) -> Data {
    try await data(for: request, priority: .fixed(request.priority), onProgress: nil)
  }

  /// The same by the pipeline itself: what interceptors surround.
  func ownData(
    for request: ImageRequest, priority: LivePriority, onProgress: (@Sendable (LoadProgress) -> Void)?
  ) async throws(ImageError) -> Data {
    let request = request.keyed(by: parts.configuration.cacheKeyRules)
    let fetched = try await parts.fetch(request, priority: priority, onProgress: onProgress)
    guard case .data(let data) = fetched.content else { throw .emptyData(request.source.name) }
    await storeIfPicture(fetched, for: request)
    return data
  }

  /// The encoded bytes of a URL.
  ///
  /// - Throws: `ImageError`.
  public func data(for url: URL) async throws(ImageError) -> Data {
    try await data(for: ImageRequest(url: url))
  }

  /// What a source says of its picture in its header. No pixel is decoded, and the limits on pixels are left
  /// aside: also a picture that is too large to load has a header.
  ///
  /// - Throws: `ImageError`.
  public func header(for request: ImageRequest) async throws(ImageError) -> ImageHeader {
    let data = try await data(for: request)
    let configuration = parts.configuration
    let outcome = await parts.decodeQueue.run(priority: request.priority) { _ in
      Result { () throws(DecodingError) in
        try configuration.codecs.header(of: data, limits: configuration.limits)
      }
    }
    switch outcome {
    case .success(let header): return header
    case .failure(let error): throw ImageError(error, source: request.source.name)
    }
  }

  /// Encodes a picture, on the pipeline's decoding threads.
  ///
  /// - Throws: `EncodingError`.
  public func encode(
    _ picture: Picture, as type: ImageType, options: EncodingOptions = EncodingOptions()
  ) async throws(EncodingError) -> Data {
    let codecs = parts.configuration.codecs
    let outcome = await parts.decodeQueue.run(priority: .normal) { _ in
      Result { () throws(EncodingError) in
        try codecs.encode(picture, as: type, options: options)
      }
    }
    return try outcome.get()
  }

  /// Keeps the bytes as an original if they begin as a picture does; what else a server sends is not ours to
  /// keep.
  func storeIfPicture(_ fetched: FetchedData, for request: ImageRequest) async {
    guard request.writesOriginals, let original = fetched.claimOriginal() else { return }
    await parts.backlog.add(byteCount: original.byteCount) { [parts] in
      let configuration = parts.configuration
      guard case .data(let data) = fetched.content,
        (try? configuration.codecs.header(of: data, limits: configuration.limits)) != nil
      else { return }
      parts.caches.store(original, for: request)
    }
  }
}
