import OzuBase

/// Memory that the large bodies of a cache share: a body that gets a part of it needs no file.
///
/// Writing a body of 2.9 MB to a file takes 2 ms of processor time, beside 12 for its thumbnail. So a few bodies at a time need no
/// file, and with many, memory does not grow with their number.
final class HTTPBodyMemory: Sendable {
  private let limit: Int
  private let used = Mutex(0)

  init(byteCount: Int) { limit = byteCount }

  /// Memory for a body of a length that its origin announces; `nil` if the rest is smaller.
  func part(byteCount: Int) -> Part? {
    let isGiven = used.withLock { used in
      guard byteCount > 0, byteCount <= limit - used else { return false }
      used += byteCount
      return true
    }
    return isGiven ? Part(of: self, byteCount: byteCount) : nil
  }

  /// The memory of one body. It is given back when nobody has the part or its `Data` any more.
  ///
  /// Unchecked Sendable: one lock guards `append` (`HTTPSpooledBody`), and after `data` nothing is appended.
  final class Part: @unchecked Sendable {
    private let owner: HTTPBodyMemory
    /// Allocated for `capacity` bytes, of which the first `count` are written.
    private let memory: UnsafeMutableRawPointer
    private let capacity: Int
    private var count = 0

    fileprivate init(of owner: HTTPBodyMemory, byteCount: Int) {
      self.owner = owner
      capacity = byteCount
      memory = .allocate(byteCount: byteCount, alignment: 16)
    }

    deinit {
      memory.deallocate()
      owner.used.withLock { $0 -= capacity }
    }

    /// Appends bytes; `false` if there are more than were announced.
    func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
      guard bytes.count <= capacity - count else { return false }
      UnsafeMutableRawBufferPointer(start: memory + count, count: capacity - count).copyMemory(from: bytes)
      count += bytes.count
      return true
    }

    /// The bytes, without a copy.
    var data: Data {
      Data(bytesNoCopy: memory, count: count, deallocator: .custom { _, _ in withExtendedLifetime(self) {} })
    }
  }
}
