#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that holds a body too large for memory, or one that comes slowly and can be resumed.
///
/// It is unlinked as soon as it is open. So nothing is left behind however its use ends: the system takes its blocks
/// back when the last descriptor and the last mapping are gone, also those of a process that was killed. What a
/// crash between the two calls leaves is swept by the next one that opens a file in the folder (`sweep`).
///
/// A body that can be resumed keeps its name until its use ends, and the file says whose beginning it is
/// (`HTTPBeginningHead`): a process that is killed leaves it for the next one. The file is locked (flock(2)) as long as it
/// is written, so that nobody takes it over before.
///
/// Its calls block. Used by one thread at a time.
final class HTTPSpoolFile {
  /// A call that failed, with the system's number.
  struct Failure: Error {
    let code: Int32
  }

  private static let namePrefix = "ozu-spool-"
  private static let beginningPrefix = "ozu-beginning-"
  /// How many beginnings that processes left are kept in a folder, and for how long.
  static let (maximumLeftCount, maximumLeftSeconds) = (32, 7 * 24 * 3600.0)

  private let descriptor: Int32
  /// How many bytes of the body it has.
  private(set) var byteCount = 0
  /// Where the body begins.
  private let bodyOffset: Int
  /// The name, of a file that has one.
  private let path: String?
  private var checkpointCount = 0

  /// Makes a file in a folder. The folder is not made: it is somebody else's, and may be there in a file system of
  /// theirs alone.
  ///
  /// - Parameter beginning: what the file is left for, if the process is killed.
  init(directory: String, beginning: HTTPBeginning? = nil) throws(Failure) {
    let number = String(UInt64.random(in: 0...UInt64.max), radix: 36)
    let prefix = beginning.map { "\(Self.beginningPrefix)\($0.digest)-" } ?? Self.namePrefix
    let path = "\(directory)/\(prefix)\(getpid())-\(number)"
    descriptor = systemOpen(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(code: errno) }
    bodyOffset = beginning.map { HTTPBeginningHead.bodyOffset(recordByteCount: $0.record.count) } ?? 0
    guard let beginning, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      self.path = nil
      unlink(path)
      return
    }
    self.path = path
    try write(HTTPBeginningHead.bytes(record: beginning.record), at: 0)
  }

  deinit {
    removeName()
    close(descriptor)
  }

  private func removeName() {
    if let path { unlink(path) }
  }

  /// Removes what crashes have left in a folder, and old beginnings of bodies. Returns the paths of the others by the
  /// digest of their key.
  ///
  /// A file of another process that is swept between being made and being unlinked loses only the name that it was about
  /// to lose. Beginnings that are being written are locked, and stay.
  static func sweep(directory: String, now: Date = Date()) -> [String: [String]] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    for name in names where name.hasPrefix(namePrefix) { unlink("\(directory)/\(name)") }
    var left: [(name: String, age: TimeInterval)] = []
    for name in names where name.hasPrefix(beginningPrefix) {
      let attributes = try? FileManager.default.attributesOfItem(atPath: "\(directory)/\(name)")
      guard let changed = attributes?[.modificationDate] as? Date else { continue }
      left.append((name, now.timeIntervalSince(changed)))
    }
    left.sort { $0.age < $1.age }
    let kept = left.prefix(maximumLeftCount).filter { $0.age < maximumLeftSeconds }
    for item in left where !kept.contains(where: { $0.name == item.name }) {
      removeIfLeft("\(directory)/\(item.name)")
    }
    return Dictionary(
      grouping: kept.map { "\(directory)/\($0.name)" },
      by: { path in
        let name = path.dropFirst(directory.count + 1 + beginningPrefix.count)
        return String(name.prefix { $0 != "-" })
      })
  }

  /// Removes a file that no process is writing to.
  private static func removeIfLeft(_ path: String) {
    let descriptor = systemOpen(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return }
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(path) }
    close(descriptor)
  }

  /// Appends bytes, all of them or, for `read` and `mapped`, none.
  func append(_ bytes: Data) throws(Failure) {
    try write(bytes, at: bodyOffset + byteCount)
    byteCount += bytes.count
  }

  /// Notes how much of the body is there, and what it is, for the process that may find it.
  func checkpoint(_ identity: @autoclosure () -> String) {
    guard path != nil else { return }
    checkpointCount += 1
    let (bytes, offset) = HTTPBeginningHead.checkpoint(
      identity(), byteCount: byteCount, number: checkpointCount)
    // Without it less is found; the body is here all the same.
    try? write(bytes, at: offset)
  }

  private func write(_ bytes: Data, at offset: Int) throws(Failure) {
    let code = bytes.withUnsafeBytes { bytes -> Int32 in
      var written = 0
      while written < bytes.count {
        let count = pwrite(
          descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written, off_t(offset + written))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return count < 0 ? errno : EIO }
        written += count
      }
      return 0
    }
    guard code == 0 else { throw Failure(code: code) }
  }

  /// The content, mapped rather than read.
  ///
  /// To map a file is dangerous where somebody may cut it short: the process is ended when it touches what is gone.
  /// Nobody can here, since the file has no name any more and its only descriptor is ours; every byte of it was written
  /// before. What remains is a medium that fails under the mapping. In return the system may drop the pages at any
  /// time and read them again, so that a body of 90 MB does not take 90 MB from anybody who needs them.
  func mapped() throws(Failure) -> Data {
    removeName()
    return try Self.map(descriptor, offset: bodyOffset, byteCount: byteCount)
  }

  /// A part of a file, mapped. Who calls says why nobody cuts it short.
  static func map(_ descriptor: Int32, offset: Int, byteCount count: Int) throws(Failure) -> Data {
    guard count > 0 else { return Data() }
    guard let start = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, off_t(offset)), start != MAP_FAILED
    else { throw Failure(code: errno) }
    // It is read once from front to back, as decoders do: what is behind may go first.
    _ = madvise(start, count, MADV_SEQUENTIAL)
    return Data(bytesNoCopy: start, count: count, deallocator: .custom { _ = munmap($0, $1) })
  }

  /// The content, read into memory: for when the file cannot be used further.
  func read() throws(Failure) -> Data {
    var data = Data(count: byteCount)
    let code = data.withUnsafeMutableBytes { space -> Int32 in
      var offset = 0
      while offset < space.count {
        let count = pread(
          descriptor, space.baseAddress.map { $0 + offset }, space.count - offset,
          off_t(bodyOffset + offset))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return count < 0 ? errno : EIO }
        offset += count
      }
      return 0
    }
    guard code == 0 else { throw Failure(code: code) }
    return data
  }
}
