import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Decodes JPEG files to thumbnails, in Swift alone.
///
/// It decodes 8-bit grey and YCbCr files, sequential or progressive with Huffman codes, where the result is at most a
/// quarter of the picture on each side; an eighth for a progressive file (see <doc:HowReducedDecodingWorks>). All other
/// results, and files of other kinds, end in `unsupportedType`: they take libjpeg-turbo or ImageIO.
public struct JPEGThumbnailDecoder: ImageDecoding {
  /// Makes a decoder.
  public init() {}

  /// JPEG.
  public var types: [ImageType] { [.jpeg] }

  /// Reads the marker segments up to the first scan, and counts the scans where there are several.
  ///
  /// - Throws: `corrupt`, `truncated`; `limitExceeded` for the number of scans, or for the pixels that they go over.
  /// - Complexity: O(header); O(bytes) for a file of several scans.
  public func header(of data: Data, limits: DecodingLimits) throws(DecodingError) -> ImageHeader {
    try JPEGHeader.imageHeader(of: data, limits: limits)
  }

  /// Throws `unsupportedType`: there is no full decoder here.
  public func decode(
    _ data: Data, header: ImageHeader, plan: DecodePlan, context: DecodingContext
  ) throws(DecodingError) -> Bitmap {
    throw .unsupportedType(.jpeg, reason: "it is decoded here to thumbnails only")
  }

  /// Makes a thumbnail.
  ///
  /// - Throws: `DecodingError`; `unsupportedType` where the result or the file takes a full decoder.
  public func render(
    _ data: Data, header: ImageHeader, plan: DecodePlan, context: DecodingContext
  ) throws(DecodingError) -> Bitmap {
    if let bitmap = try ReducedJPEGDecoder.render(data, header: header, plan: plan, context: context) {
      return bitmap
    }
    return try decode(data, header: header, plan: plan, context: context)
  }
}
