import OzuBase
import OzuImaging

/// Decodes JPEG files to thumbnails. It is written in Swift and needs no C library.
///
/// It decodes 8-bit grey and YCbCr files, sequential or progressive with Huffman codes, if each side of the picture is at least 1.9
/// times that of the result (see <doc:HowReducedDecodingWorks>). For all other results and files it throws
/// `unsupportedType`: they need libjpeg-turbo or ImageIO.
public struct JPEGThumbnailDecoder: ImageDecoding {
  /// Makes a decoder.
  public init() {}

  /// JPEG.
  public var types: [ImageType] { [.jpeg] }

  /// Opens a file: reads the marker segments up to the first scan, and counts the scans if there are several.
  ///
  /// - Throws: `corrupt`, `truncated`; `limitExceeded` for the number of scans, or for the pixels that all scans together decode.
  /// - Complexity: O(header); O(bytes) for a file of several scans.
  public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
    JPEGThumbnailFile(data, try JPEGOutline(data, limits: limits))
  }
}

private final class JPEGThumbnailFile: ImageFile {
  private let data: Data
  private let outline: JPEGOutline

  init(_ data: Data, _ outline: JPEGOutline) {
    self.data = data
    self.outline = outline
  }

  var header: ImageHeader { outline.header }

  func readMetadata() -> ImageMetadata { JPEGMetadata.read(data.span, header: header) }

  /// Nothing worth counting beside the planes of a reduction, which are made scan by scan.
  func demand(of plan: DecodePlan, context: DecodingContext) -> DecodingDemand {
    DecodingDemand(isPiecewise: plan.reduction != nil)
  }

  /// Throws `unsupportedType`, because this type has no full decoder.
  func decode(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
    throw .unsupportedType(.jpeg, reason: "it is decoded here to thumbnails only")
  }

  func render(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
    let bitmap = try ReducedJPEGDecoder.render(data, outline, header: header, plan: plan, context: context)
    return if let bitmap { bitmap } else { try decode(plan, context: context) }
  }
}
