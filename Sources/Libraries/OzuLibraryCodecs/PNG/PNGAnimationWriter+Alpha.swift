import CCodecs
import OzuBase
import OzuImaging

extension PNGAnimationWriter {
  /// Writes the file again with alpha, up to the current frame. Both files are in memory meanwhile.
  func addAlpha() throws(PNGDeflater.Failure) {
    let duration = control?.duration
    writeFrameCount()
    let old = file
    file = OzuBytes()
    guard let data = old.data() else { throw PNGDeflater.Failure() }
    (writtenFrameCount, sequenceNumber, control) = (0, 0, nil)
    try writeHead(hasAlpha: true)
    do throws(ImageDecodingError) {
      // This object has written the file, so no limits are needed.
      let limits = DecodingLimits(
        pixelCount: .max, side: .max, decodedByteCount: .max, frameCount: .max, encodedByteCount: .max,
        cpuTime: .seconds(1 << 40))
      guard let reader = try PNGDecoder().open(data, limits: limits).frames(limits: limits) else {
        throw .corrupt(.png, stage: "frames", reason: "the file that was just written has no frames")
      }
      for (index, frame) in reader.frames.enumerated() {
        let pixels = BGRABitmap(try reader.decodeFrame(at: index, context: DecodingContext(limits: limits)))
        let place = PixelRectangle(
          x: frame.x, y: frame.y, width: frame.size.width, height: frame.size.height)
        // Delays are whole milliseconds already, except for the last, which may still grow.
        if var last = control {
          last.content.delay = Int(
            clamping: last.duration / .milliseconds(1), rounded: .toNearestOrAwayFromZero)
          overwrite(last.offset, "fcTL", last.content.content)
        }
        let result = Result { () throws(PNGDeflater.Failure) in
          try begin(place, .source, frame.delay)
          try write(pixels, plan(of: pixels))
        }
        guard case .success = result else {
          throw .corrupt(.png, stage: "frames", reason: "a frame could not be written again")
        }
      }
    } catch {
      throw PNGDeflater.Failure()
    }
    if let duration { control?.duration = duration }
  }
}
