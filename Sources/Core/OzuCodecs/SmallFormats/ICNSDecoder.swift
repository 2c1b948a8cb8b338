import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Decodes Apple icons, in Swift: the largest picture in the file that is a PNG, a JPEG, or run-length coded ARGB, or RGB
/// with its mask, run-length coded or plain. JPEG 2000 is not supported.
public struct ICNSDecoder: ImageDecoding {
  private let alpha: Alpha
  private let inner: [any ImageDecoding]

  /// Makes a decoder.
  ///
  /// - Parameter inner: the decoders of the pictures that are PNG and JPEG.
  public init(inner: [any ImageDecoding] = []) { self.init(alpha: .premultiplied, inner: inner) }

  package init(alpha: Alpha, inner: [any ImageDecoding]) {
    self.alpha = alpha
    self.inner = inner
  }

  /// ICNS.
  public var types: [ImageType] { [.icns] }

  /// Opens a file: reads the list of its pictures and the header of the largest one that can be read.
  ///
  /// - Throws: `corrupt`, `truncated`; `unsupportedType` if no picture can be read.
  /// - Complexity: O(pictures), 256 at most.
  public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
    let directory = try ICNSDirectory(data.span)
    let notes = directory.isCut ? ["the file is cut off: it may have had a larger picture"] : []
    var failure: ImageDecodingError?
    for entry in directory.pictures.sorted(by: { $0.side > $1.side }) {
      do throws(ImageDecodingError) {
        if let side = entry.codedSide {
          var header = ImageHeader(type: .icns, storedSize: PixelSize(side, side), hasAlpha: true)
          header.notes = notes
          let rows = try ICNSRows(data.span, entry, directory.all, side: side)
          return SampleFile(data, header, alpha: alpha) { rows }
        }
        return try open(
          data[data.startIndex + entry.range.lowerBound..<data.startIndex + entry.range.upperBound], limits,
          notes)
      } catch {
        failure = failure ?? error.named(.icns, part: "picture")
      }
    }
    if directory.isCut { throw .truncated(.icns, stage: "directory") }
    if failure == nil, directory.hasFewBits {
      throw .unsupportedType(.icns, reason: "its pictures have 1, 4 or 8 bits")
    }
    throw failure ?? .corrupt(.icns, stage: "directory", reason: "no pictures")
  }

  private func open(
    _ content: Data, _ limits: DecodingLimits, _ notes: [String]
  ) throws(ImageDecodingError) -> any ImageFile {
    guard case .image(let type) = ContentKind(sniffing: content) else {
      throw .corrupt(.icns, stage: "directory", reason: "a picture in no known format")
    }
    guard let decoder = inner.first(where: { $0.accepts(content, as: type) }) else {
      throw .unsupportedType(.icns, reason: "its picture is \(type.displayName)")
    }
    return EnclosedFile(try decoder.open(content, limits: limits), as: .icns, notes: notes)
  }
}

/// The pictures of an Apple icon.
struct ICNSDirectory {
  struct Entry {
    let kind: String
    let range: Range<Int>
    /// The side in pixels, by the kind.
    let side: Int
    /// The side of pixels that are stored in the icon itself; `nil` for a file inside.
    let codedSide: Int?
  }

  /// Icons have a dozen pictures; those beyond this number are ignored.
  private static let entryLimit = 256

  /// The sides of the kinds whose contents are files.
  private static let files = [
    "icp4": 16, "icp5": 32, "icp6": 64, "ic07": 128, "ic08": 256, "ic09": 512, "ic10": 1024, "ic11": 32,
    "ic12": 64,
    "ic13": 256, "ic14": 512, "icsB": 36, "SB24": 48, "sb24": 24,
  ]
  /// The sides of the kinds of run-length coded pixels, with alpha inside, or with a mask beside them.
  static let withAlpha = ["ic04": 16, "ic05": 32, "icsb": 18]
  static let masks = ["is32": "s8mk", "il32": "l8mk", "ih32": "h8mk", "it32": "t8mk"]
  private static let withMask = ["is32": 16, "il32": 32, "ih32": 48, "it32": 128]
  private static let maskKinds = Set(masks.values)
  /// The kinds of 1, 4 and 8 bits a pixel, of Mac OS before 8.5.
  private static let kindsOfFewBits: Set = [
    "ICON", "ICN#", "icm#", "icm4", "icm8", "ics#", "ics4", "ics8", "icl4", "icl8", "ich#", "ich4", "ich8",
  ]

  /// The pictures and masks, in the order of the file.
  let all: [Entry]
  /// Whether there are pictures of 1, 4 or 8 bits, which are not among the others.
  let hasFewBits: Bool
  /// Whether the file is shorter than it says.
  let isCut: Bool
  /// The pictures.
  var pictures: [Entry] { all.filter { !Self.maskKinds.contains($0.kind) } }

  /// - Throws: `corrupt`, `truncated`.
  init(_ bytes: Span<UInt8>) throws(ImageDecodingError) {
    guard let byteCount = bytes.bigEndian(at: 4, bytes: 4) else {
      throw .truncated(.icns, stage: "directory")
    }
    isCut = byteCount > bytes.count
    var found: [Entry] = []
    var hasFewBits = false
    var position = 8
    while found.count < Self.entryLimit, let length = bytes.bigEndian(at: position + 4, bytes: 4) {
      guard length >= 8 else {
        throw .corrupt(.icns, stage: "directory", reason: "a picture of \(length) bytes")
      }
      let kind = String(decoding: bytes.copy(from: position, byteCount: 4), as: UTF8.self)
      guard length <= bytes.count - position else {
        if found.isEmpty { throw .truncated(.icns, stage: "directory") }
        break
      }
      let range = position + 8..<position + length
      position += length
      hasFewBits = hasFewBits || Self.kindsOfFewBits.contains(kind)
      // A kind of either sort may also contain a file.
      let isFile =
        bytes.bigEndian(at: range.lowerBound, bytes: 4).map { $0 == 0x8950_4E47 || $0 >> 8 == 0xFF_D8FF }
        ?? false
      let side = Self.files[kind] ?? Self.withAlpha[kind] ?? Self.withMask[kind]
      let isCoded = !isFile && Self.files[kind] == nil
      guard side != nil || Self.maskKinds.contains(kind) else { continue }
      found.append(Entry(kind: kind, range: range, side: side ?? 0, codedSide: isCoded ? side : nil))
    }
    all = found
    self.hasFewBits = hasFewBits
  }
}

/// Reads pixels that are stored channel by channel, run-length coded, or plainly pixel by pixel.
struct ICNSRows: SampleRowReading {
  private let channels: [[UInt8]]
  private let side: Int
  private var y = 0

  /// - Throws: `truncated`.
  init(
    _ bytes: Span<UInt8>, _ entry: ICNSDirectory.Entry, _ all: [ICNSDirectory.Entry], side: Int
  ) throws(ImageDecodingError) {
    self.side = side
    let hasAlpha = ICNSDirectory.withAlpha[entry.kind] != nil
    // "ARGB" stands before pixels with alpha, and four zeros before the largest ones with a mask.
    let start = entry.range.lowerBound + (hasAlpha || entry.kind == "it32" ? 4 : 0)
    var channels: [[UInt8]]
    do throws(ImageDecodingError) {
      channels = try Self.channels(
        bytes, start..<entry.range.upperBound, hasAlpha ? 4 : 3, count: side * side)
    } catch {
      let plain = Self.plainChannels(bytes, start..<entry.range.upperBound, count: side * side)
      guard !hasAlpha, let plain else { throw error }
      channels = plain
    }
    if !hasAlpha {
      let mask = all.first { $0.kind == ICNSDirectory.masks[entry.kind] && $0.range.count >= side * side }
      let alpha = mask.map { bytes.copy(from: $0.range.lowerBound, byteCount: side * side) }
      channels.insert(alpha ?? Array(repeating: 255, count: side * side), at: 0)
    }
    self.channels = channels
  }

  /// The channels of run-length coded pixels. Where plain pixels would have the same length, nothing may follow.
  private static func channels(
    _ bytes: Span<UInt8>, _ range: Range<Int>, _ channelCount: Int, count: Int
  ) throws(ImageDecodingError) -> [[UInt8]] {
    var position = range.lowerBound
    var channels: [[UInt8]] = []
    for _ in 0..<channelCount {
      channels.append(try channel(bytes.extracting(..<range.upperBound), &position, count: count))
    }
    guard channelCount > 3 || position == range.upperBound || plainWidth(range, count: count) == nil else {
      throw .corrupt(.icns, stage: "pixels", reason: "bytes after the picture")
    }
    return channels
  }

  /// The bytes of a plain pixel; `nil` if the pixels must be coded. Codes never take a third more bytes than pixels.
  private static func plainWidth(_ range: Range<Int>, count: Int) -> Int? {
    range.count == 3 * count ? 3 : range.count >= 4 * count ? 4 : nil
  }

  /// The red, green and blue of plain pixels, as some programs write them: three bytes, or four of which the first is empty.
  private static func plainChannels(_ bytes: Span<UInt8>, _ range: Range<Int>, count: Int) -> [[UInt8]]? {
    guard let width = plainWidth(range, count: count) else { return nil }
    return (width - 3..<width).map { channel in
      (0..<count).map { bytes[range.lowerBound + $0 * width + channel] }
    }
  }

  /// A byte below 128 is followed by that many and one more; another one by a byte that is repeated 3 to 130 times.
  private static func channel(
    _ bytes: Span<UInt8>, _ position: inout Int, count: Int
  ) throws(ImageDecodingError) -> [UInt8] {
    var values: [UInt8] = []
    while values.count < count {
      guard let code = bytes.byte(at: position), let value = bytes.byte(at: position + 1) else {
        throw .truncated(.icns, stage: "pixels")
      }
      if code < 128 {
        values += bytes.copy(from: position + 1, byteCount: Int(code) + 1)
        position += Int(code) + 2
      } else {
        values += repeatElement(value, count: Int(code) - 125)
        position += 2
      }
    }
    return values
  }

  mutating func readRow(_ bytes: Span<UInt8>, into row: inout [SIMD4<UInt16>]) throws(ImageDecodingError)
    -> Bool
  {
    for x in row.indices {
      let index = y * side + x
      row[x] = SIMD4(
        red: channels[1][index], green: channels[2][index], blue: channels[3][index],
        alpha: channels[0][index])
    }
    y += 1
    return true
  }
}
