import Foundation
import OzuStandardCodecs

/// What of a load is kept on disk.
///
/// Local files, `data:` addresses and bytes that come with a request are never copied as originals. HTTP has the
/// last word: what an origin forbids to keep is not kept under any policy.
public enum StoragePolicy: String, Hashable, Sendable, CaseIterable {
  /// The original, and each finished picture that would cost more to make again than to read. The default.
  ///
  /// A finished picture that is its original pixel for pixel is kept once, as the original.
  case automatic
  /// The original alone. Every size is made from it anew: the least space for many sizes of one picture.
  case originalData = "original-data"
  /// The finished picture alone, encoded anew. The least space for one small size of large originals; another size
  /// is loaded again, or made from a larger one. A stale picture is validated by loading its original.
  case encodedImages = "encoded-images"
  /// Both, also where they are the same pixels.
  case all

  var storesOriginals: Bool { self != .encodedImages }
  var storesRenditions: Bool { self != .originalData }
}

/// How a finished picture is written to the disk cache.
public struct RenditionEncoding: Hashable, Sendable {
  /// The format.
  public var type: ImageType
  /// Quality and the like.
  public var options: EncodingOptions

  /// Makes a choice.
  public init(_ type: ImageType, options: EncodingOptions = EncodingOptions()) {
    self.type = type
    self.options = options
  }

  /// JPEG for opaque pictures, which is small; lossless delta planes for others, which are a third of PNG to read and a
  /// tenth to write. Registries without those, pixels of 16 bits, and colours under the numbers of ITU-T H.273, as those of
  /// high dynamic range, get PNG; so do transparent pixels under an ICC profile.
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
  /// How a picture is written; `nil` when it is not, or the encoding has no place for what its colours mean.
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

  /// A picture as it is kept on disk. `nil` when it is not, or cannot be: nothing is lost, the next request renders
  /// again.
  func encodedRendition(of picture: Picture, for request: ImageRequest) -> Data? {
    encoding(of: picture, for: request).flatMap {
      try? decoding.codecs.encode(picture, as: $0.type, options: $0.options)
    }
  }
}

extension Picture {
  /// The profile of pixels that were left under it.
  fileprivate var profile: ICCProfile? {
    guard case .icc = bitmap.colorSpace, case .profile(let profile)? = header?.colorEncoding else {
      return nil
    }
    return profile
  }

  /// The light levels of the source, where the pixels are still of high dynamic range.
  var keptLightLevels: LightLevels? {
    let encoding: ColorEncoding? =
      switch bitmap.colorSpace {
      case .coded(let primaries, let transfer): .coded(primaries: primaries, transfer: transfer)
      case .icc: header?.colorEncoding
      case .sRGB, .encoded: nil
      }
    return HighDynamicRange(encoding) == nil ? nil : header?.lightLevels
  }

  /// Whether a file can say what the colours mean. One that is not decoded has those of sRGB.
  var isWritable: Bool {
    guard isDecoded else { return true }
    return switch bitmap.colorSpace {
    case .sRGB, .coded: true
    case .icc: profile?.isForRGB == true && bitmap.format != .gray8
    case .encoded: false
    }
  }
}
