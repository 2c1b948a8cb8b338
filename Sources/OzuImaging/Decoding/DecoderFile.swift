#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A file of a decoder that keeps nothing of it open.
final class DecoderFile: ImageFile {
  let header: ImageHeader
  private let decoder: any ImageDecoding
  private let data: Data

  init(_ decoder: any ImageDecoding, _ data: Data, header: ImageHeader) {
    self.decoder = decoder
    self.data = data
    self.header = header
  }

  var scales: [Int] { decoder.scales }

  func decode(_ plan: DecodePlan, context: DecodingContext) throws(DecodingError) -> Bitmap {
    try decoder.decode(data, header: header, plan: plan, context: context)
  }

  func render(_ plan: DecodePlan, context: DecodingContext) throws(DecodingError) -> Bitmap {
    try decoder.render(data, header: header, plan: plan, context: context)
  }

  func embeddedThumbnail(
    atLeast smallest: PixelSize, context: DecodingContext
  ) throws(DecodingError) -> Bitmap? {
    guard let decoder = decoder as? any EmbeddedThumbnailDecoding else { return nil }
    return try decoder.embeddedThumbnail(of: data, header: header, atLeast: smallest, context: context)
  }

  func frames(limits: DecodingLimits) throws(DecodingError) -> (any AnimationFrameReading)? {
    guard let decoder = decoder as? any AnimationDecoding else { return nil }
    return try decoder.frames(of: data, header: header, limits: limits)
  }
}
