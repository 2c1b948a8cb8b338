import OzuBase

/// The available decoders and encoders, found by the content of a file or the name of a type.
///
/// A value: `var codecs = CodecRegistry.standard; codecs.register(decoder: MyDecoder())`. The codec that is
/// registered last is asked first, so an app can replace a built-in codec. If a codec declines a file or a bitmap,
/// the next one is asked.
public struct CodecRegistry: Sendable {
  private var decoders: [any ImageDecoding] = []
  /// The number of decoders at the end of the list that are built in.
  private var builtInCount = 0
  /// The number of decoders before those that work in other processes.
  private var isolatedCount = 0
  private var encoders: [any ImageEncoding] = []
  private(set) var animationEncoders: [any AnimationEncoding] = []
  private var absent: [ImageType: String] = [:]
  private(set) var colorConverter: (any ColorConverting)?
  /// Draws the documents of labels, in this process.
  private var labelDecoder: (any ImageDecoding)?
  /// The same in other processes, where decoders are isolated.
  private var isolatedLabelDecoder: (any ImageDecoding)?
  /// How pictures are stored; another value than the default is only for tests of decoders.
  package var alpha = Alpha.premultiplied

  /// Makes a registry without codecs.
  public init() {}

  /// Adds a decoder, which is asked before all others.
  public mutating func register(decoder: any ImageDecoding) {
    decoders.insert(decoder, at: 0)
  }

  /// Marks all decoders registered so far as those of Ozu, not of an app.
  package mutating func markBuiltIn() {
    builtInCount = decoders.count
  }

  /// The formats of the decoders of Ozu, each once.
  package var builtInTypes: [ImageType] { Self.unique(decoders.suffix(builtInCount).flatMap(\.types)) }

  /// Adds decoders that work in other processes: before the built-in ones, and after those of the app. They replace
  /// the decoders of an earlier call.
  ///
  /// - Parameter make: makes the decoder of a type, from the built-in one if there is one.
  package mutating func isolateBuiltIn(
    _ types: [ImageType], _ make: (ImageType, (any ImageDecoding)?) -> (any ImageDecoding)?
  ) {
    let end = decoders.count - builtInCount
    let builtIn = decoders[end...]
    let isolated = types.compactMap { type in make(type, builtIn.first { $0.types.contains(type) }) }
    decoders.replaceSubrange((end - isolatedCount)..<end, with: isolated)
    isolatedCount = isolated.count
  }

  /// Sets the decoder of labels. It reads no other files, and `decoder(for:)` never returns it.
  package mutating func register(labelDecoder: any ImageDecoding) {
    self.labelDecoder = labelDecoder
  }

  /// Sets a decoder of labels that works in other processes; `nil` for none.
  ///
  /// - Parameter make: makes it from the one that works in this process.
  package mutating func isolateLabels(_ make: (any ImageDecoding) -> (any ImageDecoding)?) {
    isolatedLabelDecoder = labelDecoder.flatMap(make)
  }

  /// Adds an encoder, which is asked before all others.
  public mutating func register(encoder: any ImageEncoding) {
    encoders.insert(encoder, at: 0)
  }

  /// Adds an encoder of animations, which is asked before all others.
  public mutating func register(animationEncoder: any AnimationEncoding) {
    animationEncoders.insert(animationEncoder, at: 0)
  }

  /// Sets the converter of colours to sRGB. Without one, colours stay as stored.
  public mutating func register(colorConverter: any ColorConverting) {
    self.colorConverter = colorConverter
  }

  /// Sets the reason why a known format has no decoder here. The error about such a file contains it.
  public mutating func explainAbsence(of type: ImageType, _ reason: String) {
    absent[type] = reason
  }

  /// The formats that can be read, each once, those registered last first.
  public var decodableTypes: [ImageType] { Self.unique(decoders.flatMap(\.types)) }

  /// The formats that can be written, each once, those registered last first. If libraries are loaded at their
  /// first use and the library of a format is missing, `encode` throws.
  public var encodableTypes: [ImageType] { Self.unique(encoders.map(\.type)) }

  /// Loads the libraries that decoders otherwise load when they open their first file: on Linux those of HEIC,
  /// AVIF, JPEG XL, TIFF and SVG.
  ///
  /// For a process that will give up the right to open files, for a server whose first request must not wait (2 to
  /// 15 ms of processor time for each library, and the disk), and to find out which libraries are missing. It waits
  /// for the disk, so do not call it on Swift's cooperative pool.
  /// - Throws: `unsupportedType` for the first format that has no decoder or whose library is not installed.
  public func prepare(for types: [ImageType]) throws(ImageDecodingError) {
    for type in types {
      guard let decoder = decoders.first(where: { $0.types.contains(type) }) else {
        throw .unsupportedType(type, reason: absent[type] ?? "no decoder is registered for it")
      }
      try decoder.prepare()
    }
  }

  /// The formats that animations can be written in, each once, those registered last first.
  public var encodableAnimationTypes: [ImageType] { Self.unique(animationEncoders.map(\.type)) }

  private static func unique(_ types: [ImageType]) -> [ImageType] {
    var seen: Set<ImageType> = []
    return types.filter { seen.insert($0).inserted }
  }

  /// The decoder for some bytes: the first one that accepts their content.
  ///
  /// - Throws: `emptyData`, `notAnImage`, `unsupportedType`.
  public func decoder(for data: Data) throws(ImageDecodingError) -> any ImageDecoding {
    let kind = ContentKind(sniffing: data)
    if kind == .empty { throw .emptyData }
    let type: ImageType? = if case .image(let type) = kind { type } else { nil }
    if let decoder = decoders.first(where: { $0.accepts(data, as: type) }) { return decoder }
    guard let type else {
      if case .other(let words) = kind { throw .notAnImage(kind: words) }
      throw .notAnImage(kind: nil)
    }
    let hasDeclined = decoders.contains { $0.types.contains(type) }
    throw .unsupportedType(
      type,
      reason: absent[type]
        ?? (hasDeclined
          ? "no decoder takes this file"
          : ImageFormat.of(type).isRead ? "no decoder is registered for it" : "Ozu has no decoder for it"))
  }

  /// The encoder for a type.
  ///
  /// - Throws: `unsupportedType`.
  public func encoder(for type: ImageType) throws(ImageEncodingError) -> any ImageEncoding {
    guard let encoder = encoders.first(where: { $0.type == type }) else { throw .unsupportedType(type) }
    return encoder
  }

  /// Reads the header of a file, and which frames of an animation are not shown. No pixel memory is taken.
  ///
  /// - Throws: `ImageDecodingError`; a header that declares more than the limits allow is still returned.
  public func header(
    of data: Data, limits: DecodingLimits = .default
  ) throws(ImageDecodingError) -> ImageHeader {
    let file = try open(data, limits: limits)
    var header = file.header
    _ = composer(of: file, limits: limits, notes: &header.notes)
    return header
  }

  /// Reads the blocks that a file holds beside its pixels: EXIF data, XMP, an ICC profile, the resolution.
  ///
  /// - Throws: `ImageDecodingError`, when the file cannot be opened.
  public func metadata(
    of data: Data, limits: DecodingLimits = .default
  ) throws(ImageDecodingError) -> ImageMetadata {
    var metadata = try open(data, limits: limits).readMetadata()
    // Whatever a file says, and in isolation as here.
    metadata.resolution = metadata.resolution?.valid
    return metadata
  }

  /// Turns a file upright without loss: what is stored changes its place, and no pixel is decoded.
  ///
  /// - Parameter orientation: how the picture is turned upright.
  /// - Throws: `ImageDecodingError`; `unsupportedType` if the picture cannot be turned in this way.
  package func turned(
    _ data: Data, from orientation: Orientation, limits: DecodingLimits
  ) throws(ImageDecodingError) -> Data {
    let decoder = try decoder(for: data)
    guard let decoder = decoder as? any LosslessTurning else {
      throw .unsupportedType(
        decoder.types.first ?? ImageType(rawValue: "image"), reason: "no decoder here can turn it")
    }
    return try decoder.turned(data, from: orientation, limits: limits)
  }

  /// Stores a JPEG in another format without loss, or gives back a stored one; no pixel is decoded.
  ///
  /// - Parameter type: the format that stores it.
  /// - Throws: `ImageDecodingError`; `unsupportedType` if no decoder here can do it, or not with this file.
  package func transcoded(
    _ data: Data, _ way: JPEGTranscoding, by type: ImageType, limits: DecodingLimits
  ) throws(ImageDecodingError) -> Data {
    for decoder in decoders where decoder.types.contains(type) {
      guard let decoder = decoder as? any JPEGStoring else { continue }
      return try decoder.transcoded(data, way, limits: limits)
    }
    throw .unsupportedType(type, reason: "no decoder here stores a JPEG in it")
  }

  /// Opens a file: finds its decoder, which reads the header. No pixel memory is taken.
  ///
  /// - Throws: `ImageDecodingError`; a file that declares more than the limits allow is still opened.
  public func open(
    _ data: Data, limits: DecodingLimits = .default
  ) throws(ImageDecodingError) -> any ImageFile {
    try decoder(for: data).openChecked(data, limits: limits)
  }

  /// Encodes the pixels of a picture. A picture that is not decoded yet is decoded first.
  public func encode(
    _ picture: Picture, as type: ImageType, options: EncodingOptions = .init()
  ) throws(ImageEncodingError) -> Data {
    do throws(ImageDecodingError) {
      try picture.decode()
    } catch {
      throw .failed(type, reason: "the picture cannot be decoded: \(error)")
    }
    return try encode(picture.bitmap, as: type, options: options)
  }

  /// Encodes a bitmap with the first encoder of the type that accepts it, with the score of
  /// `targetScore` and in at most `maximumByteCount` bytes if the options say so.
  ///
  /// - Complexity: eight times the work if a limit on bytes is exceeded at the wanted quality; at most four times, with
  ///   decoding and comparing, for a target score.
  public func encode(
    _ bitmap: Bitmap, as type: ImageType, options: EncodingOptions = .init()
  ) throws(ImageEncodingError) -> Data {
    let first = try encoder(for: type)
    guard let encoder = encoders.first(where: { $0.type == type && $0.accepts(bitmap, options: options) })
    else { throw .failed(first.type, reason: "no encoder takes this bitmap") }
    if !encoder.writesColorCodes { try Self.refuseColorCodes(bitmap.colorSpace, encoder.type) }
    return try encoder.encode(bitmap, searching: options, with: self)
  }

  /// Refuses colours that would be taken for sRGB in a file that does not say what they are.
  static func refuseColorCodes(
    _ colorSpace: ColorSpaceTag, _ type: ImageType
  ) throws(ImageEncodingError) {
    guard case .coded(let primaries, let transfer) = colorSpace else { return }
    throw .failed(type, reason: "it has no place for the colours of H.273 \(primaries)/\(transfer)")
  }
}

/// The part of a header that the beginning of a file states.
///
/// Most formats state everything before the first pixel. Some do not: in GIF, JPEG XL and animated PNG and WebP the
/// number of frames is known only at the end, WebP may state its orientation after the pixels, a BMP or TGA of 32 bits has alpha if
/// any pixel has, the largest picture of an icon may be its last, and a gain map is another picture, behind the first.
package enum BeginningHeader {
  /// More bytes are needed.
  case tooShort
  /// The size is known; the rest is known only at the end or, if the range is not `nil`, with these bytes.
  case sized(PixelSize, missing: Range<Int>? = nil)
  /// The header is complete.
  case settled(ImageHeader)

  package var size: PixelSize? {
    switch self {
    case .tooShort: nil
    case .sized(let size, _): size
    case .settled(let header): header.size
    }
  }

  /// The bytes that complete the header; `nil` if they are not known, or if it is complete.
  package var missing: Range<Int>? {
    if case .sized(_, let missing) = self { missing } else { nil }
  }
}

extension CodecRegistry {
  /// Measures and draws labels: in other processes where decoders are isolated, otherwise in this one.
  ///
  /// It needs the trait `SVG` and Pango, which comes with librsvg; `LabelError.unavailable` says what is missing.
  public var labelDrawing: any LabelDrawing {
    DocumentLabelDrawing(decoder: isolatedLabelDecoder ?? labelDecoder, absence: absent[.label])
  }

  /// Reads what the beginning of a file states of its header.
  package func header(ofBeginning data: Data, limits: DecodingLimits) -> BeginningHeader {
    // The largest preview of a camera RAW that is cut is behind the end of these bytes.
    guard let header = try? open(data, limits: limits).header, !header.size.isEmpty,
      header.cameraRAW?.isCut != true
    else { return .tooShort }
    let isComplete: Bool
    switch header.type {
    case .gif, .jxl: isComplete = false
    // `acTL` must be among the first chunks to count.
    case .png: isComplete = !data.hasEarly("acTL")
    // EXIF data may be later in the file. The orientation is not part of it. A gain map has its numbers there, and its place
    // is that of the whole file.
    case .avif, .heic:
      isComplete =
        (header.metadata != nil || !data.hasEarly("Exif")) && !data.hasEarly("tmap")
        && !data.hasEarly("aux:hdrgainmap")
    case .jpeg: isComplete = header.missingBytes == nil
    // A later pixel of 32 bits may have alpha. The header of the file, which begins with a B, has 14 bytes.
    case .bmp:
      isComplete = header.hasAlpha || data.dropFirst(data.first == UInt8(ascii: "B") ? 28 : 14).first != 32
    case .tga: isComplete = header.hasAlpha || data.dropFirst(16).first != 32
    // A larger picture may be behind the end of these bytes.
    case .ico, .icns:
      if header.notes.contains(where: { $0.hasPrefix(PictureNotes.cut) }) { return .tooShort }
      isComplete = true
    case .webp:
      let flags = data.webPFlags
      // The orientation in the EXIF data may swap width and height.
      if flags & 0x08 != 0 { return .tooShort }
      // Animated.
      isComplete = flags & 0x02 == 0
    default: isComplete = true
    }
    return isComplete && header.frameCount <= 1
      ? .settled(header) : .sized(header.size, missing: header.missingBytes)
  }
}

extension Data {
  /// Whether the first 64 KB have this text.
  fileprivate func hasEarly(_ text: String) -> Bool {
    let sought = Array(text.utf8)
    return prefix(1 << 16).withUnsafeBytes { bytes in
      bytes.indices.contains { bytes[$0] == sought.first && bytes[$0...].starts(with: sought) }
    }
  }

  /// The flags of `VP8X` (RFC 9649 §2.7); none in a file without.
  fileprivate var webPFlags: UInt8 {
    let bytes = prefix(21)
    guard bytes.count == 21, bytes.dropFirst(12).prefix(4).elementsEqual("VP8X".utf8) else { return 0 }
    return bytes.last ?? 0
  }
}
