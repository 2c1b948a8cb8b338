import OzuBase
import OzuImaging

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
    var block = EXIFBlock()
    if policy != .keepCopyright {
      result.resolution = result.resolution ?? uprightResolution
      if let exif {
        do throws(EXIFDefect) {
          block = try EXIFBlock(exif.span)
          block.describe(size: size, isSRGB: colorSpace == .sRGB, keepsPlace: policy == .keepAll)
        } catch {
          notes.append("EXIF data are left out: \(error)")
        }
      }
    }
    // XMP and IPTC-IIM may be the only ones to state them, and are not written.
    block.add(artist: values.artist, copyright: values.copyright)
    if !block.isEmpty {
      if let resolution = result.resolution { block.set(resolution) }
      result.exif = Data(block.serialized())
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

  /// The resolution of the upright picture: that of the file is about the pixels as they are stored.
  private var uprightResolution: ImageResolution? {
    let orientation = exif.flatMap { EXIFOrientation.find(in: $0.span) } ?? .up
    return orientation.swapsAxes ? resolution?.valid?.transposed : resolution?.valid
  }
}

extension EXIFBlock {
  /// The values of EXIF for colours (CIPA DC-008 §4.6.6.2.1).
  private static let sRGB = 1
  private static let uncalibrated = 0xFFFF

  /// Makes the values describe the picture that is written.
  fileprivate mutating func describe(size: PixelSize, isSRGB: Bool, keepsPlace: Bool) {
    if picture.contains(where: { $0.tag == EXIFTag.orientation }) {
      set(EXIFTag.orientation, to: Orientation.up.rawValue, in: \.picture)
    }
    if !details.isEmpty {
      set(EXIFTag.width, to: size.width, isLong: true, in: \.details)
      set(EXIFTag.height, to: size.height, isLong: true, in: \.details)
      set(EXIFTag.colorSpace, to: isSRGB ? Self.sRGB : Self.uncalibrated, in: \.details)
    }
    guard !keepsPlace else { return }
    place = []
    details.removeAll { $0.tag == EXIFTag.makerNote }
  }

  fileprivate mutating func set(_ resolution: ImageResolution) {
    set(EXIFTag.horizontalResolution, to: resolution.horizontal)
    set(EXIFTag.verticalResolution, to: resolution.vertical)
    // Inches.
    set(EXIFTag.resolutionUnit, to: 2, in: \.picture)
  }

  /// Adds the names of the people who have rights, where it has none. Cameras write blanks.
  fileprivate mutating func add(artist: String?, copyright: String?) {
    for (tag, text) in [(EXIFTag.artist, artist), (EXIFTag.copyright, copyright)] {
      let isThere = picture.contains { entry in entry.tag == tag && entry.bytes.contains { $0 > 0x20 } }
      if let text, !text.isEmpty, !isThere { set(tag, to: text) }
    }
  }

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

/// Changes an XMP packet so that it describes the written picture (ISO 16684-1), without parsing its XML.
enum XMPPacket {
  enum Defect: Error, CustomStringConvertible {
    case isNotUTF8, hasThumbnail

    var description: String {
      switch self {
      case .isNotUTF8: "it is not UTF-8"
      case .hasThumbnail: "its thumbnail shows the picture before it was changed"
      }
    }
  }

  /// The packet with every `tiff:Orientation` set to 1, and with 0 for the video behind a motion photo (`MotionPhoto` and
  /// `MicroVideo` of `GCamera`), which is not written: as attributes or as elements. Its length does not change.
  static func upright(_ packet: Data) throws(Defect) -> Data {
    var bytes = ContiguousArray(packet)
    guard String(validating: bytes, as: UTF8.self) != nil else { throw .isNotUTF8 }
    // The fields of a thumbnail (xmpGImg, part 1 of the standard, §8.2.2.4) have this namespace, whatever its prefix.
    guard bytes.span.find("http://ns.adobe.com/xap/1.0/g/img/", from: 0) == nil else { throw .hasThumbnail }
    let (zero, one) = (UInt8(ascii: "0"), UInt8(ascii: "1"))
    let digits: [(StaticString, UInt8)] = [
      (":Orientation", one), (":MotionPhoto", zero), (":MicroVideo", zero),
    ]
    for (name, digit) in digits {
      var position = 0
      while let start = bytes.span.find(name, from: position) {
        position = start + name.utf8CodeUnitCount
        if let place = value(in: bytes, after: position) { bytes[place] = digit }
      }
    }
    return Data(bytes)
  }

  /// The place of the digit in `="6"` or `>6<`.
  private static func value(in bytes: ContiguousArray<UInt8>, after start: Int) -> Int? {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte }
    func next(_ position: Int) -> Int? {
      let found = bytes[min(position, bytes.count)...].firstIndex { !isSpace($0) }
      return found
    }
    guard var position = next(start) else { return nil }
    if bytes[position] == UInt8(ascii: "=") {
      guard let quote = next(position + 1), [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(bytes[quote])
      else { return nil }
      position = quote
    } else if bytes[position] != UInt8(ascii: ">") {
      return nil
    }
    guard let digit = next(position + 1), UInt8(ascii: "1")...UInt8(ascii: "8") ~= bytes[digit] else {
      return nil
    }
    return digit
  }
}
