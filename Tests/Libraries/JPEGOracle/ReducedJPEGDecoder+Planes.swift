import Foundation
import OzuCodecs
import OzuImaging

extension ReducedJPEGDecoder {
  /// Decodes a file to planes of a few eighths; `nil` for one that takes a full decoder.
  package static func planes(
    of data: Data, _ outline: JPEGOutline, eighths: (luma: Int, chroma: Int), lowestBit: Int? = nil,
    division: ScanDivision = ScanDivision(), context: DecodingContext
  ) throws(ImageDecodingError) -> PlanarPicture? {
    guard let frame = outline.frame else { return nil }
    return try data.withBytes { (bytes) throws(ImageDecodingError) in
      var decoder = ReducedJPEGDecoder(
        file: bytes, outline.details, frame: frame, eighths: eighths, lowestBit: lowestBit,
        division: division, context: context)
      return try decoder.decode()
    }
  }

  /// The same for a file that nobody has opened.
  package static func planes(
    of data: Data, eighths: (luma: Int, chroma: Int), lowestBit: Int? = nil,
    division: ScanDivision = ScanDivision(), context: DecodingContext
  ) throws(ImageDecodingError) -> PlanarPicture? {
    try planes(
      of: data, JPEGOutline(data, limits: context.limits), eighths: eighths, lowestBit: lowestBit,
      division: division, context: context)
  }
}
