import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension CleanedFile {
  /// The file with its picture stored upright, without loss: the coefficients of a JPEG change their places and signs, and no
  /// pixel is decoded.
  ///
  /// A picture whose mirrored sides are no multiples of its blocks (8 or 16 pixels) cannot be turned in this way, nor can one
  /// that is damaged or beyond the limits. It stays as it is, with its orientation, and a note says why. Other formats
  /// stay as they are.
  ///
  /// - Parameter codecs: the codecs that turn. Those of a pipeline that requires isolation do it in a process of their own, as
  ///   `ImagePipeline.turnedUpright(_:)` does; the standard ones let libjpeg read the file in this process, so it should
  ///   be one that you trust.
  /// - Complexity: O(pixels) in time, and in memory four bytes for each pixel of each component.
  public func turnedUpright(by codecs: CodecRegistry, limits: DecodingLimits = .default) -> CleanedFile {
    guard type == .jpeg, let outline = try? JPEGOutline(data, limits: limits),
      outline.header.orientation != .up
    else { return self }
    let orientation = outline.header.orientation
    do throws(ImageDecodingError) {
      let bare = try CleanedFile(
        data, keeping: .everythingButPlace.subtracting(.orientation), removesSides: true)
      let turned = try codecs.turned(bare.data, from: orientation, limits: limits)
      // The bytes may be those of another process, which the file may have taken over.
      guard let header = try? JPEGOutline(turned, limits: limits).header, header.orientation == .up,
        header.storedSize == orientation.applied(to: outline.header.storedSize)
      else { throw .corrupt(.jpeg, stage: "turn", reason: "the result is another picture") }
      return replacing(turned).adding("it is stored upright now")
    } catch {
      return adding("it is not turned without loss: \(error.turningReason)")
    }
  }
}

extension ImageDecodingError {
  fileprivate var turningReason: String {
    if case .unsupportedType(_, let reason) = self { return reason }
    return "\(self)"
  }
}
