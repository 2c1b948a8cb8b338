import CCodecs
import OzuBase
import OzuCodecs
import OzuImaging

// The options that encoders in C receive beside the pixels.

extension ChromaSubsampling {
  /// The same for C. `isFull` decides for `automatic`.
  func value(isFull: Bool) -> OzuChroma {
    switch self {
    case .automatic: isFull ? .full : .quarter
    case .full: .full
    case .half: .half
    case .quarter: .quarter
    }
  }
}

extension EncodedMetadata {
  /// Provides the blocks during a call; the resolution is part of the EXIF data.
  func withBlocks<Success>(_ body: (OzuEncodeBlocks) -> Success) -> Success {
    // C receives NULL for a block that is missing or empty.
    func lend(_ data: Data?, _ body: (UnsafePointer<UInt8>?, Int) -> Success) -> Success {
      guard let data, !data.isEmpty else { return body(nil, 0) }
      return data.withBytes { body($0.bindMemory(to: UInt8.self).baseAddress, $0.count) }
    }
    return lend(exifWithResolution) { exif, exifByteCount in
      lend(xmp) { xmp, xmpByteCount in
        lend(colorProfile) { profile, profileByteCount in
          body(
            OzuEncodeBlocks(
              exif: exif, exif_size: exifByteCount, xmp: xmp, xmp_size: xmpByteCount, profile: profile,
              profile_size: profileByteCount))
        }
      }
    }
  }
}

extension [CChar] {
  /// The text of C up to the first zero.
  var text: String { String(decoding: prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) }
}

/// The memory that encoders write files to. For tests.
package enum EncoderMemory {
  /// Runs a closure on this thread. Buffers of encoders cannot grow beyond `byteCount`, as if memory were short.
  package static func withLimit<Result, Failure: Error>(
    _ byteCount: Int, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    ozu_bytes_set_limit(byteCount)
    defer { ozu_bytes_set_limit(Int(bitPattern: UInt.max)) }
    return try body()
  }
}
