import OzuBase
import OzuImaging

/// Decodes Apple icons, in Swift: the largest picture in the file that is a PNG, a JPEG, or run-length coded ARGB, or RGB
/// with its mask, run-length coded or plain. JPEG 2000 is not supported.
public struct ICNSDecoder: ImageDecoding {
  /// The note about an icon that ends before one of its pictures does.
  static let cutNote = "\(PictureNotes.cut)it may have had a larger picture"

  private let inner: [any ImageDecoding]

  /// Makes a decoder.
  ///
  /// - Parameter inner: the decoders of the pictures that are PNG and JPEG.
  public init(inner: [any ImageDecoding] = []) { self.inner = inner }

  /// ICNS.
  public var types: [ImageType] { [.icns] }

  /// Opens a file: reads the list of its pictures and the header of the largest one that can be read.
  ///
  /// - Throws: `corrupt`, `truncated`; `unsupportedType` if no picture can be read.
  /// - Complexity: O(pictures), 256 at most.
  public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
    let directory = try ICNSDirectory(data.span)
    var failure: (side: Int, error: ImageDecodingError)?
    for entry in directory.pictures.sorted(by: { $0.side > $1.side }) {
      let part = data.part(entry.range)
      var notes = directory.isCut ? [Self.cutNote] : []
      if let failure, failure.side > entry.side {
        notes.append("a larger picture is left out: \(failure.error.reasonAlone)")
      }
      do throws(ImageDecodingError) {
        guard let coding = entry.coding else {
          return try EnclosedFile(opening: part, in: .icns, with: inner, limits: limits, notes: notes)
        }
        var header = ImageHeader(
          type: .icns, storedSize: PixelSize(entry.side, entry.side), hasAlpha: true)
        header.notes = notes
        let mask = coding.mask.flatMap { directory.masks[$0] }.map { data.part($0) }
        let rows = try ICNSRows(part.span, coding, side: entry.side, mask: mask)
        return SampleFile(data, SampleContents(header: header, rows: rows))
      } catch {
        failure = failure ?? (side: entry.side, error: error.named(.icns, part: "picture"))
      }
    }
    if directory.isCut { throw .truncated(.icns, stage: "directory") }
    if failure == nil, directory.hasFewBits {
      throw .unsupportedType(.icns, reason: "its pictures have 1, 4 or 8 bits")
    }
    throw failure?.error ?? .corrupt(.icns, stage: "directory", reason: "no pictures")
  }
}

/// How pixels are stored in an icon itself: run-length coded, channel by channel.
struct ICNSCoding {
  /// The kind of the mask beside the colours; `nil` if alpha is before them.
  let mask: String?
  /// The bytes before the pixels: "ARGB" before those with alpha, and four zeros before the largest ones with a mask.
  let prefix: Int
}

struct ICNSDirectory {
  struct Entry {
    let range: Range<Int>
    /// The side in pixels, by the kind.
    let side: Int
    /// `nil` for a file inside.
    let coding: ICNSCoding?
  }

  /// Icons have a dozen pictures; those beyond this number are ignored.
  private static let entryLimit = 256

  /// The sides of the kinds whose contents are files.
  private static let files = [
    "icp4": 16, "icp5": 32, "icp6": 64, "ic07": 128, "ic08": 256, "ic09": 512, "ic10": 1024, "ic11": 32,
    "ic12": 64, "ic13": 256, "ic14": 512, "icsB": 36, "SB24": 48, "sb24": 24,
  ]
  /// The sides of the kinds of coded pixels, with alpha inside, or with a mask beside them.
  private static let coded: [String: (side: Int, coding: ICNSCoding)] = [
    "ic04": (16, ICNSCoding(mask: nil, prefix: 4)), "ic05": (32, ICNSCoding(mask: nil, prefix: 4)),
    "icsb": (18, ICNSCoding(mask: nil, prefix: 4)), "is32": (16, ICNSCoding(mask: "s8mk", prefix: 0)),
    "il32": (32, ICNSCoding(mask: "l8mk", prefix: 0)), "ih32": (48, ICNSCoding(mask: "h8mk", prefix: 0)),
    "it32": (128, ICNSCoding(mask: "t8mk", prefix: 4)),
  ]
  private static let maskKinds: Set = ["s8mk", "l8mk", "h8mk", "t8mk"]
  /// The kinds of 1, 4 and 8 bits a pixel, of Mac OS before 8.5.
  private static let kindsOfFewBits: Set = [
    "ICON", "ICN#", "icm#", "icm4", "icm8", "ics#", "ics4", "ics8", "icl4", "icl8", "ich#", "ich4", "ich8",
  ]

  private(set) var pictures: [Entry] = []
  /// The places of the masks, by their kinds.
  private(set) var masks: [String: Range<Int>] = [:]
  /// Whether there are pictures of 1, 4 or 8 bits, which are not among the others.
  private(set) var hasFewBits = false
  /// Whether the file is shorter than it says.
  let isCut: Bool

  /// - Throws: `corrupt`, `truncated`.
  init(_ bytes: Span<UInt8>) throws(ImageDecodingError) {
    guard let byteCount = bytes.bigEndian(at: 4, bytes: 4) else {
      throw .truncated(.icns, stage: "directory")
    }
    isCut = byteCount > bytes.count
    var position = 8
    while pictures.count < Self.entryLimit, let length = bytes.bigEndian(at: position + 4, bytes: 4) {
      guard length >= 8 else {
        throw .corrupt(.icns, stage: "directory", reason: "a picture of \(length) bytes")
      }
      guard length <= bytes.count - position else {
        if pictures.isEmpty { throw .truncated(.icns, stage: "directory") }
        break
      }
      add(
        String(decoding: bytes.copy(from: position, byteCount: 4), as: UTF8.self),
        position + 8..<position + length, bytes)
      position += length
    }
  }

  private mutating func add(_ kind: String, _ range: Range<Int>, _ bytes: Span<UInt8>) {
    // A kind of either sort may also contain a file.
    let start = bytes.bigEndian(at: range.lowerBound, bytes: 4) ?? 0
    let isFile = start == 0x8950_4E47 || start >> 8 == 0xFF_D8FF
    if Self.maskKinds.contains(kind) {
      masks[kind] = masks[kind] ?? range
    } else if Self.kindsOfFewBits.contains(kind) {
      hasFewBits = true
    } else if let (side, coding) = Self.coded[kind] {
      pictures.append(Entry(range: range, side: side, coding: isFile ? nil : coding))
    } else if let side = Self.files[kind] {
      pictures.append(Entry(range: range, side: side, coding: nil))
    }
  }
}

/// Reads pixels that are stored channel by channel, run-length coded, or plainly pixel by pixel.
struct ICNSRows: SampleRowReading {
  /// Alpha, red, green and blue.
  private var channels: [[UInt8]] = []
  private let side: Int
  private var y = 0

  /// - Throws: `truncated`, `corrupt`.
  init(
    _ bytes: Span<UInt8>, _ coding: ICNSCoding, side: Int, mask: Data?
  ) throws(ImageDecodingError) {
    self.side = side
    let count = side * side
    let content = bytes.extracting(min(coding.prefix, bytes.count)..<bytes.count)
    guard coding.mask != nil else {
      channels = try Self.coded(content, channelCount: 4, count: count)
      return
    }
    let alpha = mask.map { Array($0.prefix(count)) } ?? []
    channels = [alpha.count == count ? alpha : Array(repeating: 255, count: count)]
    do throws(ImageDecodingError) {
      channels += try Self.coded(content, channelCount: 3, count: count)
    } catch {
      guard let plain = Self.plain(content, count: count) else { throw error }
      channels += plain
    }
  }

  /// The channels of run-length coded pixels: a code above 127 repeats a byte 3 to 130 times. Where plain pixels would have
  /// the same length, nothing may follow.
  private static func coded(
    _ bytes: Span<UInt8>, channelCount: Int, count: Int
  ) throws(ImageDecodingError) -> [[UInt8]] {
    var position = 0
    var channels: [[UInt8]] = []
    for _ in 0..<channelCount {
      guard let values = bytes.unpacked(from: &position, count: count, repeats: { $0 - 125 }) else {
        throw .truncated(.icns, stage: "pixels")
      }
      channels.append(values)
    }
    guard channelCount > 3 || position == bytes.count || plainWidth(bytes, count: count) == nil else {
      throw .corrupt(.icns, stage: "pixels", reason: "bytes after the picture")
    }
    return channels
  }

  /// The bytes of a plain pixel; `nil` if the pixels must be coded. Codes never take a third more bytes than pixels.
  private static func plainWidth(_ bytes: Span<UInt8>, count: Int) -> Int? {
    bytes.count == 3 * count ? 3 : bytes.count >= 4 * count ? 4 : nil
  }

  /// The red, green and blue of plain pixels, as some programs write them: three bytes, or four of which the first is empty.
  private static func plain(_ bytes: Span<UInt8>, count: Int) -> [[UInt8]]? {
    guard let width = plainWidth(bytes, count: count) else { return nil }
    return (width - 3..<width).map { channel in (0..<count).map { bytes[$0 * width + channel] } }
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
