#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The decoders and encoders that are at hand, found by the content of a file or the name of a type.
///
/// A value: `var codecs = CodecRegistry.standard; codecs.register(decoder: MyDecoder())`. What is registered
/// later is asked first, so an app can replace a built-in codec.
public struct CodecRegistry: Sendable {
  private var decoders: [any ImageDecoding] = []
  private var encoders: [any ImageEncoding] = []
  private var absent: [ImageType: String] = [:]
  private(set) var colorConverter: (any ColorConverting)?
  /// How frames of animations meet; anything but the default is for checking decoders.
  package var blending = FrameBlending.premultiplied

  /// Makes a registry without codecs.
  public init() {}

  /// Adds a decoder, ahead of those that are there.
  public mutating func register(decoder: any ImageDecoding) {
    decoders.insert(decoder, at: 0)
  }

  /// Adds an encoder, ahead of those that are there.
  public mutating func register(encoder: any ImageEncoding) {
    encoders.insert(encoder, at: 0)
  }

  /// Sets what converts colours to sRGB; without it they stay as stored.
  public mutating func register(colorConverter: any ColorConverting) {
    self.colorConverter = colorConverter
  }

  /// Says why a known format has no decoder here, for the error that meets such a file.
  public mutating func explainAbsence(of type: ImageType, _ reason: String) {
    absent[type] = reason
  }

  /// The formats that can be read, each once, those registered last first.
  public var decodableTypes: [ImageType] { Self.unique(decoders.flatMap(\.types)) }

  /// The formats that can be written, each once, those registered last first.
  public var encodableTypes: [ImageType] { Self.unique(encoders.map(\.type)) }

  private static func unique(_ types: [ImageType]) -> [ImageType] {
    var seen: Set<ImageType> = []
    return types.filter { seen.insert($0).inserted }
  }

  /// The decoder for some bytes, by their content.
  ///
  /// - Throws: `emptyData`, `notAnImage`, `unsupportedType`.
  public func decoder(for data: Data) throws(DecodingError) -> any ImageDecoding {
    switch ContentKind(sniffing: data) {
    case .empty: throw .emptyData
    case .other(let kind): throw .notAnImage(kind: kind)
    case .unknown: throw .notAnImage(kind: nil)
    case .image(let type):
      guard let decoder = decoders.first(where: { $0.types.contains(type) }) else {
        throw .unsupportedType(type, reason: absent[type] ?? "no decoder is registered for it")
      }
      return decoder
    }
  }

  /// The encoder for a type.
  ///
  /// - Throws: `unsupportedType`.
  public func encoder(for type: ImageType) throws(EncodingError) -> any ImageEncoding {
    guard let encoder = encoders.first(where: { $0.type == type }) else { throw .unsupportedType(type) }
    return encoder
  }

  /// Reads the header of a file. No pixel memory is taken.
  ///
  /// - Throws: `DecodingError`; a header that declares more than the limits allow is still returned.
  public func header(
    of data: Data, limits: DecodingLimits = .default
  ) throws(DecodingError) -> ImageHeader {
    try decoder(for: data).header(of: data, limits: limits)
  }

  /// Encodes a picture.
  ///
  /// - Throws: `EncodingError`.
  public func encode(
    _ bitmap: Bitmap, as type: ImageType, options: EncodingOptions = .init()
  ) throws(EncodingError) -> Data {
    try encoder(for: type).encode(bitmap, options: options)
  }
}
