import OzuImaging

/// The frames of an animation, made by workers. Each is a finished picture.
struct IsolatedFrames {
  private let size: PixelSize
  private let body: WorkerClient.Body
  private let client: WorkerClient
  private let resize: Resize?
  private let trackRequest: PictureRequest

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
    return try client.ask(request, body, context) { (answer, pixels) throws(ImageDecodingError) in
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
