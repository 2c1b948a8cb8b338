import CCodecs
import OzuCodecs
import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Decodes through one of the libraries that traits add: what the decoders of AVIF, HEIF, JPEG XL, TIFF and SVG have
/// in common.
struct LibraryDecoder: Sendable {
  typealias Opening =
    @Sendable (UnsafePointer<UInt8>?, Int, OzuPictureLimits) -> OpaquePointer?

  let type: ImageType
  let alpha: Alpha
  /// The first bytes of a file, for a format that `ContentKind` does not know.
  var signature: [UInt8] = []
  let open: Opening

  func header(of data: Data, limits: DecodingLimits) throws(DecodingError) -> ImageHeader {
    try data.withBytes { (bytes) throws(DecodingError) in
      try LibrarySession(bytes, type: type, limits: limits, open: open).header
    }
  }

  func decode(
    _ data: Data, header: ImageHeader, size: PixelSize, context: DecodingContext
  ) throws(DecodingError) -> Bitmap {
    try context.checkpoint()
    return try data.withBytes { (bytes) throws(DecodingError) in
      let session = try LibrarySession(bytes, type: type, limits: context.limits, open: open)
      return try session.decode(header: header, size: size, alpha: alpha, context)
    }
  }

  /// The planes of the picture; `nil` where pixels have to do.
  func planes(
    _ data: Data, header: ImageHeader, averaging: PlaneAveraging, context: DecodingContext
  ) throws(DecodingError) -> PlanarPicture? {
    try data.withBytes { (bytes) throws(DecodingError) in
      let session = try LibrarySession(bytes, type: type, limits: context.limits, open: open)
      return try session.planes(header: header, averaging: averaging, context)
    }
  }
}
