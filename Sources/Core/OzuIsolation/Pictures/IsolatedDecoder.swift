import OzuBase
import OzuCodecs
import OzuImaging

/// Reads one format in other processes: it sends a file and a recipe, and receives the finished picture. No decoder
/// and no colour management in this process touches the file.
///
/// An answer may come from a process that a hostile file has taken over. So it is copied before it is read, and
/// every value that memory depends on is checked: the header must be possible for the format and within the limits,
/// the size of the picture must be that of the recipe, and the number of pixels must match.
///
/// The memory of a render is known only after the header was read, which happens in the worker. So a share of the
/// budget is reserved that is enough for most pictures. A worker that needs more reports how much, and is asked
/// again after that was reserved.
struct IsolatedDecoder: LosslessTurning, JPEGStoring, MetadataRewriter {
  private let type: ImageType
  private let client: WorkerClient
  /// Decodes in this process if isolation is not possible and not required; also decides which files are accepted.
  private let inner: (any ImageDecoding)?

  init(_ type: ImageType, _ client: WorkerClient, inner: (any ImageDecoding)?) {
    self.type = type
    self.client = client
    self.inner = inner
  }

  /// The reservation before anything is known about a picture: enough for two megapixels.
  private static let firstAllowance = 16 << 20
  /// How many reservations one picture may try: a step may need more than the step before has said. The deadline and the
  /// processor time are those of each answer, so a worker that asked for one byte more each time would be asked for ever.
  private static let mostAllowances = 8

  var types: [ImageType] { [type] }

  func accepts(_ data: Data, as type: ImageType?) -> Bool {
    inner?.accepts(data, as: type) ?? (type == self.type)
  }

  func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
    try limits.checkEncodedByteCount(data.count)
    let body = WorkerClient.Body(data, type: type)
    do throws(ImageDecodingError) {
      let request = PictureRequest(.header, limits: limits)
      let header = try client.ask(request, body) { (answer, _) throws(ImageDecodingError) -> ImageHeader in
        guard case .header(let header) = answer else { throw body.wrongAnswer("no header") }
        return header
      }
      return try IsolatedFile(header, body, client, limits)
    } catch {
      return try localDecoder(after: error).open(data, limits: limits)
    }
  }

  func open(beginning data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> PartialFile {
    .notIncremental
  }

  func makePicture(
    from data: Data, resize: Resize?, context: DecodingContext
  ) throws(ImageDecodingError) -> Picture? {
    do throws(ImageDecodingError) {
      return try picture(WorkerClient.Body(data, type: type), resize, context)
    } catch {
      // The registry then calls `open`, which fails at once for the same reason.
      _ = try localDecoder(after: error)
      return nil
    }
  }

  func prepare() throws(ImageDecodingError) {}

  func turned(
    _ data: Data, from orientation: Orientation, limits: DecodingLimits
  ) throws(ImageDecodingError) -> Data {
    do throws(ImageDecodingError) {
      return try file(data, .turned(orientation), limits)
    } catch {
      guard let local = try localDecoder(after: error) as? any LosslessTurning else { throw error }
      return try local.turned(data, from: orientation, limits: limits)
    }
  }

  func transcoded(
    _ data: Data, _ way: JPEGTranscoding, limits: DecodingLimits
  ) throws(ImageDecodingError) -> Data {
    do throws(ImageDecodingError) {
      return try file(data, .transcoded(way, type), limits)
    } catch {
      guard let local = try localDecoder(after: error) as? any JPEGStoring else { throw error }
      return try local.transcoded(data, way, limits: limits)
    }
  }

  func rewritten(
    _ data: Data, _ task: MetadataRewriting, limits: DecodingLimits
  ) throws(ImageDecodingError) -> MetadataRewriting.Outcome {
    var request = PictureRequest(.rewritten(task), limits: limits)
    switch task {
    case .file:
      // A file of any length is cleaned, which takes a few copies of it.
      let copies = data.count.saturatingProduct(8)
      request.limits.decodedByteCount = max(limits.decodedByteCount, copies)
    case .blocks: try limits.checkEncodedByteCount(data.count)
    }
    let body = WorkerClient.Body(data, type: type)
    do throws(ImageDecodingError) {
      return try client.ask(request, body) {
        (answer, _) throws(ImageDecodingError) -> MetadataRewriting.Outcome in
        guard case .rewritten(var outcome) = answer else { throw body.wrongAnswer("no metadata") }
        if let flaw = outcome.flaw(of: task, for: type) { throw body.wrongAnswer(flaw) }
        outcome.blocks.resolution = outcome.blocks.resolution?.valid
        return outcome
      }
    } catch {
      var codecs = CodecRegistry()
      codecs.register(decoder: try localDecoder(after: error))
      return try codecs.rewritten(data, task, limits: limits)
    }
  }

  /// The file that a worker of this format makes of another.
  private func file(
    _ data: Data, _ task: PictureRequest.Task, _ limits: DecodingLimits
  ) throws(ImageDecodingError) -> Data {
    try limits.checkEncodedByteCount(data.count)
    let body = WorkerClient.Body(data, type: type)
    return try client.ask(PictureRequest(task, limits: limits), body) {
      (answer, _) throws(ImageDecodingError) in
      guard case .file(let file) = answer else { throw body.wrongAnswer("no file") }
      return file
    }
  }

  /// The decoder in this process, if a request failed because isolation is not possible.
  ///
  /// - Throws: the error of the request, if it has another reason or if isolation is required; `unsupportedType` if no decoder in
  ///   this process reads the format.
  private func localDecoder(after error: ImageDecodingError) throws(ImageDecodingError) -> any ImageDecoding {
    guard let reason = client.degradation(by: error) else { throw error }
    if let inner { return inner }
    throw .unsupportedType(type, reason: "it can be read only in isolation: \(reason)")
  }

  private func picture(
    _ body: WorkerClient.Body, _ resize: Resize?, _ context: DecodingContext
  ) throws(ImageDecodingError) -> Picture {
    let most = min(context.limits.decodedByteCount, context.budget.byteLimit)
    var allowance = min(Self.firstAllowance, most)
    context.begin(.decode)
    for _ in 0..<Self.mostAllowances {
      let reserved = try context.reserving(allowance)
      defer { withExtendedLifetime(reserved) {} }
      try context.checkCancellation()
      let start = ContinuousClock.now
      var request = PictureRequest(.picture(resize), context, allowance: allowance)
      // So a gain map for which the whole budget has no room is left out there, as it is in this process.
      if context.headroom != nil { request.limits.decodedByteCount = most }
      let result = try client.ask(request, body, context) {
        (answer, pixels) throws(ImageDecodingError) -> Result<Picture, Need> in
        switch answer {
        case .needs(let byteCount): return .failure(Need(byteCount: byteCount))
        case .picture(let header, let form, let notes, let resizeTime):
          // The worker may report any number as its time; it cannot have worked longer than it had the file.
          let time = min(resizeTime, ContinuousClock.now - start)
          if time > .zero { context.begin(.resize, ago: time) }
          return .success(try picture(header, form, notes, pixels, body, resize, context))
        default: throw body.wrongAnswer("no picture")
        }
      }
      switch result {
      case .success(let picture): return try animated(picture, body, resize, context)
      case .failure(let need):
        try context.limits.checkDecodedByteCount(need.byteCount)
        guard need.byteCount > allowance else {
          throw body.wrongAnswer("it asked for memory that it already may take")
        }
        // If it is more than the whole budget, `reserving` throws.
        allowance = need.byteCount
      }
    }
    throw body.wrongAnswer("it asked for more memory \(Self.mostAllowances) times")
  }

  private struct Need: Error {
    let byteCount: Int
  }

  /// The picture of an answer, checked and copied.
  private func picture(
    _ header: ImageHeader, _ form: BitmapForm, _ notes: [String], _ pixels: UnsafeRawBufferPointer,
    _ body: WorkerClient.Body, _ resize: Resize?, _ context: DecodingContext
  ) throws(ImageDecodingError) -> Picture {
    try body.check(header)
    try context.limits.checkDeclared(header)
    guard !header.storedSize.isEmpty else { throw body.wrongAnswer("a picture of \(header.storedSize)") }
    let plan = DecodePlan(drawingOf: header, resize: resize, scales: [8])
    let size = plan.orientation.applied(to: plan.outputSize)
    guard form.size == size else { throw body.wrongAnswer("a picture of \(form.size) instead of \(size)") }
    if form.format != .bgra8 {
      let isBright = context.headroom != nil && header.gainMap != nil && form.format == .rgba16
      guard isBright || form.format == plan.pixelFormat(of: header, context) else {
        throw body.wrongAnswer("pixels in \(form.format.rawValue)")
      }
    }
    let bitmap = try body.bitmap(form, pixels, context.pool)
    return Picture(bitmap, header: header, notes: notes, isIsolated: true)
  }

  /// The picture with its frames, if there are any.
  private func animated(
    _ picture: Picture, _ body: WorkerClient.Body, _ resize: Resize?, _ context: DecodingContext
  ) throws(ImageDecodingError) -> Picture {
    guard let header = picture.header, header.frameCount > 1, context.limits.frameCount > 1 else {
      return picture
    }
    let frames = IsolatedFrames(picture, body, client, resize, context)
    let track = try frames.askForTrack(context)
    guard let track else { return picture }
    let reader = frames.reader(track)
    let animation = PictureAnimation(
      finished: reader, size: picture.size, encodedByteCount: body.data.count,
      workingByteCount: track.workingByteCount, canvasPixelCount: header.storedSize.pixelCount,
      timeElsewhere: { [time = frames.time] in time.value }, context: context)
    guard let animation else { throw body.wrongAnswer("frames that make no animation") }
    return Picture(
      picture.bitmap, header: header, animation: animation, notes: picture.notes, isIsolated: true)
  }
}

/// A file whose header a worker has read. Pictures are made by `IsolatedDecoder.makePicture`; this is for the
/// header, the metadata blocks, and pixels as stored.
final class IsolatedFile: ImageFile {
  let header: ImageHeader
  private let body: WorkerClient.Body
  private let client: WorkerClient
  private let limits: DecodingLimits

  /// - Throws: `decoderFailed` for an impossible header.
  init(
    _ header: ImageHeader, _ body: WorkerClient.Body, _ client: WorkerClient, _ limits: DecodingLimits
  ) throws(ImageDecodingError) {
    try body.check(header)
    self.header = header
    self.body = body
    self.client = client
    self.limits = limits
  }

  func decode(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
    let request = PictureRequest(
      .pixels(plan.decodedSize), context, allowance: context.limits.decodedByteCount)
    return try client.ask(request, body, context) { (answer, pixels) throws(ImageDecodingError) in
      guard case .bitmap(let form) = answer, form.size == plan.decodedSize,
        form.format == .bgra8 || form.format == header.pixelFormat(under: context.pixelFormats)
      else { throw body.wrongAnswer("other pixels than were asked for") }
      return try body.bitmap(form, pixels, context.pool)
    }
  }

  func readMetadata() -> ImageMetadata {
    let request = PictureRequest(.metadata, limits: limits)
    do throws(ImageDecodingError) {
      return try client.ask(request, body) { (answer, _) throws(ImageDecodingError) in
        guard case .metadata(var metadata) = answer else { throw body.wrongAnswer("no metadata") }
        if let flaw = metadata.flaw { throw body.wrongAnswer(flaw) }
        metadata.resolution = metadata.resolution?.valid
        return metadata
      }
    } catch {
      return ImageMetadata(notes: ["\(error)"])
    }
  }
}

/// The frames of an animation, made by workers. Each is a finished picture.
struct IsolatedFrames {
  private let size: PixelSize
  private let body: WorkerClient.Body
  private let client: WorkerClient
  private let resize: Resize?
  private let trackRequest: PictureRequest
  /// The processor time of the frames so far.
  fileprivate let time = WorkerTime()

  init(
    _ picture: Picture, _ body: WorkerClient.Body, _ client: WorkerClient, _ resize: Resize?,
    _ context: DecodingContext
  ) {
    size = picture.size
    self.body = body
    self.client = client
    self.resize = resize
    // The player of the frames reserves the memory for each.
    trackRequest = PictureRequest(.track(resize), context, allowance: context.limits.decodedByteCount)
  }

  /// The delays and the loop count; `nil` if the worker has no frames to show.
  func askForTrack(_ context: DecodingContext) throws(ImageDecodingError) -> FrameTrack? {
    try client.ask(trackRequest, body, context) { (answer, _) throws(ImageDecodingError) in
      guard case .track(let track) = answer else { throw body.wrongAnswer("no frames") }
      guard let track else { return nil }
      if let flaw = track.flaw(trackRequest.limits) { throw body.wrongAnswer(flaw) }
      return track
    }
  }

  func reader(_ track: FrameTrack) -> any AnimationFrameReading {
    Reader(
      canvas: size, frames: track.delays.map { AnimationFrame(size: size, delay: $0) },
      loopCount: track.loopCount, source: self)
  }

  fileprivate func frame(_ index: Int, _ context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
    var request = trackRequest
    request.task = .frame(index, resize)
    return try client.ask(request, body, context, time: time) {
      (answer, pixels) throws(ImageDecodingError) in
      guard case .bitmap(let form) = answer, form.size == size, form.format == .bgra8 else {
        throw body.wrongAnswer("no frame of \(size)")
      }
      return try body.bitmap(form, pixels, context.pool)
    }
  }

  private struct Reader: AnimationFrameReading {
    let canvas: PixelSize
    let frames: [AnimationFrame]
    let loopCount: Int
    let source: IsolatedFrames

    func decodeFrame(at index: Int, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
      try source.frame(index, context)
    }
  }
}
