/// The format of an image file.
///
/// A struct, not an enumeration, so that an app can add the type of its own decoder.
public struct ImageType: RawRepresentable, Hashable, Sendable {
  /// A short lower-case name, for example `jpeg`; unique among types.
  public let rawValue: String

  /// Makes a type from its short name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// The usual file extension of this type, without the dot.
  public var fileExtension: String { ImageFormat.of(self).endings.first ?? rawValue }

  /// The name of the type in messages: `JPEG`.
  public var displayName: String { ImageFormat.of(self).name }

  /// The media type, for example `image/jpeg`.
  public var mediaType: String { ImageFormat.of(self).mediaTypes.first ?? "image/\(rawValue)" }
}

extension ImageType: CustomStringConvertible {
  /// The short name.
  public var description: String { rawValue }
}
