import OzuCodecs
import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A whole decoder: a format over a C library needs no more than its constructor in C.
extension LibraryDecoder: AnimationDecoding {
  var types: [ImageType] { [type] }

  func accepts(_ data: Data, as type: ImageType?) -> Bool {
    if let type { return type == self.type }
    return !signature.isEmpty && data.starts(with: signature)
  }

  /// Makes the result: from planes where the plan averages them, else from pixels.
  func render(
    _ data: Data, header: ImageHeader, plan: DecodePlan, context: DecodingContext
  ) throws(DecodingError) -> Bitmap {
    if let averaging = plan.averaging,
      let planes = try planes(data, header: header, averaging: averaging, context: context)
    {
      return try plan.rendered(planes, header: header, context: context)
    }
    return try renderFromPixels(data, header: header, plan: plan, context: context)
  }

  func decode(
    _ data: Data, header: ImageHeader, plan: DecodePlan, context: DecodingContext
  ) throws(DecodingError) -> Bitmap {
    try decode(data, header: header, size: plan.decodedSize, context: context)
  }

  func frames(
    of data: Data, header: ImageHeader, limits: DecodingLimits
  ) throws(DecodingError) -> (any AnimationFrameReading)? {
    try LibraryFrames(data, header: header, library: self, limits: limits)
  }
}
