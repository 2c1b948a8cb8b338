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
  /// The header has 31 bits for the limit.
  static let largestByteCount = Int(LogNumbers.segmentsExhausted) - 1

  static func header(limit: Int, salt: UInt64, created: Int64) -> SegmentHeader {
    SegmentHeader(number: LogNumbers.segmentsExhausted | UInt64(limit), salt: salt, created: created)
  }

  /// The most bytes that an offer may have; nil if the header is not that of an offer.
  static func limit(_ header: SegmentHeader) -> Int? {
    header.number <= LogNumbers.segmentsExhausted ? nil : Int(header.number - LogNumbers.segmentsExhausted)
  }

  static func name(of header: SegmentHeader) -> String {
    header.fileName.dropLast(SegmentHeader.suffix.count) + suffix
  }

  static func isFileName(_ name: String) -> Bool {
    name.hasSuffix(suffix) && SegmentHeader.isFileName(name.dropLast(suffix.count) + SegmentHeader.suffix)
  }
}

/// The offers of a directory, as its writer knows them.
///
/// The writer keeps at least one unused offer, and room for all offers. It adopts their records at each flush and
/// removal, at opening and closing, and once per refresh interval at a store or a miss: it appends a record to its own
/// log, unless it has a later one of the same key, and then marks the offered record as dead. So after a crash at any
/// moment the entry is in one place or in both, and adopting it twice changes nothing. An offer is removed only under
/// its lock, so that no process writes to it then.
///
/// The lock of the writer guards this value, and it keeps the bytes of offers in the index up to date.
struct Offers {
  struct Offer {
    let file: SegmentFile
    /// The records before this offset were adopted.
    fileprivate(set) var adopted = SegmentHeader.byteCount
    /// The size at the last look.
    fileprivate(set) var size = SegmentHeader.byteCount
    /// The size at the look before.
    fileprivate(set) var formerSize = SegmentHeader.byteCount

    /// The most bytes that the file may have.
    var limit: Int { OfferFile.limit(file.header) ?? 0 }
    /// Whether a process uses the offer, or did.
    var isUsed: Bool { size > SegmentHeader.byteCount }
    /// Whether nothing was appended between the last two looks: then no record is being written.
    var isQuiet: Bool { size == formerSize }
  }

  private(set) var all: [Offer] = []
  /// The time when the writer last looked at the offers.
  private var looked = Int64.min
  private let context: StoreContext

  init(_ context: StoreContext) { self.context = context }

  /// The most bytes that all the files may have together.
  var limit: Int { all.reduce(0) { $0 + max($1.limit, $1.size) } }
  var isUsed: Bool { all.contains(where: \.isUsed) }
  /// Whether the refresh interval has passed since the last look.
  var isDue: Bool { !all.isEmpty && context.isDue(since: looked) }

  /// Whether there should be one more: there is at least one, and one for each that is in use.
  var isMissing: Bool { all.count < min(max(1, 2 * all.count(where: \.isUsed)), OfferFile.limit) }

  subscript(salt: UInt64) -> Offer? { all.first { $0.file.salt == salt } }

  /// Takes over the offers in the directory, and removes files that have an offer's name and are not offers.
  mutating func takeUp(_ names: [String]) {
    let fileSystem = context.fileSystem
    for name in names where OfferFile.isFileName(name) {
      let path = context.path(name)
      do throws(DiskCacheError) {
        if let file = try SegmentFile.open(name, in: context.directory, for: .updating, of: fileSystem),
          file.header.version == SegmentHeader.version, OfferFile.limit(file.header) != nil
        {
          all.append(Offer(file: file))
        } else {
          try fileSystem.remove(path)
        }
      } catch {
        if !error.isAbsent { context.errors.note(error) }
      }
    }
    noteByteCounts()
  }

  mutating func add(_ file: SegmentFile) {
    all.append(Offer(file: file))
    noteByteCounts()
  }

  mutating func remove(_ salt: UInt64) {
    all.removeAll { $0.file.salt == salt }
    noteByteCounts()
  }

  /// Leaves the offers to the next writer.
  mutating func forget() {
    (all, looked) = ([], .min)
    noteByteCounts()
  }

  mutating func noteLook() { looked = context.now() }

  /// Looks at the size of an offer, and returns the offer if it has records.
  mutating func look(at salt: UInt64) throws(DiskCacheError) -> Offer? {
    guard let number = all.firstIndex(where: { $0.file.salt == salt }) else { return nil }
    let size = try all[number].file.byteCount()
    guard size > SegmentHeader.byteCount else { return nil }
    (all[number].formerSize, all[number].size) = (all[number].size, size)
    noteByteCounts()
    return all[number]
  }

  mutating func noteAdopted(upTo offset: Int, of salt: UInt64) {
    guard let number = all.firstIndex(where: { $0.file.salt == salt }) else { return }
    all[number].adopted = offset
  }

  private func noteByteCounts() {
    let (byteCount, limit) = (all.reduce(0) { $0 + $1.size }, limit)
    context.index.withLock { index in
      index.offerByteCount = byteCount
      index.unusedOfferByteCount = limit - byteCount
    }
  }
}
