import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The facts about a JPEG that decoders need, from one walk over its markers.
package struct JPEGOutline: Sendable {
  package let details: JPEGHeader
  package let header: ImageHeader
  /// The geometry for the reduced decoder; `nil` for a file that it does not support.
  package let frame: ReducedJPEGFrame?
  /// The end of the bytes that can be decoded. It is before the end of the file if that cuts off a segment between scans.
  package let end: Int
  private let scanCount: Int

  /// Reads the marker segments up to the first scan, and counts the scans if there are several.
  ///
  /// - Throws: `corrupt`, `truncated`; `limitExceeded` for the number of scans, or for the pixels that all scans together decode.
  /// - Complexity: O(header); O(bytes) for a file of several scans.
  package init(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) {
    let bytes = data.span
    let details = try JPEGHeader(bytes)
    var end = bytes.count
    var scanCount = 1
    if details.hasSeveralScans {
      let scans = details.scans(in: bytes, limit: limits.scanCount)
      try limits.checkScanCount(scans.count, size: details.size)
      (end, scanCount) = (scans.end, scans.count)
    }
    self.scanCount = scanCount
    self.details = details
    self.end = end
    frame = ReducedJPEGFrame(details)
    let colorModels: [Int: ImageHeader.ColorModel] = [1: .gray, 4: .cmyk]
    var header = ImageHeader(
      type: .jpeg, storedSize: details.size, orientation: details.orientation ?? .up,
      bitsPerComponent: details.bitsPerComponent, colorModel: colorModels[details.components.count] ?? .rgb,
      colorProfileName: details.profile?.name, isProgressive: details.isProgressive,
      planeLayout: frame?.planeLayout, colorEncoding: details.profile.map(ColorEncoding.profile),
      dotsPerInch: details.dotsPerInch, metadata: details.metadata)
    if let reason = details.unsupportedReason { header.noteUnread(reason) }
    if let index = details.pictureIndex { header.gainMap = JPEGGainMap.find(in: bytes, index: index) }
    if let flaw = header.gainMap?.flaw(for: details.size) {
      header.notes.append("its gain map cannot be used: \(flaw)")
      header.gainMap = nil
    } else if details.announcesGainMap, header.gainMap == nil {
      header.notes.append("it announces a gain map and has none")
    }
    if let note = JPEGRemainder(bytes, details, gainMap: header.gainMap).contents.note {
      header.notes.append(note)
    }
    self.header = header
  }

  /// Checks the pixels that all scans together decode, before any is decoded. They were not checked for a picture that is
  /// over the limit on pixels.
  ///
  /// - Throws: `limitExceeded`.
  package func checkScans(_ limits: DecodingLimits) throws(ImageDecodingError) {
    if scanCount > 1 { try limits.checkScannedPixelCount(scanCount, size: details.size) }
  }

  /// The bytes that a full decoder keeps for the coefficients: those of the whole picture if there are several scans, else 0.
  package var coefficientByteCount: Int { details.hasSeveralScans ? details.coefficientByteCount : 0 }

  /// The most bytes that libjpeg may take. Besides the coefficients it needs some rows of blocks, and tables.
  package var libraryByteCount: Int { coefficientByteCount + (32 << 20) }
}
