import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension JPEGHeader {
  /// Reads the marker segments up to the first scan, and counts the scans where there are several.
  ///
  /// - Throws: `corrupt`, `truncated`; `limitExceeded` for the number of scans, or for the pixels that they
  ///   go over.
  /// - Complexity: O(header); O(bytes) for a file of several scans.
  package static func imageHeader(
    of data: Data, limits: DecodingLimits
  ) throws(DecodingError) -> ImageHeader {
    let bytes = data.span
    let header = try JPEGHeader(bytes)
    try header.checkScans(in: bytes, limits: limits)
    let colorModels: [Int: ImageHeader.ColorModel] = [1: .gray, 4: .cmyk]
    return ImageHeader(
      type: .jpeg, storedSize: header.size, orientation: header.orientation ?? .up,
      bitsPerComponent: header.bitsPerComponent, colorModel: colorModels[header.components.count] ?? .rgb,
      colorProfileName: header.profile?.name, isProgressive: header.isProgressive,
      planeLayout: ReducedJPEGFrame(header)?.planeLayout,
      colorEncoding: header.profile.map(ColorEncoding.profile), dotsPerInch: header.dotsPerInch,
      metadata: header.metadata)
  }
}
