import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads one format in processes of its own: what goes there is a file and a recipe, what comes back is the finished
/// picture. Nothing else of a decoder, nor of colour management, sees the file in this process.
///
/// An answer is that of a process that the file may have taken over. So it is copied before it is looked at, and believed
/// in nothing that memory depends on: the header has to be one of the format and within the limits, the size of the picture
/// that of the recipe, the pixels as many as that is.
///
/// How much a render takes is known when the header has been read, which is there. So a share of the budget is reserved
/// that will do for most pictures; who needs more says how much, and is asked again when that has been reserved.
struct IsolatedDecoder: ImageDecoding {
  private let type: ImageType
  private let desk: DecoderDesk
  /// Decodes in this process where isolation cannot be had and need not; also says which files are taken.
  private let inner: (any ImageDecoding)?

  init(_ type: ImageType, _ desk: DecoderDesk, inner: (any ImageDecoding)?) {
    self.type = type
    self.desk = desk
    self.inner = inner
  }

  /// What is reserved before anything is known of a picture: what one of two megapixels takes.
  private static let firstAllowance = 16 << 20

  var types: [ImageType] { [type] }

  func accepts(_ data: Data, as type: ImageType?) -> Bool {
    inner?.accepts(data, as: type) ?? (type == self.type)
  }

  func open(_ data: Data, limits: DecodingLimits) throws(DecodingError) -> any ImageFile {
    try limits.checkEncodedByteCount(data.count)
    let body = DecoderDesk.Body(data, type: type)
    do throws(DecodingError) {
      let question = PictureQuestion(.header, limits: limits)
      let header = try desk.ask(question, body) { (answer, _) throws(DecodingError) -> ImageHeader in
        guard case .header(let header) = answer else { throw body.wrongAnswer("no header") }
        return header
      }
      return try IsolatedFile(header, body, desk)
    } catch {
      return try standIn(for: error).open(data, limits: limits)
    }
  }

  func open(beginning data: Data, limits: DecodingLimits) throws(DecodingError) -> PartialFile { .shownWhole }

  func makePicture(
    from data: Data, resize: Resize?, context: DecodingContext
  ) throws(DecodingError) -> Picture? {
    do throws(DecodingError) {
      return try picture(DecoderDesk.Body(data, type: type), resize, context)
    } catch {
      // The registry goes on with `open`, which finds out once more, and at once, that there is no worker.
      _ = try standIn(for: error)
      return nil
    }
  }

  func prepare() throws(DecodingError) {}

  /// Who decodes in this process instead, where isolation cannot be had.
  ///
  /// - Throws: the error, where it says something else or isolation must be had; `unsupportedType` where nobody else
  ///   decodes the format.
  private func standIn(for error: DecodingError) throws(DecodingError) -> any ImageDecoding {
    guard let reason = desk.degradation(by: error) else { throw error }
    if let inner { return inner }
    throw .unsupportedType(type, reason: "it is read in isolation only: \(reason)")
  }

  private func picture(
    _ body: DecoderDesk.Body, _ resize: Resize?, _ context: DecodingContext
  ) throws(DecodingError) -> Picture {
    let most = min(context.limits.decodedByteCount, context.budget.byteLimit)
    var allowance = min(Self.firstAllowance, most)
    context.begin(.decode)
    while true {
      let reserved = try context.reserving(allowance)
      defer { withExtendedLifetime(reserved) {} }
      try context.checkCancellation()
      let start = ContinuousClock.now
      let question = PictureQuestion(.picture(resize), context, allowance: allowance)
      let result = try desk.ask(question, body, context) {
        (answer, pixels) throws(DecodingError) -> Result<Picture, Need> in
        switch answer {
        case .needs(let byteCount): return .failure(Need(byteCount: byteCount))
        case .picture(let header, let form, let notes, let resizeTime):
          // Whatever a worker says, it was not at it for longer than it had the file.
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
        guard need.byteCount > allowance else { throw body.wrongAnswer("it needs less than it may take") }
        // More than the whole budget is refused by that.
        allowance = need.byteCount
      }
    }
  }

  private struct Need: Error {
    let byteCount: Int
  }

  /// The picture of an answer, checked and copied.
  private func picture(
    _ header: ImageHeader, _ form: BitmapForm, _ notes: [String], _ pixels: UnsafeRawBufferPointer,
    _ body: DecoderDesk.Body, _ resize: Resize?, _ context: DecodingContext
  ) throws(DecodingError) -> Picture {
    try body.check(header)
    try context.limits.check(header)
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

  /// The picture with its frames, if it has any.
  private func animated(
    _ picture: Picture, _ body: DecoderDesk.Body, _ resize: Resize?, _ context: DecodingContext
  ) throws(DecodingError) -> Picture {
    guard let header = picture.header, header.frameCount > 1, context.limits.frameCount > 1 else {
      return picture
    }
    let frames = IsolatedFrames(picture, body, desk, resize, context)
    let track = try frames.askForTrack(context)
    guard let track else { return picture }
    let reader = frames.reader(track)
    let animation = PictureAnimation(
      finished: reader, size: picture.size, encodedByteCount: body.data.count,
      workingByteCount: track.workingByteCount, context: context)
    guard let animation else { throw body.wrongAnswer("frames that make no animation") }
    return Picture(
      picture.bitmap, header: header, animation: animation, notes: picture.notes, isIsolated: true)
  }
}
