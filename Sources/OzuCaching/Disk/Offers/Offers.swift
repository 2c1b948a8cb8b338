/// A file in which a process that does not write hands over what it stores.
///
/// It is made by the writer, empty but for its header, and is three things at once: a permission, for whoever holds its
/// lock may append records to it; a claim, for the writer keeps as many bytes free as the file may have; and a sign of
/// life, for the lock goes with its holder. It has the form of a segment. Its header has, as the segment's number, the
/// bytes that the file may have at most, above all numbers that segments have; its records have the sequence number
/// zero: the writer that adopts them gives them others.
enum OfferFile {
  static let suffix = ".offer"
  /// So many processes besides the writer can hand over entries at a time.
  static let limit = 8
  /// Smaller files are not worth their names.
  static let smallestByteCount = 16 << 10

  /// The header of an offer of so many bytes.
  static func header(limit: Int, salt: UInt64, created: Int64) -> SegmentHeader {
    SegmentHeader(number: LogNumbers.segmentsExhausted | UInt64(limit), salt: salt, created: created)
  }

  /// The bytes that an offer may have; nil if this is the header of no offer.
  static func limit(_ header: SegmentHeader) -> Int? {
    header.number < LogNumbers.segmentsExhausted ? nil : Int(header.number - LogNumbers.segmentsExhausted)
  }

  static func name(of header: SegmentHeader) -> String {
    header.fileName.dropLast(SegmentHeader.suffix.count) + suffix
  }

  static func isFileName(_ name: String) -> Bool {
    name.hasSuffix(suffix) && SegmentHeader.isFileName(name.dropLast(suffix.count) + SegmentHeader.suffix)
  }
}

/// The offers of a directory as the writer sees them.
struct Offers {
  struct Offer {
    let file: SegmentFile
    /// Up to here its records were adopted.
    var adopted = SegmentHeader.byteCount
    /// The size at the last look.
    var size = SegmentHeader.byteCount

    /// The bytes that the file may have.
    var limit: Int { OfferFile.limit(file.header) ?? 0 }
    /// Whether somebody has it, or had it.
    var isUsed: Bool { size > SegmentHeader.byteCount }
  }

  var all: [Offer] = []
  /// When the writer last looked at them.
  var looked = Int64.min

  /// The bytes that the files may have together.
  var limit: Int { all.reduce(0) { $0 + max($1.limit, $1.size) } }
  /// The bytes that they had at the last look.
  var byteCount: Int { all.reduce(0) { $0 + $1.size } }
}

extension Offers {
  /// The place of an offer in the list, if it is there still.
  func index(of salt: UInt64) -> Int? { all.firstIndex { $0.file.salt == salt } }
}

/// What a process that does not write has handed over.
struct OwnOffers {
  /// The one that records are appended to.
  struct Open {
    let file: SegmentFile
    /// Held until it is full.
    let lock: any FileLock
    /// Its number among the segments of this cache's index.
    let segment: Int
    var size = SegmentHeader.byteCount

    /// The bytes that the file may have.
    var limit: Int { OfferFile.limit(file.header) ?? 0 }
  }

  struct Name: Hashable {
    let key: CacheKey
    let partition: Partition
  }

  var open: Open?
  /// When this cache last looked for one in vain.
  var sought = Int64.min
  /// The dates of the entries that were handed over: until they are adopted the writer may move older ones of their keys.
  var dates: [Name: Int64] = [:]
  /// With so many dates those that are not needed any more are forgotten.
  var datesLimit = leastDatesLimit
  static let leastDatesLimit = 4096
}
