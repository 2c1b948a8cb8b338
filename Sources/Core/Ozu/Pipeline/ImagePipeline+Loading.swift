import Dispatch
import OzuBase
import OzuCodecs

extension ImagePipeline {
  /// Loads a request and calls back, for code that does not await.
  ///
  /// ```swift
  /// pipeline.loadImage(for: request) { result in
  ///   if case .success(let response) = result { show(response.picture) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - queue: where the closures are called; the main queue by default.
  ///   - progress: called as bytes arrive.
  ///   - preview: called when a part of the picture can be shown.
  ///   - completion: called once, after the last progress; also when the task is cancelled, with `ImageError.cancelled`.
  ///     For a caller on the same serial queue it is never called before this function has returned.
  /// - Returns: the task, to cancel it or to change its priority. It need not be kept.
  @discardableResult
  public func loadImage(
    for request: ImageRequest, queue: DispatchQueue = .main,
    progress: (@Sendable (LoadProgress) -> Void)? = nil,
    preview: (@Sendable (ImageResponse) -> Void)? = nil,
    completion: @escaping @Sendable (Result<ImageResponse, ImageError>) -> Void
  ) -> ImageTask {
    guard progress != nil || preview != nil else {
      return loadImage(for: request, queue: queue, reporting: nil, completion: completion)
    }
    return loadImage(
      for: request, queue: queue,
      reporting: { received, part in
        if let part {
          preview?(part)
        } else if let received {
          progress?(received)
        }
      },
      completion: completion)
  }

  /// Loads a URL at its own size and calls back.
  @discardableResult
  public func loadImage(
    for url: URL, queue: DispatchQueue = .main,
    progress: (@Sendable (LoadProgress) -> Void)? = nil,
    preview: (@Sendable (ImageResponse) -> Void)? = nil,
    completion: @escaping @Sendable (Result<ImageResponse, ImageError>) -> Void
  ) -> ImageTask {
    loadImage(
      for: ImageRequest(url: url), queue: queue, progress: progress, preview: preview, completion: completion)
  }

  /// Loads a request and calls back.
  ///
  /// - Parameter progress: called with the progress so far, and with a preview when there is one.
  package func loadImage(
    for request: ImageRequest, queue: DispatchQueue,
    reporting progress: (@Sendable (_ progress: LoadProgress?, _ preview: ImageResponse?) -> Void)?,
    completion: @escaping @Sendable (Result<ImageResponse, ImageError>) -> Void
  ) -> ImageTask {
    task(
      for: request,
      subscriber: AnswerSubscriber(wantsProgress: progress != nil) { event in
        switch event {
        case .progress(let received): if let progress { queue.async { progress(received, nil) } }
        case .preview(let part, let received): if let progress { queue.async { progress(received, part) } }
        case .size: break
        case .finished(let result): queue.async { completion(result) }
        }
      })
  }

  /// Loads the bytes of a request and calls back.
  ///
  /// - Parameters:
  ///   - queue: where both closures are called; the main queue by default.
  ///   - progress: called as bytes arrive.
  ///   - completion: called once, asynchronously, and after the last progress; also when the task is cancelled.
  /// - Returns: the task, to cancel it or to change its priority. It need not be kept.
  @discardableResult
  public func loadData(
    for request: ImageRequest, queue: DispatchQueue = .main,
    progress: (@Sendable (LoadProgress) -> Void)? = nil,
    completion: @escaping @Sendable (Result<Data, ImageError>) -> Void
  ) -> ImageDataTask {
    let task = ImageDataTask(
      request, pipeline: self,
      subscriber: AnswerSubscriber(wantsProgress: progress != nil) { event in
        switch event {
        case .progress(let received): if let progress { queue.async { progress(received) } }
        case .finished(let result): queue.async { completion(result) }
        case .size, .preview: break
        }
      })
    task.run()
    return task
  }

  /// Loads the bytes of a URL and calls back.
  @discardableResult
  public func loadData(
    for url: URL, queue: DispatchQueue = .main,
    progress: (@Sendable (LoadProgress) -> Void)? = nil,
    completion: @escaping @Sendable (Result<Data, ImageError>) -> Void
  ) -> ImageDataTask {
    loadData(for: ImageRequest(url: url), queue: queue, progress: progress, completion: completion)
  }
}

extension ImagePipeline {
  /// The encoded bytes of a source, from the disk cache or the source itself. The recipe of the request is ignored; its
  /// alternatives and its deadline count. The bytes are not checked to be a picture.
  ///
  /// - Throws: `ImageError`; also if a fetcher returns pixels instead of bytes.
  public func data(for request: ImageRequest) async throws(ImageError) -> Data {
    try await value(of: ImageDataTask(request, pipeline: self), request)
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
  /// TIFF with its directory at the end needs one more range, usually of 32 KB, and a JPEG one of 16 KB for each picture
  /// behind it that its index names, such as a gain map. If the origin has a strong validator,
  /// these bytes are kept, and a later load asks for the rest. The whole file is loaded if it states facts after its
  /// pixels (the number of frames of GIF, JPEG XL and animated PNG and WebP; WebP with EXIF; HEIC with its boxes at
  /// the end; AVIF and HEIC with a gain map; an icon whose largest picture is behind others), and is then stored like every
  /// original. It is also loaded if
  /// `decoding.dataTransformation` or interceptors are set. The alternatives of the request and its deadline count: the first source
  /// that is a picture answers, but with interceptors, which see bytes, the first that has any. Notes about
  /// things behind a JPEG that no index names, such as the video of a motion photo, are only in the header of a whole file, and
  /// so are EXIF data behind the pixels of a PNG, where few programs write them: without these it has no orientation.
  ///
  /// - Throws: `ImageError`.
  public func header(for request: ImageRequest) async throws(ImageError) -> ImageHeader {
    guard hasInterceptors else {
      let fetched = try await value(of: SourceTask(request, .header, pipeline: self), request)
      guard let header = fetched.header else { throw .emptyData(request.source.name) }
      return header
    }
    let data = try await data(for: request)
    return try await decoding(for: request) { (decoding) throws(ImageDecodingError) in
      try decoding.codecs.header(of: data, limits: decoding.limits)
    }
  }

  /// The header of a URL.
  ///
  /// - Throws: `ImageError`.
  public func header(for url: URL) async throws(ImageError) -> ImageHeader {
    try await header(for: ImageRequest(url: url))
  }

  /// The metadata of a source: its blocks, and their content as values. No pixel is decoded.
  ///
  /// The whole file is loaded, because metadata may be anywhere in it. The alternatives of the request and its deadline count as
  /// for `header(for:)`.
  ///
  /// - Throws: `ImageError`.
  public func metadata(for request: ImageRequest) async throws(ImageError) -> ImageMetadata {
    let data: Data
    if hasInterceptors {
      data = try await self.data(for: request)
    } else {
      let fetched = try await value(of: SourceTask(request, .metadata, pipeline: self), request)
      guard case .data(let file) = fetched.content else { throw .emptyData(request.source.name) }
      data = file
    }
    return try await decoding(for: request) { (decoding) throws(ImageDecodingError) in
      try decoding.codecs.metadata(of: data, limits: decoding.limits)
    }
  }

  /// The metadata of a URL.
  ///
  /// - Throws: `ImageError`.
  public func metadata(for url: URL) async throws(ImageError) -> ImageMetadata {
    try await metadata(for: ImageRequest(url: url))
  }

  /// Reads something from bytes, on the decoding threads.
  private func decoding<Value: Sendable>(
    for request: ImageRequest,
    _ body: @escaping @Sendable (Configuration.Decoding) throws(ImageDecodingError) -> Value
  ) async throws(ImageError) -> Value {
    let outcome = await context.runner.run(on: .decode, priority: request.priority) { [configuration] in
      Result { () throws(ImageDecodingError) in try body(configuration.decoding) }
    }
    return try outcome.mapError { ImageError($0, source: request.source.name) }.get()
  }

  /// Encodes a picture, on the pipeline's decoding threads.
  ///
  /// - Throws: `ImageEncodingError`.
  public func encode(
    _ picture: Picture, as type: ImageType, options: EncodingOptions = EncodingOptions()
  ) async throws(ImageEncodingError) -> Data {
    let codecs = configuration.decoding.codecs
    let outcome = await context.runner.run(on: .decode, priority: .normal) {
      Result { () throws(ImageEncodingError) in
        try codecs.encode(picture, as: type, options: options)
      }
    }
    return try outcome.get()
  }

  /// The options for a picture that no request makes, such as a frame of an animation: with the metadata of its file that the
  /// format keeps, since `encode` takes no policy.
  ///
  /// - Parameter file: the file that the picture was taken from; `nil` if nothing of it is kept.
  package func encodingOptions(
    for bitmap: Bitmap, of file: Data?, as format: OutputFormat
  ) async -> EncodingOptions {
    let decoding = configuration.decoding
    return await context.runner.run(on: .decode, priority: .normal) {
      var options = format.options
      var notes: [String] = []
      options.metadata = decoding.codecs.keptMetadata(
        of: file, policy: format.metadata, size: bitmap.size, colorSpace: bitmap.colorSpace,
        resolution: format.resolution, limits: decoding.limits, notes: &notes)
      return options
    }
  }

  /// A file without the metadata that should not be passed on, and with the same coded pixels (`CleanedFile`): made in a process
  /// of its own if the isolation of the pipeline includes its format.
  ///
  /// - Parameters:
  ///   - file: the whole file.
  ///   - kept: the metadata that stay; orientation and profile by default.
  /// - Throws: the errors of `CleanedFile.init(_:keeping:)`, and `decoderFailed`.
  public func cleaned(
    _ file: Data, keeping kept: KeptMetadata = .appearance
  ) async throws(ImageDecodingError) -> CleanedFile {
    let decoding = configuration.decoding
    let outcome = await context.runner.run(on: .decode, priority: .normal) {
      Result { () throws(ImageDecodingError) in
        try CleanedFile(file, keeping: kept, by: decoding.codecs, limits: decoding.limits)
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

extension ImagePipeline {
  /// The encoded image of a request: from memory, else from the disk cache, else encoded once for all requests that
  /// want it.
  ///
  /// ```swift
  /// let request = ImageRequest(url: url).resized(to: PixelSize(width: 640, height: 480))
  /// let file = try await pipeline.encoded(for: request, as: .webp)
  /// try file.data.write(to: destination)
  /// ```
  ///
  /// The bytes are the same in every state of the caches: they are made from the original, never from a rendition,
  /// which may have losses. The file is as fresh as its source and is stored under `ImageStoreKind.encoded`. In the
  /// cache layers of the request, `memory` and `renditions` mean the file, and `originals` its source.
  ///
  /// - Throws: `ImageError`; `encodingFailed` if the picture cannot be written in this format. Cancelling the calling
  ///   task cancels the work, unless other requests want it too.
  public func encoded(
    for request: ImageRequest, as format: OutputFormat
  ) async throws(ImageError) -> EncodedImage {
    if !hasObserversOrInterceptors, let image = servableEncoded(EncodingGoal(keyed(request), format)) {
      context.events.counters.encodedAnswers.increment()
      return image
    }
    return try await value(of: EncodingTask(request, as: format, pipeline: self), request)
  }

  /// The encoded image of a URL, at the picture's own size.
  ///
  /// - Throws: `ImageError`.
  public func encoded(for url: URL, as format: OutputFormat) async throws(ImageError) -> EncodedImage {
    try await encoded(for: ImageRequest(url: url), as: format)
  }

  /// The encoded image of a request if memory has it: synchronous, without waiting. Stale files are returned too, as
  /// by `cachedImage(for:)`; `encoded(for:as:)` revalidates them.
  public func cachedEncoded(for request: ImageRequest, as format: OutputFormat) -> EncodedImage? {
    encodedInMemory(EncodingGoal(current(request), format))
  }

  /// The encoded image of a URL, at the picture's own size, if memory has it.
  public func cachedEncoded(for url: URL, as format: OutputFormat) -> EncodedImage? {
    cachedEncoded(for: ImageRequest(url: url), as: format)
  }

  func encodedInMemory(_ goal: EncodingGoal) -> EncodedImage? {
    guard goal.readsMemory, let entry = caches.encodedInMemory(goal.key, of: goal.request) else { return nil }
    let (validity, date) = (entry.record.rendition.validity, configuration.testing.currentDate())
    let now = context.instant
    return EncodedImage(
      EncodedAnswer(
        entry: entry, source: goal.request.mayServe(validity, at: date) ? .memory : .stale,
        timings: StageTimings(), verdict: ImageResponse.Verdict(validity, now: date), end: now),
      since: now, isCoalesced: false)
  }

  /// The encoded image in memory, if it may be served without asking the origin.
  func servableEncoded(_ goal: EncodingGoal) -> EncodedImage? {
    guard let image = encodedInMemory(goal),
      image.source == .memory || goal.request.cachePolicy == .cacheOnly
    else { return nil }
    return image
  }
}

/// Functions of a pipeline for the image service.
extension ImagePipeline {
  /// A request for a file with its computed key; for repeated requests for the same file.
  package struct FileRequest: Sendable {
    fileprivate let goal: EncodingGoal

    /// The key under which the file is stored, the same on every machine. Machines use it to agree which one makes the file.
    package var storeKey: ImageStoreKey { ImageStoreKey(.encoded, goal.key) }
  }

  /// The request for the file of an image. It can be kept: if it is out of date, `cachedEncoded` finds nothing.
  package func fileRequest(for request: ImageRequest, as format: OutputFormat) -> FileRequest {
    FileRequest(goal: EncodingGoal(keyed(request), format))
  }

  /// The same as `cachedEncoded(for:as:)`, without computing the key.
  package func cachedEncoded(_ request: FileRequest) -> EncodedImage? { encodedInMemory(request.goal) }

  /// A source, from the disk cache or the source itself, not checked to be a picture. The recipe of the request is ignored.
  ///
  /// - Parameter mayBeNoPicture: whether they are wanted also if they are known not to decode.
  package func original(
    of request: ImageRequest, mayBeNoPicture: Bool = false
  ) async throws(ImageError) -> FetchedOriginal {
    try request.validate()
    let task = SourceTask(request, mayBeNoPicture ? .any : .original, pipeline: self)
    return FetchedOriginal(fetched: try await value(of: task, request))
  }

  /// The encoded image of a request, as by `encoded(for:as:)`, from a source that was fetched for it.
  package func encoded(
    for request: ImageRequest, as format: OutputFormat, from original: FetchedOriginal
  ) async throws(ImageError) -> EncodedImage {
    // With alternatives it may be another source than that of the key.
    let fetched = request.hasAlternatives ? nil : original.fetched
    let task = EncodingTask(request, as: format, pipeline: self, fetched: fetched)
    return try await value(of: task, request)
  }

  /// Returns when all files made so far have been written to every store, or after 10 seconds.
  package func storesSettled() async {
    await context.backlog.drain()
    await caches.stores.flushFurther(sleep: configuration.testing.sleep)
  }
}

/// Refusals that the image service has remembered.
extension ImagePipeline {
  /// Remembers that a source was fetched and then refused for what is demanded of it, as long as other lasting failures: 10 seconds
  /// at first, 5 minutes at most. Does nothing while it is remembered already, for this demand or for all.
  ///
  /// - Parameter demand: tells demands that another source might meet apart: the recipe, and limits of the caller.
  package func noteRefusal(_ error: ImageError, of request: ImageRequest, for demand: String) {
    let (request, now) = (keyed(request), configuration.testing.currentDate())
    guard context.failures.failure(of: request, now: now) == nil,
      context.failures.failure(of: request, for: demand, now: now) == nil
    else { return }
    context.failures.note(error, of: request, for: demand, freshUntil: nil, now: now)
  }

  /// The remembered refusal of a source; `nil` if there is none.
  ///
  /// - Parameter demand: computed only if anything is remembered.
  package func refusal(of request: ImageRequest, for demand: @autoclosure () -> String) -> ImageError? {
    guard !context.failures.isEmpty else { return nil }
    return context.failures.failure(
      of: keyed(request), for: demand(), now: configuration.testing.currentDate())
  }

  /// Forgets the remembered failures and refusals of all sources, because other ones may be asked now, or with other credentials.
  package func forgetFailures() { context.failures.forgetAll() }
}
