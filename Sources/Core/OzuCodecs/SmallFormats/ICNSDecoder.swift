import OzuBase
import OzuImaging

/// Decodes Apple icons, in Swift: the largest picture in the file that is a PNG, a JPEG, or run-length coded ARGB, or RGB
/// with its mask, run-length coded or plain. JPEG 2000 is not supported.
public struct ICNSDecoder: ImageDecoding {
  /// The note about an icon that ends before one of its pictures does.
  static let cutNote = "\(PictureNotes.cut)it may have had a larger picture"

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
    let notes = directory.isCut ? [Self.cutNote] : []
    var failure: ImageDecodingError?
    for entry in directory.pictures.sorted(by: { $0.side > $1.side }) {
      let part = data.part(entry.range)
      do throws(ImageDecodingError) {
        guard let coding = entry.coding else {
          return try EnclosedFile(opening: part, in: .icns, with: inner, limits: limits, notes: notes)
        }
        var header = ImageHeader(
          type: .icns, storedSize: PixelSize(entry.side, entry.side), hasAlpha: true)
        header.notes = notes
        let mask = coding.mask.flatMap { directory.masks[$0] }.map { data.part($0) }
        let rows = try ICNSRows(part.span, coding, side: entry.side, mask: mask)
        return SampleFile(data, SampleContents(header: header, rows: rows), alpha: alpha)
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
}

/// How pixels are stored in an icon itself: run-length coded, channel by channel.
struct ICNSCoding {
  /// The kind of the mask beside the colours; `nil` if alpha is before them.
  let mask: String?
  /// The bytes before the pixels: "ARGB" before those with alpha, and four zeros before the largest ones with a mask.
  let prefix: Int
}

/// The pictures of an Apple icon.
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

  /// The pictures, in the order of the file.
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
