import CCodecs
import OzuBase
import OzuCodecs
import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension JPEGDecoder: LosslessTurning {
  /// Lets the coefficients of a JPEG change their places and signs.
  ///
  /// - Complexity: O(pixels) in time, and in memory four bytes for each pixel of each component.
  package func turned(
    _ data: Data, from orientation: Orientation, limits: DecodingLimits
  ) throws(ImageDecodingError) -> Data {
    let outline = try JPEGOutline(data, limits: limits)
    let byteCount = outline.details.coefficientByteCount.saturatingProduct(2).saturatingSum(32 << 20)
    try limits.checkDecodedByteCount(byteCount)
    var file = OzuBytes()
    var message = [CChar](repeating: 0, count: 256)
    let status = data.withUnsafeBytes { bytes in
      // The memory is that of the file, and C keeps no pointer to it.
      ozu_jpeg_turn(
        bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, Int32(orientation.rawValue), byteCount,
        &file, &message, message.count)
    }
    guard status == .done, let turned = file.data() else {
      let reason = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      throw .unsupportedType(.jpeg, reason: String(decoding: reason, as: UTF8.self))
    }
    return turned
  }
}
