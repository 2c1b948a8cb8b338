import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ImageMetadata {
  /// The blocks to write beside the pixels of a picture that was made from this file.
  ///
  /// EXIF data are written again: upright, with the size of the pixels, without the thumbnail. Broken blocks are
  /// left out; they never prevent the picture from being written. Under every policy, the ICC profile is written if
  /// the pixels are still in its colour space.
  ///
  /// - Parameters:
  ///   - size: the size of the written picture, in pixels.
  ///   - colorSpace: the colour space of its pixels: `Bitmap.colorSpace`.
  ///   - resolution: dots per inch that replace those of the file; written under every policy.
  ///   - notes: receives a line for each block that was left out for another reason than the policy.
  /// - Complexity: O(bytes of the blocks).
  public func encoded(
    policy: MetadataPolicy, size: PixelSize, colorSpace: ColorSpaceTag, resolution: ImageResolution? = nil,
    notes: inout [String]
  ) -> EncodedMetadata {
    var result = EncodedMetadata(resolution: resolution?.valid)
    if case .icc = colorSpace { result.colorProfile = colorProfile?.data }
    guard policy != .strip else { return result }
    notes += self.notes
    result.resolution = result.resolution ?? self.resolution?.valid
    if let exif {
      do throws(EXIFDefect) {
        var block = try EXIFBlock(exif.span)
        block.describe(
          size: size, resolution: result.resolution, isSRGB: result.colorProfile == nil,
          keepsPlace: policy == .keepAll)
        if !block.isEmpty { result.exif = Data(block.serialized()) }
      } catch {
        notes.append("EXIF data are left out: \(error)")
      }
    }
    if policy == .keepAll, let xmp {
      do throws(XMPPacket.Defect) {
        result.xmp = try XMPPacket.upright(xmp)
      } catch {
        notes.append("XMP is left out: \(error)")
      }
    }
    return result
  }
}

extension EXIFBlock {
  /// The values of EXIF for colours (CIPA DC-008 §4.6.6.2.1).
  private static let sRGB = 1
  private static let uncalibrated = 0xFFFF

  /// Makes the values describe the picture that is written.
  fileprivate mutating func describe(
    size: PixelSize, resolution: ImageResolution?, isSRGB: Bool, keepsPlace: Bool
  ) {
    if picture.contains(where: { $0.tag == EXIFTag.orientation }) {
      set(EXIFTag.orientation, to: Orientation.up.rawValue, in: \.picture)
    }
    if let resolution { set(resolution) }
    if !details.isEmpty {
      set(EXIFTag.width, to: size.width, isLong: true, in: \.details)
      set(EXIFTag.height, to: size.height, isLong: true, in: \.details)
      set(EXIFTag.colorSpace, to: isSRGB ? Self.sRGB : Self.uncalibrated, in: \.details)
    }
    guard !keepsPlace else { return }
    place = []
    details.removeAll { $0.tag == EXIFTag.makerNote }
  }

  private mutating func set(_ resolution: ImageResolution) {
    set(EXIFTag.horizontalResolution, to: resolution.horizontal)
    set(EXIFTag.verticalResolution, to: resolution.vertical)
    // Inches.
    set(EXIFTag.resolutionUnit, to: 2, in: \.picture)
  }

  /// A block that contains only the resolution.
  fileprivate init(_ resolution: ImageResolution) {
    self.init()
    set(resolution)
  }
}

extension EncodedMetadata {
  /// EXIF data for a format without another place for the resolution: the existing data, or else a block with the
  /// resolution alone.
  package var exifWithResolution: Data? {
    exif ?? resolution?.valid.map { Data(EXIFBlock($0).serialized()) }
  }
}
