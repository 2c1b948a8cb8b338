import OzuBase
import OzuStandardCodecs

/// The results of a load that are kept on disk.
///
/// Local files, `data:` URLs and bytes in a request are never copied as originals. Data that an origin forbids to
/// store is never stored, under any policy. A load of bytes (`data(for:)`, prefetching to disk) has no finished picture: it keeps
/// the original under every policy.
public enum StoragePolicy: String, Hashable, Sendable, CaseIterable {
  /// The original, and each finished picture that would cost more to make again than to read. The default.
  ///
  /// A finished picture that is its original pixel for pixel is kept once, as the original.
  case automatic
  /// The original only. Every size is made from it again: the least space for many sizes of one picture.
  case originalData = "original-data"
  /// The finished picture only, encoded again. The least space for one small size of large originals. Another size is
  /// downloaded again, or derived from a larger one. A stale picture is validated by loading its original.
  case encodedImages = "encoded-images"
  /// Both, also if they have the same pixels.
  case all

  var storesOriginals: Bool { self != .encodedImages }
  var storesRenditions: Bool { self != .originalData }
}

/// How a finished picture is written to the disk cache.
public struct RenditionEncoding: Hashable, Sendable {
  /// The format.
  public var type: ImageType
  /// The quality and other options.
  public var options: EncodingOptions

  /// Makes an encoding.
  public init(_ type: ImageType, options: EncodingOptions = EncodingOptions()) {
    self.type = type
    self.options = options
  }

  /// JPEG, which is small, for opaque pictures. Lossless delta planes for others: they take a third of PNG's time to
  /// read and a tenth to write. PNG if the registry has no delta encoder, for pixels of 16 bits, for colours under
  /// the numbers of ITU-T H.273 (such as high dynamic range), and for transparent pixels under an ICC profile.
  public static func standard(
    for picture: Picture, quality: Double = 0.85, codecs: CodecRegistry = .standard
  ) -> RenditionEncoding {
    let bitmap = picture.bitmap
    let exact = RenditionEncoding(.png, options: EncodingOptions(effort: .low))
    if bitmap.format == .rgba16 { return exact }
    if case .coded = bitmap.colorSpace { return exact }
    if bitmap.isOpaque {
      return RenditionEncoding(.jpeg, options: EncodingOptions(compressionQuality: quality))
    }
    let isDelta =
      bitmap.format == .bgra8 && bitmap.colorSpace == .sRGB && codecs.encodableTypes.contains(.ozuDelta)
    return RenditionEncoding(
      isDelta ? .ozuDelta : .png, options: EncodingOptions(compressionQuality: quality))
  }
}

extension ImagePipeline.Configuration {
  /// The encoding of a picture; `nil` if it is not stored, or if the encoding cannot state the meaning of its
  /// colours.
  func encoding(of picture: Picture, for request: ImageRequest) -> RenditionEncoding? {
    let chosen: RenditionEncoding? =
      if let renditionEncoding = caching.renditionEncoding {
        renditionEncoding(picture, request)
      } else {
        .standard(
          for: picture, quality: request.format?.compressionQuality ?? caching.renditionQuality,
          codecs: decoding.codecs)
      }
    guard var encoding = chosen, picture.isWritable else { return nil }
    encoding.options.metadata.lightLevels = picture.keptLightLevels
    switch picture.bitmap.colorSpace {
    case .sRGB, .encoded: return encoding
    case .coded:
      guard (try? decoding.codecs.encoder(for: encoding.type))?.writesColorCodes == true else { return nil }
    case .icc:
      guard (try? decoding.codecs.encoder(for: encoding.type))?.keptMetadata.contains(.colorProfile) == true
      else {
        return nil
      }
      encoding.options.metadata.colorProfile = picture.profile?.data
    }
    return encoding
  }

  /// The encoded rendition of a picture. `nil` if it is not or cannot be stored; the next request then renders again.
  func encodedRendition(of picture: Picture, for request: ImageRequest) -> Data? {
    encoding(of: picture, for: request).flatMap {
      try? decoding.codecs.encode(picture, as: $0.type, options: $0.options)
    }
  }
}

extension Picture {
  /// The ICC profile of pixels that were not converted.
  fileprivate var profile: ICCProfile? {
    guard case .icc = bitmap.colorSpace, case .profile(let profile)? = header?.colorEncoding else {
      return nil
    }
    return profile
  }

  /// The light levels of the source, if the pixels still have a high dynamic range.
  var keptLightLevels: LightLevels? {
    let encoding: ColorEncoding? =
      switch bitmap.colorSpace {
      case .coded(let primaries, let transfer): .coded(primaries: primaries, transfer: transfer)
      case .icc: header?.colorEncoding
      case .sRGB, .encoded: nil
      }
    return HighDynamicRange(encoding) == nil ? nil : header?.lightLevels
  }

  /// Whether a file can state the meaning of the colours. An undecoded picture has the colours of sRGB.
  var isWritable: Bool {
    guard isDecoded else { return true }
    return switch bitmap.colorSpace {
    case .sRGB, .coded: true
    case .icc: profile?.isForRGB == true && bitmap.format != .gray8
    case .encoded: false
    }
  }
}
