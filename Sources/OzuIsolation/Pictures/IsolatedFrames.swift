import OzuImaging

/// The frames of an animation, made by workers. Each is a finished picture.
struct IsolatedFrames {
  private let size: PixelSize
  private let body: DecoderDesk.Body
  private let desk: DecoderDesk
  private let resize: Resize?
  private let surroundings: PictureQuestion

  init(
    _ picture: Picture, _ body: DecoderDesk.Body, _ desk: DecoderDesk, _ resize: Resize?,
    _ context: DecodingContext
  ) {
    size = picture.size
    self.body = body
    self.desk = desk
    self.resize = resize
    // The player of the frames reserves the memory for each.
    surroundings = PictureQuestion(.track(resize), context, allowance: context.limits.decodedByteCount)
  }

  /// The delays and the loop count; `nil` if the worker has no frames to show.
  func askForTrack(_ context: DecodingContext) throws(DecodingError) -> FrameTrack? {
    try desk.ask(surroundings, body, context) { (answer, _) throws(DecodingError) in
      guard case .track(let track) = answer else { throw body.wrongAnswer("no frames") }
      guard let track else { return nil }
      guard 2...max(2, surroundings.limits.frameCount) ~= track.delays.count, track.loopCount >= 0,
        track.workingByteCount >= 0
      else { throw body.wrongAnswer("\(track.delays.count) frames") }
      return track
    }
  }

  func reader(_ track: FrameTrack) -> any AnimationFrameReading {
    Reader(
      canvas: size, frames: track.delays.map { AnimationFrame(size: size, delay: $0) },
      loopCount: track.loopCount, source: self)
  }

  fileprivate func frame(_ index: Int, _ context: DecodingContext) throws(DecodingError) -> Bitmap {
    var question = surroundings
    question.task = .frame(index, resize)
    return try desk.ask(question, body, context) { (answer, pixels) throws(DecodingError) in
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

    func decodeFrame(at index: Int, context: DecodingContext) throws(DecodingError) -> Bitmap {
      try source.frame(index, context)
    }
  }
}
