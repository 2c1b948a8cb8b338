import OzuBase
import OzuImaging

/// The metadata that a file keeps when it is cleaned.
public struct KeptMetadata: OptionSet, Hashable, Sendable {
  /// A bit for each part.
  public let rawValue: Int

  /// Makes a set.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The orientation, without which a picture of a turned camera lies on its side.
  public static let orientation = KeptMetadata(rawValue: 1)
  /// The ICC profile, without which the colours of a picture are others than those that were meant.
  public static let colorProfile = KeptMetadata(rawValue: 2)
  /// The names of the artist and of who holds the rights.
  public static let copyright = KeptMetadata(rawValue: 4)
  /// EXIF data, IPTC-IIM and comments, except for orientation, names, and everything that tells the place, or may: the
  /// directory of the place, the maker note, XMP, and the names of towns and countries in IPTC-IIM. Texts that people
  /// wrote are kept, whatever they contain.
  public static let details = KeptMetadata(rawValue: 8)

  /// The parts that a viewer needs to show the same picture: orientation and profile.
  public static let appearance: KeptMetadata = [.orientation, .colorProfile]
  /// Everything but the place.
  public static let everythingButPlace: KeptMetadata = [.orientation, .colorProfile, .copyright, .details]
}

/// A file without metadata that should not be passed on. Its coded pixels are those of the original, byte for byte: nothing
/// is decoded, and nothing encoded again.
///
/// ```swift
/// let cleaned = try CleanedFile(data, keeping: .everythingButPlace)
/// try cleaned.data.write(to: url)
/// ```
///
/// Only what makes the picture stays, and what was asked for; blocks of unknown kinds go, and so does everything after
/// the end of the picture: gain maps, further pictures, the video of a Motion Photo. JPEG, PNG, WebP and GIF can be
/// cleaned, animations too.
public struct CleanedFile: Hashable, Sendable {
  /// The bytes of the cleaned file.
  public let data: Data
  /// The format, which is that of the original.
  public let type: ImageType
  /// The parts that were left out, in words, each once. A file with content credentials (C2PA) that were left out says
  /// so here: after any change they would no longer fit the file.
  public let dropped: [String]
  /// Facts that people should know, such as that the picture now lies on its side.
  public let notes: [String]

  /// The formats that can be cleaned.
  public static let types: [ImageType] = [.jpeg, .png, .webp, .gif]

  /// Cleans a file, in this process. `ImagePipeline.cleaned(_:keeping:)` does it where the pipeline decodes the file.
  ///
  /// - Parameters:
  ///   - file: the whole file.
  ///   - kept: the metadata that stay; orientation and profile by default.
  /// - Throws: `ImageDecodingError`: `unsupportedType` for a format that cannot be cleaned, `corrupt` or `truncated` if the parts
  ///   of the file cannot be told from each other.
  /// - Complexity: O(bytes of the file).
  public init(_ file: Data, keeping kept: KeptMetadata = .appearance) throws(ImageDecodingError) {
    try self.init(file, keeping: kept, turns: false)
  }

  /// Cleans a file by some codecs: in another process if its decoder works there.
  ///
  /// - Parameter turns: whether the picture will be turned upright: EXIF data lose its size, and its resolution is turned.
  package init(
    _ file: Data, keeping kept: KeptMetadata, turns: Bool = false, by codecs: CodecRegistry,
    limits: DecodingLimits
  ) throws(ImageDecodingError) {
    type = try Self.cleanableType(of: file)
    let outcome = try codecs.rewritten(file, .file(keeping: kept, turns: turns), limits: limits)
    (data, dropped, notes) = (outcome.file, outcome.dropped, outcome.notes)
  }

  init(_ file: Data, keeping kept: KeptMetadata, turns: Bool) throws(ImageDecodingError) {
    let type = try Self.cleanableType(of: file)
    // Offsets count from the first byte of the file.
    let file = file.startIndex == 0 ? file : file.subdata(in: file.startIndex..<file.endIndex)
    var parts = CleanedParts(kept, turns: turns)
    switch type {
    case .jpeg: data = try JPEGCleaning.clean(file, &parts)
    case .png: data = try PNGCleaning.clean(file, &parts)
    case .webp: data = try WebPCleaning.clean(file, &parts)
    default: data = try GIFCleaning.clean(file, &parts)
    }
    self.type = type
    (dropped, notes) = (parts.dropped, parts.notes)
  }

  /// - Returns: one of `types`.
  private static func cleanableType(of file: Data) throws(ImageDecodingError) -> ImageType {
    switch ContentKind(sniffing: file) {
    case .image(let type) where types.contains(type): return type
    case .image(let type):
      throw .unsupportedType(type, reason: "it cannot be cleaned without encoding its picture again")
    case .other(let kind): throw .notAnImage(kind: kind)
    case .empty: throw .emptyData
    case .unknown: throw .notAnImage(kind: nil)
    }
  }

  private init(_ data: Data, _ old: CleanedFile, adding note: String) {
    (self.data, type, dropped, notes) = (data, old.type, old.dropped, old.notes + [note])
  }
}

/// The metadata of a file that is being cleaned, and the report.
struct CleanedParts {
  let kept: KeptMetadata
  let turns: Bool
  var exif: Data?
  var xmp: Data?
  var extendedXMP: Data?
  var iptc: Data?
  /// EXIF data at a place where viewers do not look. Only names are taken from them.
  var hiddenEXIF: Data?
  private(set) var dropped: [String] = []
  var notes: [String] = []

  static let credentials = "content credentials (C2PA)"
  static let stage = "parts"

  init(_ kept: KeptMetadata, turns: Bool) { (self.kept, self.turns) = (kept, turns) }

  mutating func drop(_ name: String) {
    if !dropped.contains(name) { dropped.append(name) }
  }

  /// Names the bytes after the end of the picture.
  mutating func dropEnd(_ bytes: Span<UInt8>) {
    // Some writers fill up the file with zeros.
    guard let first = (0..<min(bytes.count, 1 << 16)).first(where: { bytes[$0] != 0 }) else { return }
    let kind =
      if bytes.hasBytes("ftyp", at: first + 4) || bytes.hasBytes("MotionPhoto_Data", at: first) {
        "a video"
      } else if bytes.byte(at: first) == 0xFF, bytes.byte(at: first + 1) == JPEGMarker.startOfImage {
        xmp.map { JPEGGainMap.isAnnounced(in: $0.span) } == true ? "a gain map" : "a further picture"
      } else { "no part of it" }
    drop("\(bytes.count) bytes after the picture: \(kind)")
  }

  /// The EXIF data to write; `nil` for none.
  mutating func keptEXIF() -> Data? {
    let old = exif.flatMap { try? EXIFBlock($0.span) }
    if exif != nil, old == nil, exif?.isEmpty == false { drop("EXIF data that are damaged") }
    var block = kept.contains(.details) ? old ?? EXIFBlock() : EXIFBlock()
    if kept.contains(.details) {
      if !block.place.isEmpty { drop("the place") }
      block.place = []
      if block.details.contains(where: { $0.tag == EXIFTag.makerNote }) { drop("the maker note") }
      block.details.removeAll { $0.tag == EXIFTag.makerNote }
      if !kept.contains(.copyright), block.removeNames() { drop("the names") }
      if let exif, EXIFMetadata.find(in: exif.span)?.hasThumbnail == true { drop("the thumbnail") }
    }
    block.remove([EXIFTag.orientation, EXIFTag.copyright, EXIFTag.artist])
    let orientation = exif.flatMap { EXIFOrientation.find(in: $0.span) } ?? .up
    if turns { block.turn(from: orientation) }
    if orientation != .up {
      if kept.contains(.orientation) {
        block.set(EXIFTag.orientation, to: orientation.rawValue, in: \.picture)
      } else {
        drop("the orientation")
        notes.append(
          "the picture lies as it is stored: its orientation (\(orientation.rawValue)) is left out")
      }
    }
    if kept.contains(.copyright) {
      let values = MetadataValues(
        exif: exif ?? hiddenEXIF, iptc: iptc, iptcDigest: nil, xmp: xmp, extendedXMP: extendedXMP)
      if let artist = values.artist { block.set(EXIFTag.artist, to: artist) }
      if let copyright = values.copyright { block.set(EXIFTag.copyright, to: copyright) }
    }
    if !kept.contains(.details), let old {
      let keptTags: Set = [EXIFTag.orientation, EXIFTag.copyright, EXIFTag.artist]
      let names = [EXIFTag.copyright, EXIFTag.artist]
      let losesNames = !kept.contains(.copyright) && old.picture.contains { names.contains($0.tag) }
      if losesNames || !old.details.isEmpty || old.picture.contains(where: { !keptTags.contains($0.tag) }) {
        drop("EXIF data")
      }
      if !old.place.isEmpty { drop("the place") }
    }
    return block.isEmpty ? nil : Data(block.serialized())
  }
}

extension EXIFBlock {
  /// Removes the names of the artist and of who holds the rights.
  ///
  /// - Returns: whether there were some.
  fileprivate mutating func removeNames() -> Bool {
    let count = picture.count + details.count
    remove([EXIFTag.artist, EXIFTag.copyright, EXIFTag.authorOfWindows])
    details.removeAll { $0.tag == EXIFTag.photographer }
    return picture.count + details.count < count
  }

  /// Removes the size of a picture that will be turned upright, and turns its resolution.
  fileprivate mutating func turn(from orientation: Orientation) {
    details.removeAll { [EXIFTag.width, EXIFTag.height].contains($0.tag) }
    guard orientation.swapsAxes else { return }
    picture = picture.map { entry in
      switch entry.tag {
      case EXIFTag.horizontalResolution: entry.withTag(EXIFTag.verticalResolution)
      case EXIFTag.verticalResolution: entry.withTag(EXIFTag.horizontalResolution)
      default: entry
      }
    }
  }
}

extension CleanedFile {
  /// The file with its picture stored upright, without loss: the coefficients of a JPEG change their places and signs, and no
  /// pixel is decoded.
  ///
  /// A picture whose mirrored sides are no multiples of its blocks (8 or 16 pixels) cannot be turned in this way, nor can one
  /// that is damaged or beyond the limits. It stays as it is, with its orientation, and a note says why. Other formats
  /// stay as they are.
  ///
  /// - Parameter codecs: the codecs that turn. Those of a pipeline that requires isolation do it in a process of their own, as
  ///   `ImagePipeline.turnedUpright(_:)` does; the standard ones let libjpeg read the file in this process, so it should
  ///   be one that you trust.
  /// - Complexity: O(pixels) in time, and in memory four bytes for each pixel of each component.
  public func turnedUpright(by codecs: CodecRegistry, limits: DecodingLimits = .default) -> CleanedFile {
    guard type == .jpeg else { return self }
    do throws(ImageDecodingError) {
      let header = try codecs.header(of: data, limits: limits)
      let orientation = header.orientation
      guard orientation != .up else { return self }
      let bare = try CleanedFile(
        data, keeping: .everythingButPlace.subtracting(.orientation), turns: true, by: codecs, limits: limits)
      let turned = try codecs.turned(bare.data, from: orientation, limits: limits)
      // The bytes may be those of another process, which the file may have taken over.
      guard let result = try? codecs.header(of: turned, limits: limits), result.orientation == .up,
        result.storedSize == orientation.applied(to: header.storedSize)
      else { throw .corrupt(.jpeg, stage: "turn", reason: "the result is another picture") }
      return CleanedFile(turned, self, adding: "it is stored upright now")
    } catch {
      return CleanedFile(data, self, adding: "it is not turned without loss: \(error.reasonAlone)")
    }
  }
}
