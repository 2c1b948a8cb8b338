import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

@Suite("Which process writes in a directory")
struct DirectoryOwnershipTests {
  private func acquired(
    _ configuration: DiskCacheConfiguration, of directory: String = "/cache"
  ) throws -> DirectoryOwnership {
    var ownership = DirectoryOwnership(StoreContext(directory: directory, configuration: configuration))
    try ownership.prepareDirectory()
    ownership.acquire()
    return ownership
  }

  /// The ways in which a writer gives the lock back.
  enum End: CaseIterable {
    case closed, yielded, suspended, ended
  }

  @Test(
    "one cache writes; when it gives the lock back, the next takes over and loads", arguments: End.allCases)
  func takeOver(end: End) throws {
    let fixture = Fixture()
    let failure = DiskCacheError(.read, path: "/cache/x", code: EIO)
    var first: DirectoryOwnership? = try acquired(fixture.configuration)
    var second = try acquired(fixture.configuration)
    #expect(first?.isWriter == true && second.isReader && second.hasOtherWriter)
    #expect(try first?.claim(isComplete: true) == .write && second.claim(isComplete: true) == .leave)
    switch end {
    case .closed: first?.close()
    case .yielded: first?.yield(because: failure)
    case .suspended: first?.suspend()
    case .ended: first = nil
    }
    #expect(try second.claim(isComplete: true) == .load)
    #expect(try second.isWriter && second.claim(isComplete: true) == .write)
    #expect(try first?.claim(isComplete: true) ?? .leave == .leave)
    let code = [End.closed: EBADF, .yielded: EBUSY, .suspended: EAGAIN][end]
    #expect(first?.refusal.code == code)
    // Nothing is handed over by a cache that may not ask for a lock.
    #expect(first?.hasOtherWriter == (end == .ended ? nil : end == .yielded))
    second.close()
    #expect(first?.resume() == (end == .ended ? nil : end == .suspended))
    #expect(try first?.claim(isComplete: true) == (end == .ended ? nil : end == .closed ? .leave : .load))
  }

  @Test(
    "a lock that was given back is asked for after the refresh interval, or when the clock was set",
    arguments: [(9.0, false), (11, true), (-1, true), (-5e8, true), (5e8, true), (-1_767_225_600, true)])
  func yields(seconds: Double, isDue: Bool) throws {
    let fixture = Fixture(refreshInterval: 10)
    var ownership = try acquired(fixture.configuration)
    ownership.yield(because: DiskCacheError(.read, path: "/cache/x", code: EIO))
    #expect(try ownership.claim(isComplete: true) == .leave)
    fixture.clock.currentDate += seconds
    #expect(try ownership.claim(isComplete: true) == (isDue ? .load : .leave))
  }

  @Test(
    "a reader begins to look once per refresh interval, or when the clock was set; it goes on at once",
    arguments: [(9.0, false), (11, true), (-1, true), (-5e8, true), (5e8, true), (-1_767_225_600, true)])
  func looks(seconds: Double, isDue: Bool) throws {
    let fixture = Fixture(refreshInterval: 10)
    var writer = try acquired(fixture.configuration)
    var reader = try acquired(fixture.configuration)
    reader.noteLook()
    #expect(!reader.mayLook(isFirst: true) && reader.mayLook(isFirst: false))
    fixture.clock.currentDate += seconds
    #expect(reader.mayLook(isFirst: true) == isDue)
    #expect(!writer.mayLook(isFirst: true) && !writer.mayLook(isFirst: false))
  }

  @Test(
    "a lock that cannot be taken leaves a reader, which hands over only to a writer and says why it does not write",
    arguments: [
      (DiskCacheError.Operation?.none, EBUSY, true, true), (nil, EROFS, true, false),
      (.lock, EROFS, false, false),
      (.lock, EIO, false, false), (.lock, EDQUOT, false, false), (.makeDirectory, EIO, false, false),
      (.makeDirectory, EDQUOT, false, false),
    ])
  func refusals(failing: DiskCacheError.Operation?, code: Int32, follows: Bool, handsOver: Bool) throws {
    let fixture = Fixture()
    var other: DirectoryOwnership? = try acquired(fixture.configuration)
    var configuration = fixture.configuration
    if failing == nil, code == EROFS { configuration.access = .reading }
    var reader = try acquired(configuration)
    if code != EBUSY { other = nil }
    fixture.files.respond = { $0.operation == failing ? .fail(code) : .proceed }
    let claim = try? reader.claim(isComplete: true)
    #expect(claim == (failing == .makeDirectory ? nil : .leave))
    let operation = failing ?? .change
    let path = failing == .lock ? "/cache/lock" : "/cache"
    #expect(reader.refusal == DiskCacheError(operation, path: path, code: code))
    #expect(reader.followsAnother == follows && reader.hasOtherWriter == handsOver)
    fixture.files.respond = { _ in .proceed }
    other = nil
    #expect(try reader.claim(isComplete: true) == (configuration.access == .reading ? .leave : .load))
    withExtendedLifetime(other) {}
  }

  @Test("a writer whose segment has lost its name loads again; it looks at one in sixteen claims")
  func missingSegment() throws {
    var ownership = try acquired(Fixture().configuration)
    var checks = 0
    for _ in 0..<64 {
      if ownership.checksSegment { checks += 1 }
      #expect(try ownership.claim(isComplete: true) == .write)
    }
    #expect(checks == 4)
    #expect(try ownership.claim(isComplete: false) == .load && ownership.isWriter)
  }

  /// What happens to a directory of the system while a cache writes in it.
  enum Fate: CaseIterable {
    case removed, replaced, moved, movedAndReplaced
  }

  @Test(
    "a writer notices that its directory was removed, moved or replaced, also by one whose files have the same numbers",
    arguments: Fate.allCases)
  func fates(fate: Fate) throws {
    let root = FileManager.default.temporaryDirectory.path + "/ozu-fates-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: root) }
    let configuration = DiskCacheConfiguration { $0.refreshInterval = 0 }
    // A file system gives a number again as soon as it is free.
    for round in 0..<10 {
      let (path, moved) = ("\(root)/\(round)/cache", "\(root)/\(round)/moved")
      var first = try acquired(configuration, of: path)
      #expect(try first.claim(isComplete: true) == .write)
      if [.moved, .movedAndReplaced].contains(fate) {
        try FileManager.default.moveItem(atPath: path, toPath: moved)
      } else {
        try FileManager.default.removeItem(atPath: path)
      }
      let isReplaced = [.replaced, .movedAndReplaced].contains(fate)
      let second = isReplaced ? try acquired(configuration, of: path) : nil
      #expect(second?.isWriter ?? true && !first.hasLinkedLock)
      #expect(try first.claim(isComplete: true) == .load)
      #expect(first.isWriter != isReplaced && first.hasOtherWriter == isReplaced)
      #expect(second?.hasLinkedLock ?? first.hasLinkedLock)
      if FileManager.default.fileExists(atPath: moved) {
        #expect(try acquired(configuration, of: moved).isWriter)
      }
    }
  }

  @Test("a reader hands entries over within the room of an offer, and the writer finds each of them whole")
  func offers() throws {
    let fixture = Fixture(capacity: 4 << 20)
    var (writer, reader) = (try DiskParts(fixture), try DiskParts(fixture))
    let header = OfferFile.header(limit: 16 << 10, salt: 7, created: 0)
    var offers = Offers(writer.context)
    offers.add(try writer.log.makeFile(OfferFile.name(of: header), header))
    var own = OwnOffers(reader.context)
    func append(_ number: Int) -> Bool {
      let data = body(number)
      var head = EntryHead(key: key(number), partition: DiskParts.partition, label: "", metadata: Data())
      let header = head.header(
        sequence: 0, date: reader.context.now(), bodyLength: data.count,
        bodyChecksum: data.withUnsafeBytes { Checksum64.of($0, seed: 0) })
      return own.append(&head, header, data, in: DiskParts.partition)
    }
    let count = (0..<200).prefix { append($0) }.count
    let look = try offers.look(at: header.salt)
    let offer = try #require(look)
    #expect(count > 20 && count < 200 && offer.isUsed && offer.size <= offer.limit)
    var found: [SegmentFile.ScannedEntry] = []
    _ = try offer.file.scan(from: offer.adopted, to: offer.size) { found.append($0) }
    #expect(found.map(\.header.key) == (0..<count).map { key($0) })
    for (number, entry) in found.enumerated() {
      let location = entry.location(in: offer.file, segment: 0, partition: 0)
      #expect(writer.readBody(location) == body(number))
      #expect(reader.readBody(reader.location(number)) == body(number))
    }
  }
}
