import OzuImaging

extension LibraryFile {
  func frames(limits: DecodingLimits) throws(ImageDecodingError) -> (any AnimationFrameReading)? {
    let frameCount = min(wholeFrameCount ?? header.frameCount, limits.frameCount)
    guard frameCount > 1 else { return nil }
    return try LibraryFrames(self, count: frameCount)
  }

  func decodeFrame(at index: Int, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
    try use(frame: index) { (session) throws(ImageDecodingError) in
      try session.decode(header: header, size: header.storedSize, context)
    }
  }
}

/// The frames of an animation whose library decodes each as a whole picture.
struct LibraryFrames: AnimationFrameReading {
  let frames: [AnimationFrame]
  let loopCount: Int
  private let file: LibraryFile

  init(_ file: LibraryFile, count: Int) throws(ImageDecodingError) {
    let (delays, loopCount) = try file.timing(frameCount: count)
    frames = delays.map { AnimationFrame(size: file.header.storedSize, delay: $0) }
    self.loopCount = loopCount
    self.file = file
  }

  var canvas: PixelSize { file.header.storedSize }

  func decodeFrame(at index: Int, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
    try file.decodeFrame(at: index, context: context)
  }
}
