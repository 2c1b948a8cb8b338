import OzuBase

/// Memory that the large bodies of a cache share: a body that gets a part of it needs no file.
///
/// Writing a body of 2.9 MB to a file takes 2 ms of processor time, beside 12 for its thumbnail. So a few bodies at a time need no
/// file, and with many, memory does not grow with their number.
///
/// A quarter of it is kept when bodies end, for the next ones: the pages of new memory cost more than the body's copy into
/// them.
final class HTTPBodyMemory: Sendable {
  /// Memory that was allocated for a body.
  ///
  /// Unchecked Sendable: only its one owner uses the memory, a part or the list of spare blocks.
  fileprivate struct Block: @unchecked Sendable {
    let start: UnsafeMutableRawPointer
    let byteCount: Int
  }

  private struct State {
    var usedByteCount = 0
    /// The smallest first.
    var spare: [Block] = []

    var spareByteCount: Int { spare.reduce(0) { $0 + $1.byteCount } }

    /// Gives up spare blocks until so many bytes are left.
    mutating func shrink(to byteCount: Int) -> [Block] {
      var given: [Block] = []
      while spareByteCount > byteCount { given.append(spare.removeFirst()) }
      return given
    }
  }

  private let limit: Int
  private let state = Mutex(State())
  /// Blocks have multiples of this, so that they fit more of the next bodies.
  private static let unit = 128 << 10

  init(byteCount: Int) { limit = byteCount }

  deinit {
    for block in state.withLock({ $0.shrink(to: 0) }) { block.start.deallocate() }
  }

  /// The bytes of bodies, and those that are kept for the next ones. For tests.
  var byteCounts: (used: Int, spare: Int) { state.withLock { ($0.usedByteCount, $0.spareByteCount) } }

  /// Memory for a body of a length that its origin announces; `nil` if the rest is smaller.
  func part(byteCount: Int) -> Part? {
    let (block, given) = state.withLock { state -> (Block?, [Block]) in
      let rest = limit - state.usedByteCount
      guard byteCount > 0, byteCount <= rest else { return (nil, []) }
      let block: Block
      if let index = state.spare.firstIndex(where: { $0.byteCount >= byteCount }) {
        block = state.spare.remove(at: index)
      } else {
        let wanted = min((byteCount + Self.unit - 1) / Self.unit * Self.unit, rest)
        block = Block(start: .allocate(byteCount: wanted, alignment: 16), byteCount: wanted)
      }
      state.usedByteCount += block.byteCount
      return (block, state.shrink(to: limit - state.usedByteCount))
    }
    for block in given { block.start.deallocate() }
    return block.map { Part($0, byteCount: byteCount, of: self) }
  }

  private func takeBack(_ block: Block) {
    let given = state.withLock { state in
      state.usedByteCount -= block.byteCount
      let index = state.spare.firstIndex { $0.byteCount >= block.byteCount } ?? state.spare.count
      state.spare.insert(block, at: index)
      return state.shrink(to: limit / 4)
    }
    for block in given { block.start.deallocate() }
  }

  /// The memory of one body. It is given back when nobody has the part or its `Data` any more.
  ///
  /// Unchecked Sendable: one lock guards `append` (`HTTPSpooledBody`), and after `data` nothing is appended.
  final class Part: @unchecked Sendable {
    private let owner: HTTPBodyMemory
    private let block: Block
    private let capacity: Int
    private var count = 0

    fileprivate init(_ block: Block, byteCount: Int, of owner: HTTPBodyMemory) {
      (self.block, self.owner, capacity) = (block, owner, byteCount)
    }

    deinit { owner.takeBack(block) }

    /// Appends bytes; `false` if there are more than were announced.
    func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
      guard bytes.count <= capacity - count else { return false }
      UnsafeMutableRawBufferPointer(start: block.start + count, count: bytes.count).copyMemory(from: bytes)
      count += bytes.count
      return true
    }

    /// The bytes, without a copy.
    var data: Data {
      Data(
        bytesNoCopy: block.start, count: count, deallocator: .custom { _, _ in withExtendedLifetime(self) {} }
      )
    }
  }
}
