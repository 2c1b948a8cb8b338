import CCodecs
import OzuCodecs
import OzuImaging
import OzuRecords

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
  /// The file is read by libjpeg in this process, so it should be one that you trust.
  ///
  /// - Complexity: O(pixels) in time, and in memory four bytes for each pixel of each component.
  public func turnedUpright(limits: DecodingLimits = .default) -> CleanedFile {
    guard type == .jpeg, let outline = try? JPEGOutline(data, limits: limits),
      outline.header.orientation != .up
    else { return self }
    let orientation = outline.header.orientation
    do throws(DecodingError) {
      let byteCount = outline.details.coefficientByteCount.saturatingProduct(2).saturatingSum(32 << 20)
      try limits.checkDecodedByteCount(byteCount)
      let bare = try CleanedFile(
        data, keeping: .everythingButPlace.subtracting(.orientation), removesSides: true)
      var file = OzuBytes()
      var message = [CChar](repeating: 0, count: 256)
      let status = bare.data.withUnsafeBytes { bytes in
        // The memory is that of the file, and C keeps no pointer to it.
        ozu_jpeg_turn(
          bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, Int32(orientation.rawValue), byteCount,
          &file, &message, message.count)
      }
      guard status == .done, let turned = file.data() else {
        let reason = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return adding("it is not turned without loss: " + String(decoding: reason, as: UTF8.self))
      }
      return replacing(turned).adding("it is stored upright now")
    } catch {
      return adding("it is not turned without loss: \(error)")
    }
  }
}
