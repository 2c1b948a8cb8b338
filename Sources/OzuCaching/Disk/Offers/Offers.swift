/// A file in which a process that does not write hands over entries that it stores.
///
/// The writer makes it, with nothing but a header. The file has three purposes:
///
/// - Permission: the process that holds the file's lock may append records.
/// - Reservation: the writer keeps as many bytes free as the file may grow.
/// - Sign of life: the lock ends with the process that holds it.
///
/// It has the form of a segment. Instead of a segment number, its header has the most bytes that the file may have,
/// plus a number that no segment reaches. Its records have the sequence number zero; the writer that adopts them
/// gives them new ones.
enum OfferFile {
  static let suffix = ".offer"
  /// The number of processes besides the writer that can hand over entries at the same time.
  static let limit = 8
  /// Smaller files are not worth the cost.
  static let smallestByteCount = 16 << 10

  /// The header of an offer of at most `limit` bytes.
  static func header(limit: Int, salt: UInt64, created: Int64) -> SegmentHeader {
    SegmentHeader(number: LogNumbers.segmentsExhausted | UInt64(limit), salt: salt, created: created)
  }

  /// The most bytes that an offer may have; nil if the header is not that of an offer.
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

/// The offers of a directory, as the writer knows them.
struct Offers {
  struct Offer {
    let file: SegmentFile
    /// The records before this offset were adopted.
    var adopted = SegmentHeader.byteCount
    /// The size at the last look.
    var size = SegmentHeader.byteCount

    /// The most bytes that the file may have.
    var limit: Int { OfferFile.limit(file.header) ?? 0 }
    /// Whether a process uses the offer, or did.
    var isUsed: Bool { size > SegmentHeader.byteCount }
  }

  var all: [Offer] = []
  /// The time when the writer last looked at the offers.
  var looked = Int64.min

  /// The most bytes that all the files may have together.
  var limit: Int { all.reduce(0) { $0 + max($1.limit, $1.size) } }
  /// The bytes of all files at the last look.
  var byteCount: Int { all.reduce(0) { $0 + $1.size } }
}

extension Offers {
  /// The index of an offer in the list, if it is still there.
  func index(of salt: UInt64) -> Int? { all.firstIndex { $0.file.salt == salt } }
}

/// The entries that a process without the writing role has handed over.
struct OwnOffers {
  /// The offer to which records are appended.
  struct Open {
    let file: SegmentFile
    /// Held until the offer is full.
    let lock: any FileLock
    /// Its number among the segments of this cache's index.
    let segment: Int
    var size = SegmentHeader.byteCount

    /// The most bytes that the file may have.
    var limit: Int { OfferFile.limit(file.header) ?? 0 }
  }

  struct Name: Hashable {
    let key: CacheKey
    let partition: Partition
  }

  var open: Open?
  /// The time when this cache last looked for a free offer and found none.
  var sought = Int64.min
  /// The dates of the entries that were handed over. Until they are adopted, the writer may move older entries of
  /// their keys.
  var dates: [Name: Int64] = [:]
  /// At this number of dates, dates that are no longer needed are removed.
  var datesLimit = leastDatesLimit
  static let leastDatesLimit = 4096
}
