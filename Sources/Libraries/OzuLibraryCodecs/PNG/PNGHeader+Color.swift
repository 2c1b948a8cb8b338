import CCodecs
import OzuBase
import OzuCodecs
import OzuImaging

extension PNGHeader {
  func imageHeader(_ file: Span<UInt8>) -> ImageHeader {
    let colorModels: [ColorType: ImageHeader.ColorModel] = [
      .gray: .gray, .grayAlpha: .gray, .indexed: .indexed,
    ]
    var header = ImageHeader(
      type: .png, storedSize: size, orientation: orientation ?? .up, bitsPerComponent: bitDepth,
      colorModel: colorModels[colorType] ?? .rgb, hasAlpha: colorType.hasAlpha || hasTransparencyChunk,
      frameCount: frameCount, isProgressive: isInterlaced,
      planeLayout: bitDepth == 8 && !isInterlaced ? PlaneLayout(chromaStep: nil, source: .rows) : nil)
    header.colorEncoding = colorEncoding(file)
    if case .profile(let profile)? = header.colorEncoding { header.add(profile) }
    header.add(statedDotsPerInch: dotsPerInch)
    (header.metadata, header.lightLevels) = (metadata, lightLevels)
    if hasNarrowRange { header.notes.append("its colours have a narrow range, and are read as a full one") }
    return header
  }

  /// A profile that inflates to more bytes than this is ignored.
  private static let longestProfile = 4 << 20

  /// The colour encoding: the first chunk that declares one, in the order of W3C PNG, third edition, §4.3.
  func colorEncoding(_ file: Span<UInt8>) -> ColorEncoding? {
    if let codes { return ColorEncoding(primaries: codes.primaries, transfer: codes.transfer) }
    if let profileRange {
      let bytes = Self.inflated(file.extracting(profileRange), limit: Self.longestProfile)
      return .profile(bytes.map { ICCProfile(Data($0)) } ?? ICCProfile(name: nil, data: Data()))
    }
    guard !hasSRGBChunk else { return nil }
    return ColorEncoding(pngGamma: gamma, chromaticities: chromaticities)
  }

  /// Inflates a chunk into memory that grows with the actual data, not with the declared size; `nil` if it is
  /// broken, or has more than `limit` bytes.
  static func inflated(_ compressed: Span<UInt8>, limit: Int) -> [UInt8]? {
    var capacity = 1 << 14
    while capacity <= limit {
      var status = OzuStatus.failed
      let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
        status = compressed.withUnsafeBufferPointer {
          ozu_inflate($0.baseAddress, $0.count, buffer.baseAddress, capacity, &count)
        }
      }
      switch status {
      case .done: return bytes
      case .more: capacity *= 4
      case .truncated, .failed: return nil
      }
    }
    return nil
  }
}
