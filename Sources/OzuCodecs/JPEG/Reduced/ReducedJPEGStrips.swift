import OzuImaging

/// Makes the planes of a sequential JPEG for the resampler, one row of groups of blocks at a time.
///
/// A class, because the resampler asks for strips while it makes rows. It must not outlive the bytes of the file.
final class ReducedJPEGStrips: PlaneStripMaker {
  private var decoder: ReducedJPEGDecoder
  private var nextRow = 0
  let shapes: [PlaneStrips.Shape]

  /// Takes a decoder that has begun (`ReducedJPEGDecoder.begin`).
  init(_ decoder: consuming ReducedJPEGDecoder) {
    shapes = decoder.scales.enumerated().map { decoder.frame.stripShape($0, scale: $1) }
    self.decoder = decoder
  }

  var stripCount: Int { decoder.frame.groupRows }

  func makeStrip(in planes: [UnsafeMutablePointer<Int16>], isSeen: Bool) throws(DecodingError) {
    try decoder.decodeStrip(nextRow, in: planes, isSeen: isSeen)
    nextRow += 1
  }

  /// Ends the work of a second thread. Afterwards nobody reads the file.
  func end() { decoder.endTail() }
}
