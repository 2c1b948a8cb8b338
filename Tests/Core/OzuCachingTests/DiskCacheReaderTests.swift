import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

/// A reader looks for new entries while another cache writes: here the writer gets its turns between the reader's calls
/// to the file system.
@Suite("A reader that looks while the writer writes")
struct DiskCacheReaderTests {
  /// The writer's action on the entry of `key(1)`.
  enum Act: CaseIterable {
    case replace, move, moveAndReplace
  }

  /// The call by which the reader looks up the entry of `key(1)`.
  enum Question: CaseIterable {
    case fetch, metadata, contains, touch
  }

  /// A writer and a reader on one directory.
  private struct Pair {
    let fixture: Fixture
    let writer: DiskCache
    let reader: DiskCache
    private let version = Counter()

    /// The reader knows version 1 of `key(1)`; the writer has stored version 2. The next miss makes the reader look, and
    /// later ones do not until the clock is advanced.
    init() throws {
      fixture = Fixture(refreshInterval: 1)
      writer = try fixture.open()
      Self.replace(writer, version)
      reader = try fixture.open()
      Self.replace(writer, version)
      fixture.clock.advance(by: .seconds(2))
    }

    /// The versions that the writer has stored.
    var versions: ClosedRange<Int> { 1...version.value }

    func act(_ act: Act) {
      switch act {
      case .replace: Self.replace(writer, version)
      case .move: move()
      case .moveAndReplace:
        move()
        Self.replace(writer, version)
      }
    }

    private static func replace(_ writer: DiskCache, _ version: Counter) {
      version.add(1)
      writer.store(body(1, version: version.value), metadata: Data([1]), forKey: key(1))
    }

    /// Makes dead bytes beside the entry, so that the segment is rewritten.
    private func move() {
      writer.store(body(2), forKey: key(2))
      writer.remove(forKey: key(2))
      do {
        try writer.trim(toByteCount: writer.totalByteCount - 1)
      } catch {
        Issue.record(error)
      }
    }

    /// Calls `visit` before each call of the reader to the file system, with its number from zero. The calls that
    /// `visit` makes do not count.
    func beforeEachCall(_ visit: @escaping @Sendable (Int, MemoryFileSystem.Call) -> Void) {
      let (calls, visitors) = (Counter(), Counter())
      fixture.files.respond = { call in
        guard visitors.value == 0 else { return .proceed }
        visitors.add(1)
        visit(calls.value, call)
        calls.add(1)
        visitors.add(-1)
        return .proceed
      }
    }

    /// Whether the reader finds a version that the writer has stored after the reader opened.
    func isFound(_ question: Question) -> Bool {
      switch question {
      case .fetch:
        let found = reader.entry(forKey: key(1))?.body
        return versions.dropFirst().contains { found == body(1, version: $0) }
      case .metadata: return reader.metadata(forKey: key(1)) == Data([1])
      case .contains: return reader.contains(key(1))
      case .touch: return reader.touch(key(1))
      }
    }
  }

  /// Asks while the writer acts before some calls of the reader.
  ///
  /// - Returns: How many calls the reader made.
  private func ask(
    _ question: Question, _ act: Act, before moments: [Int]
  ) throws -> Int {
    let pair = try Pair()
    if question == .contains || question == .touch {
      // They read only the index: the reader must not know the entry.
      #expect(!pair.reader.remove(forKey: key(1)))
    }
    let calls = Counter()
    pair.beforeEachCall { number, _ in
      calls.add(1)
      if moments.contains(number) { pair.act(act) }
    }
    let isFound = pair.isFound(question)
    #expect(isFound, "before calls \(moments)")
    pair.fixture.files.respond = { _ in .proceed }
    #expect(pair.writer.contains(key(1)))
    #expect(pair.reader.statistics.corruptEntries == 0)
    #expect(pair.fixture.errors.all.isEmpty)
    return calls.value
  }

  @Test(
    "finds an entry that the writer replaces or moves at any two moments", arguments: Question.allCases,
    Act.allCases)
  func twoActs(question: Question, act: Act) throws {
    var first = 0
    while first < (try ask(question, act, before: [first])) {
      var second = first + 1
      while second < (try ask(question, act, before: [first, second])) { second += 1 }
      first += 1
    }
    #expect(first > 2)
  }

  @Test("ends even if the writer writes without pause", arguments: Question.allCases, Act.allCases)
  func endlessActs(question: Question, act: Act) throws {
    let pair = try Pair()
    let lists = Counter()
    pair.beforeEachCall { number, call in
      if call.operation == .list { lists.add(1) }
      if number < 1000 { pair.act(act) }
    }
    _ = pair.isFound(question)
    #expect(lists.value <= 8)
  }

  @Test("looks once for an absent key, and again if the first look found something")
  func absent() throws {
    let pair = try Pair()
    let lists = Counter()
    pair.beforeEachCall { _, call in if call.operation == .list { lists.add(1) } }
    #expect(pair.reader.entry(forKey: key(9)) == nil)
    #expect(lists.value == 2)
    #expect(pair.reader.entry(forKey: key(9)) == nil)
    #expect(lists.value == 2)
    pair.fixture.clock.advance(by: .seconds(2))
    #expect(pair.reader.entry(forKey: key(9)) == nil)
    #expect(lists.value == 3)
    try pair.writer.removeAll()
    pair.fixture.clock.advance(by: .seconds(2))
    #expect(pair.reader.entry(forKey: key(9)) == nil)
    #expect(lists.value == 5)
  }

  @Test(
    "asks the index after the last look too, and looks again if the entry found there is dead",
    arguments: [0, 2])
  func anotherThreadLooks(seconds: Int) throws {
    let pair = try Pair()
    // Takes up the new entries, so that the next look has to wait or finds nothing.
    #expect(pair.reader.entry(forKey: key(9)) == nil)
    pair.fixture.clock.advance(by: .seconds(seconds))
    var search = SegmentStore.Search()
    var questions = 0
    let first = pair.reader.store.locate(key(9), in: .default, &search) { _, _ in
      questions += 1
      return questions == 2 ? true : nil
    }
    #expect(first.found == true)
    #expect(questions == 2)
    pair.writer.store(body(9), forKey: key(9))
    let second = pair.reader.store.locate(key(9), in: .default, &search) {
      $0.location(of: key(9), in: $1)
    }
    #expect((second.found != nil) == (seconds > 0))
  }

  @Test("has a moved entry in its index at every moment of the look")
  func nothingIsTakenAway() throws {
    let pair = try Pair()
    pair.act(.move)
    let absences = Counter()
    pair.beforeEachCall { _, _ in if !pair.reader.mayContain(key(1)) { absences.add(1) } }
    #expect(pair.reader.entry(forKey: key(9)) == nil)
    #expect(absences.value == 0)
    #expect(pair.isFound(.fetch))
  }
}
