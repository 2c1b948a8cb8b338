import OzuBase

/// A file for a body that is too large for memory, or for one that arrives slowly and can be resumed.
///
/// It is unlinked as soon as it is open. So it leaves nothing behind, however its use ends: the system frees its
/// blocks after the last descriptor and the last mapping are closed, also if the process is killed. If a crash
/// between the two calls leaves a file, the next process that opens one in the folder removes it (`sweep`).
///
/// The file of a body that can be resumed keeps its name until its use ends, and contains the facts about the body
/// (`HTTPPartialBodyFormat`): if the process is killed, the next one uses the file. It is locked (flock(2)) while it is
/// written, so that no other process takes it over before.
///
/// Its calls block. One thread at a time uses it.
final class HTTPSpoolFile {
  /// A failed call, with the system's error number.
  struct Failure: Error {
    let code: Int32
  }

  private static let namePrefix = "ozu-spool-"
  private static let partialBodyPrefix = "ozu-beginning-"
  /// The most beginnings of other processes that are kept in a folder, and for how long.
  static let (maximumLeftCount, maximumLeftSeconds) = (32, 7 * 24 * 3600.0)

  private let descriptor: Int32
  /// The number of bytes of the body in the file.
  private(set) var byteCount = 0
  private let bodyOffset: Int
  /// The path of a file with a name.
  private let path: String?
  private var checkpointCount = 0

  /// Makes a file in a folder. The folder is not made: it belongs to the caller, and may be on a file system of its
  /// own.
  ///
  /// - Parameter beginning: the facts about the body for another process, if this one is killed.
  init(directory: String, beginning: HTTPPartialBodyRecord? = nil) throws(Failure) {
    let number = String(UInt64.random(in: 0...UInt64.max), radix: 36)
    let prefix = beginning.map { "\(Self.partialBodyPrefix)\($0.digest)-" } ?? Self.namePrefix
    let path = "\(directory)/\(prefix)\(getpid())-\(number)"
    descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Failure(code: errno) }
    bodyOffset = beginning.map { HTTPPartialBodyFormat.bodyOffset(recordByteCount: $0.record.count) } ?? 0
    guard let beginning, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      self.path = nil
      unlink(path)
      return
    }
    self.path = path
    try write(HTTPPartialBodyFormat.bytes(record: beginning.record), at: 0)
  }

  deinit {
    removeName()
    close(descriptor)
  }

  private func removeName() {
    if let path { unlink(path) }
  }

  /// Removes files that crashes left in a folder, and old beginnings of bodies. Returns the paths of the other
  /// beginnings by the digest of their key.
  ///
  /// If a file of another process is removed between being made and being unlinked, it loses only its name, which
  /// it would lose anyway. Beginnings that are being written are locked, and stay.
  static func sweep(directory: String, now: Date = Date()) -> [String: [String]] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    for name in names where name.hasPrefix(namePrefix) { unlink("\(directory)/\(name)") }
    var left: [(name: String, age: TimeInterval)] = []
    for name in names where name.hasPrefix(partialBodyPrefix) {
      let attributes = try? FileManager.default.attributesOfItem(atPath: "\(directory)/\(name)")
      guard let changed = attributes?[.modificationDate] as? Date else { continue }
      left.append((name, now.timeIntervalSince(changed)))
    }
    left.sort { $0.age < $1.age }
    // A file from the future, of a clock that was wrong, would stay until then.
    let kept = left.filter { abs($0.age) < maximumLeftSeconds }.prefix(maximumLeftCount)
    for item in left where !kept.contains(where: { $0.name == item.name }) {
      removeIfLeft("\(directory)/\(item.name)")
    }
    return Dictionary(
      grouping: kept.map { "\(directory)/\($0.name)" },
      by: { path in
        let name = path.dropFirst(directory.count + 1 + partialBodyPrefix.count)
        return String(name.prefix { $0 != "-" })
      })
  }

  /// Removes a file that no process is writing to.
  private static func removeIfLeft(_ path: String) {
    let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return }
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(path) }
    close(descriptor)
  }

  /// Appends bytes: all of them, or none that `read` and `mapped` would return.
  func append(_ bytes: Data) throws(Failure) {
    try write(bytes, at: bodyOffset + byteCount)
    byteCount += bytes.count
  }

  /// Records how much of the body is written, and its identity, for the process that may find the file.
  func checkpoint(_ identity: @autoclosure () -> String) {
    guard path != nil else { return }
    checkpointCount += 1
    let (bytes, offset) = HTTPPartialBodyFormat.checkpoint(
      identity(), byteCount: byteCount, number: checkpointCount)
    // Without the checkpoint another process finds fewer bytes; the body in the file is not affected.
    try? write(bytes, at: offset)
  }

  private func write(_ bytes: Data, at offset: Int) throws(Failure) {
    let code = bytes.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) -> Int32 in
      Self.move(bytes.count) { done in
        pwrite(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
      }
    }
    guard code == 0 else { throw Failure(code: code) }
  }

  /// Calls a closure with the number of bytes that are done, until all are, and returns the number of the error or 0.
  private static func move(_ byteCount: Int, _ step: (_ done: Int) -> Int) -> Int32 {
    var done = 0
    while done < byteCount {
      let count = step(done)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count < 0 ? errno : EIO }
      done += count
    }
    return 0
  }

  /// The content, mapped instead of read.
  ///
  /// Reading a mapped file is dangerous if the file can be shortened: the system ends the process at the missing
  /// page. This file cannot be, because it has no name any more, this object has the only descriptor, and every
  /// byte was written before. The risk that remains is a device that fails. In return the system may drop the pages
  /// at any time and read them again, so a body of 90 MB does not take 90 MB from others.
  func mapped() throws(Failure) -> Data {
    removeName()
    return try Self.map(descriptor, offset: bodyOffset, byteCount: byteCount)
  }

  /// A part of a file, mapped. The caller must make sure that the file is not shortened.
  static func map(_ descriptor: Int32, offset: Int, byteCount count: Int) throws(Failure) -> Data {
    guard count > 0 else { return Data() }
    guard let start = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, off_t(offset)), start != MAP_FAILED
    else { throw Failure(code: errno) }
    // Decoders read it once from front to back, so earlier pages may be dropped first.
    _ = madvise(start, count, MADV_SEQUENTIAL)
    return Data(bytesNoCopy: start, count: count, deallocator: .custom { _ = munmap($0, $1) })
  }

  /// The content, read into memory, if the file cannot be used further.
  func read() throws(Failure) -> Data {
    var data = Data(count: byteCount)
    let code = data.withUnsafeMutableBytes { (space: UnsafeMutableRawBufferPointer) -> Int32 in
      Self.move(space.count) { done in
        pread(descriptor, space.baseAddress.map { $0 + done }, space.count - done, off_t(bodyOffset + done))
      }
    }
    guard code == 0 else { throw Failure(code: code) }
    return data
  }
}

/// The file of a body, or the memory that replaces it.
///
/// Unchecked Sendable: `append` runs only on the spool's thread, and `take` runs after the last append; the lock of
/// `HTTPSpooledBody` orders them.
final class HTTPSpooledBodyWriter: @unchecked Sendable {
  private let spool: HTTPBodySpool
  private var file: HTTPSpoolFile?
  /// The body in memory, if it could not be written to a file.
  private var memory: Data?
  private var identity = HTTPBodyIdentity()
  private var failure: HTTPSpoolFile.Failure?

  init(spool: HTTPBodySpool) { self.spool = spool }

  deinit {
    closeFile()
  }

  func append(_ piece: Data, keeping: HTTPSpooledBody.Keeping?) {
    guard failure == nil else { return }
    piece.withUnsafeBytes { identity.update($0) }
    if memory == nil, file == nil {
      file = spool.open(keeping?.beginning())
      if file == nil { memory = Data() }
    }
    if let file {
      do throws(HTTPSpoolFile.Failure) {
        try file.append(piece)
        return file.checkpoint(identity.text)
      } catch {
        // The disk is full or failed. The bytes in the file are read back.
        takeBack(file)
      }
    }
    memory?.append(piece)
  }

  private func takeBack(_ file: HTTPSpoolFile) {
    do throws(HTTPSpoolFile.Failure) {
      memory = try file.read()
    } catch {
      failure = error
    }
    closeFile()
  }

  func take() throws(HTTPError) -> HTTPSpooledBody.Content {
    defer {
      closeFile()
      memory = nil
    }
    if let failure { throw Self.error(failure) }
    guard memory == nil, let file else {
      return HTTPSpooledBody.Content(data: memory ?? Data(), identity: identity.text)
    }
    do throws(HTTPSpoolFile.Failure) {
      return HTTPSpooledBody.Content(data: try file.mapped(), identity: identity.text)
    } catch {
      throw Self.error(error)
    }
  }

  private static func error(_ failure: HTTPSpoolFile.Failure) -> HTTPError {
    HTTPError(.other(code: Int(failure.code), message: "the file that holds the body cannot be read"))
  }

  private func closeFile() {
    guard file != nil else { return }
    file = nil
    spool.noteClosed()
  }
}
