import Dispatch
import OzuBase
import OzuTesting

@testable import OzuCaching

/// A disk cache on a file system in memory, with a clock and a list of the errors it reported.
struct Fixture {
  let files = MemoryFileSystem()
  let clock = ManualClock()
  let errors = ErrorList()
  var capacity = 64 << 10
  var durability = Durability.buffered
  var partitions: [Partition: Int] = [:]
  var refreshInterval = 0.0
  var maximumAge: TimeInterval?
  var partitionMaximumAges: [Partition: TimeInterval] = [:]

  var configuration: DiskCacheConfiguration {
    DiskCacheConfiguration(capacity: capacity, maximumAge: maximumAge, fileSystem: files) {
      $0.partitionCapacities = partitions
      $0.partitionMaximumAges = partitionMaximumAges
      $0.durability = durability
      $0.refreshInterval = refreshInterval
      $0.now = clock.date
      $0.onError = errors.add
    }
  }

  func open() throws -> DiskCache { try DiskCache(directory: "/cache", configuration: configuration) }

  var segments: [String] { files.paths.filter { $0.hasSuffix(".segment") } }
  static let index = "/cache/" + StoredIndex.fileName

  static let pages = "/cache/" + StoredIndex.pagesFileName

  /// Removes the stored index, so that the cache must read the segments.
  func forgetIndex() {
    for path in [Self.index, Self.pages] where files.contents(of: path) != nil { try? files.remove(path) }
  }

  /// Bytes of all files.
  var byteCount: Int { files.byteCount }
}

/// A store of another thread that is held at its first write to a file.
final class HeldStore {
  private let files: MemoryFileSystem
  private let mayContinue = DispatchSemaphore(value: 0)
  private let isDone = DispatchSemaphore(value: 0)

  /// Starts the store of `body(number)`, and returns when it is held.
  init(_ number: Int, in cache: DiskCache, of fixture: Fixture) {
    files = fixture.files
    let isWriting = DispatchSemaphore(value: 0)
    fixture.files.respond = { [mayContinue] call in
      if call.operation == .write {
        isWriting.signal()
        mayContinue.wait()
      }
      return .proceed
    }
    DispatchQueue(label: "held store").async { [isDone] in
      cache.store(body(number), forKey: key(number))
      isDone.signal()
    }
    isWriting.wait()
  }

  /// Lets the store continue, and returns when it has ended.
  func release() {
    files.respond = { _ in .proceed }
    mayContinue.signal()
    isDone.wait()
  }
}

/// The errors that an observer received.
final class ErrorList: Sendable {
  private let list = Synchronization.Mutex<[DiskCacheError]>([])
  func add(_ error: DiskCacheError) { list.withLock { $0.append(error) } }
  var all: [DiskCacheError] { list.withLock { $0 } }
}

/// Half a megabyte of random bytes, from which bodies are made.
private let noise: Data = {
  var random = SeededGenerator(seed: 42)
  var words = ContiguousArray<UInt64>(repeating: 0, count: 1 << 16)
  for index in words.indices { words[index] = random.next() }
  return words.withUnsafeBytes { Data($0) }
}()

/// A body that begins with its key and version, and differs from others in nearly every byte.
func body(_ key: Int, version: Int = 0, count: Int = 200) -> Data {
  let word = UInt64(key) << 32 | UInt64(version)
  let start = (key &* 7919 &+ version &* 104_729) & 0x1ffff
  var data = Data(noise[start..<start + max(16, count)])
  withUnsafeBytes(of: word) { data.replaceSubrange(0..<8, with: $0) }
  return data
}

func key(_ number: Int) -> CacheKey { CacheKey("key \(number)") }
