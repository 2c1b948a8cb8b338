import Foundation

extension ImagePipeline {
  /// The encoded bytes of a source, from the disk cache or the source itself. The recipe of the request is ignored.
  /// The bytes are not checked to be a picture.
  ///
  /// - Throws: `ImageError`; also if a fetcher returns pixels instead of bytes.
  public func data(for request: ImageRequest) async throws(ImageError) -> Data {
    try await value(of: ImageDataTask(request, pipeline: self), request)
  }

  /// The job for the bytes of a source, or for its header alone, when it is over. They are stored if they are a picture.
  ///
  /// - Parameter request: under the pipeline's key rules.
  func bytes(
    for request: ImageRequest, priority: ImagePriority, isForHeader: Bool = false
  ) async throws(ImageError) -> LoadBytes {
    let awaiter = JobAwaiter(context.runner, priority)
    let epoch = context.epochs.epoch(of: request)
    let work = await awaiter.work(of: nil) {
      let own = context.epochs.beginJob(for: request, askedIn: epoch)
      return JobStart(LoadBytes(request, context, own, isForHeader: isForHeader))
    }
    guard let bytes = work as? LoadBytes else { throw awaiter.failure(request.source.name) }
    return bytes
  }

  /// The encoded bytes of a URL.
  ///
  /// - Throws: `ImageError`.
  public func data(for url: URL) async throws(ImageError) -> Data {
    try await data(for: ImageRequest(url: url))
  }

  /// The header of a source. No pixel is decoded, and the limits on pixels are not checked: a picture that is too
  /// large to load has a header too.
  ///
  /// If no cache has a picture from the web, only its beginning is loaded: 64 KB, or 192 KB if that is not enough. A
  /// TIFF with its directory at the end needs one more range, usually of 32 KB. If the origin has a strong validator,
  /// these bytes are kept, and a later load asks for the rest. The whole file is loaded if it states facts after its
  /// pixels (the number of frames of GIF, JPEG XL and animated PNG and WebP; WebP with EXIF; HEIC with its boxes at
  /// the end), and is then stored like every original. It is also loaded if `decoding.dataTransformation` or interceptors are
  /// set.
  ///
  /// - Throws: `ImageError`.
  public func header(for request: ImageRequest) async throws(ImageError) -> ImageHeader {
    let data: Data
    if hasInterceptors {
      data = try await self.data(for: request)
    } else {
      try configuration.check(request.source)
      let keyed = request.keyed(by: configuration.caching.cacheKeyRules)
      let bytes = try await bytes(for: keyed, priority: request.priority, isForHeader: true)
      if let header = bytes.header { return header }
      guard case .data(let whole) = try bytes.outcome.get().content else {
        throw .emptyData(request.source.name)
      }
      data = whole
    }
    return try await decoding(for: request) { (decoding) throws(DecodingError) in
      try decoding.codecs.header(of: data, limits: decoding.limits)
    }
  }

  /// The metadata of a source: its blocks, and their content as values. No pixel is decoded.
  ///
  /// The whole file is loaded, because metadata may be anywhere in it.
  ///
  /// - Throws: `ImageError`.
  public func metadata(for request: ImageRequest) async throws(ImageError) -> ImageMetadata {
    let data = try await data(for: request)
    return try await decoding(for: request) { (decoding) throws(DecodingError) in
      try decoding.codecs.metadata(of: data, limits: decoding.limits)
    }
  }

  /// Reads something from bytes, on the decoding threads.
  private func decoding<Value: Sendable>(
    for request: ImageRequest,
    _ body: @escaping @Sendable (Configuration.Decoding) throws(DecodingError) -> Value
  ) async throws(ImageError) -> Value {
    let outcome = await context.runner.run(on: .decode, priority: request.priority) { [configuration] in
      Result { () throws(DecodingError) in try body(configuration.decoding) }
    }
    return try outcome.mapError { ImageError($0, source: request.source.name) }.get()
  }

  /// Encodes a picture, on the pipeline's decoding threads.
  ///
  /// - Throws: `EncodingError`.
  public func encode(
    _ picture: Picture, as type: ImageType, options: EncodingOptions = EncodingOptions()
  ) async throws(EncodingError) -> Data {
    let codecs = configuration.decoding.codecs
    let outcome = await context.runner.run(on: .decode, priority: .normal) {
      Result { () throws(EncodingError) in
        try codecs.encode(picture, as: type, options: options)
      }
    }
    return try outcome.get()
  }

  /// A cleaned file with its picture stored upright, without loss (`CleanedFile.turnedUpright(by:limits:)`), by the codecs and
  /// within the limits of the pipeline: in a process of its own if its isolation includes JPEG.
  ///
  /// - Returns: the file; as it is, with a note that says why, if it cannot be turned in this way.
  public func turnedUpright(_ file: CleanedFile) async -> CleanedFile {
    let decoding = configuration.decoding
    return await context.runner.run(on: .decode, priority: .normal) {
      file.turnedUpright(by: decoding.codecs, limits: decoding.limits)
    }
  }
}
