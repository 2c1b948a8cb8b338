import OzuBase
import OzuTesting

@testable import OzuCaching

/// The parts of a disk cache without the cache: a test drives one of them, and stores entries through the log.
struct DiskParts {
  let context: StoreContext
  var log: SegmentLog
  var segmentSize = 4 << 10
  /// Whether the last store sealed a segment.
  private(set) var hasSealed = false

  var index: LiveIndex { context.index }

  /// Parts in an empty directory.
  init(_ fixture: Fixture) throws {
    try fixture.files.makeDirectory("/cache")
    context = StoreContext(directory: "/cache", configuration: fixture.configuration)
    log = SegmentLog(context)
  }

  /// Parts of a process that has scanned the segments that are there.
  init(scanning fixture: Fixture) throws {
    try self.init(fixture)
    let index = SegmentIndex()
    for path in fixture.segments {
      let name = String(path.dropFirst("/cache/".count))
      guard let file = try SegmentFile.open(name, in: "/cache", for: .updating, of: fixture.files) else {
        continue
      }
      let size = try file.byteCount()
      let segment = index.add(file, size: size, age: file.number)
      log.skip(number: file.number)
      var found: [SegmentFile.ScannedEntry] = []
      let scan = try file.scan(from: SegmentHeader.byteCount, to: size) { found.append($0) }
      for entry in found {
        log.skip(sequence: entry.header.sequence)
        guard entry.header.isLive else { continue }
        let number = index.number(adding: entry.partition)
        _ = index.insert(entry.header, in: number, segment: segment, offset: entry.offset)
      }
      index.enter(scan, size: size, ofSegment: segment)
    }
    log.chooseActive(of: index, segmentSize: segmentSize)
    context.index.replace(with: index)
  }

  // MARK: Entries

  /// Appends a record and enters it in the index. The record of the former entry dies.
  @discardableResult
  mutating func store(
    _ number: Int, version: Int = 0, count: Int = 200, metadata: Data = Data()
  ) throws(DiskCacheError) -> SegmentIndex.Location {
    let (header, place) = try append(key(number), body(number, version: version, count: count), metadata)
    let former = index.withLock { index in
      index.insert(
        header, in: index.number(adding: Self.partition),
        segment: place.segment, offset: place.offset
      ).superseded
    }
    if let former { log.kill(former) }
    return location(number)!
  }

  /// Copies an entry with a body of `store` to the end of the log.
  @discardableResult
  mutating func copy(
    _ location: SegmentIndex.Location
  ) throws(DiskCacheError) -> SegmentIndex.Location? {
    guard let body = readBody(location) else { return nil }
    let (header, place) = try append(location.key, body, Data())
    index.withLock { index in
      guard let position = index.position(of: location) else { return }
      index.relocate(position, to: place.segment, offset: place.offset, sequence: header.sequence)
    }
    log.retire(location.file, at: location.offset, sequence: location.sequence, copiedAs: header.sequence)
    return index.withLock { $0.location(of: location.key, in: Self.partition) }
  }

  private mutating func append(
    _ key: CacheKey, _ body: Data, _ metadata: Data
  ) throws(DiskCacheError) -> (EntryHeader, SegmentLog.RecordLocation) {
    var head = EntryHead(key: key, partition: Self.partition, label: "", metadata: metadata)
    let header = head.header(
      sequence: log.takeSequence(), date: context.now(), bodyLength: body.count,
      bodyChecksum: body.withUnsafeBytes { Checksum64.of($0, seed: 0) })
    hasSealed = log.seal(ifFullFor: header.recordLength, segmentSize: segmentSize)
    let place = try log.append(length: header.recordLength, segmentSize: segmentSize) { seed, write in
      head.withParts(header, body, seed: seed, write)
    }
    return (header, place)
  }

  /// Removes an entry from the index, and marks its record as dead.
  mutating func remove(_ location: SegmentIndex.Location, keepsSegment: Bool = false) {
    index.withLock { $0.remove(location) }
    log.kill(location, keepsSegment: keepsSegment)
  }

  static let partition: Partition = "p"

  func location(_ number: Int) -> SegmentIndex.Location? {
    index.withLock { $0.location(of: key(number), in: Self.partition) }
  }

  /// The body of a record, if it is whole and alive.
  func readBody(_ location: SegmentIndex.Location?) -> Data? {
    guard let location, case .record(let record)? = try? RecordReader.read(location) else { return nil }
    return record.takeBody()
  }

  /// The header and the metadata of a record, if they are whole and it is alive.
  func readHead(_ location: SegmentIndex.Location) -> (header: EntryHeader, metadata: Data)? {
    guard case .record(let record)? = try? RecordReader.readHead(location) else { return nil }
    return (record.header, record.metadata)
  }
}
