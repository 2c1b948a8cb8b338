import Ozu
import OzuBase
import OzuHTTP
import OzuImaging

/// What is to be done with a source, by what its address demands of it.
enum SourceVerdict: Equatable {
  /// A picture is made of it.
  case picture
  /// It is the answer.
  case original
  /// It is not allowed, for this reason.
  case refused(String)
}

extension AddressedPicture {
  /// Whether the source is looked at before, or instead of, making a picture of it.
  var needsSource: Bool { isOriginal || !originalTypes.isEmpty || limits != SourceLimits() }

  /// Whether its header is needed. What is sent as it is in any case need not be a picture.
  var needsHeader: Bool { !isOriginal && (limits.needsHeader || !originalTypes.isEmpty) }

  func verdict(on header: ImageHeader) -> SourceVerdict {
    if let flaw = limits.flaw(of: header) { return .refused(flaw) }
    return isOriginal || originalTypes.contains(header.type) ? .original : .picture
  }

  /// The verdict on the source of a file that was made, which is known without a look at the source.
  func verdict(on image: EncodedImage) -> SourceVerdict {
    if let flaw = limits.flaw(ofByteCount: image.sourceByteCount) { return .refused(flaw) }
    return image.header.map { verdict(on: $0) } ?? .picture
  }
}
