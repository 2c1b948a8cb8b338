import OzuBase

/// The facts that a spool file has about a body that can be resumed, so that its beginning survives if the process
/// is killed.
struct HTTPPartialBodyRecord: Sendable, Equatable {
  /// A digest of the key, because the key may contain secrets.
  let digest: String
  /// The response in its stored form, without secrets, as JSON.
  let record: Data

  init(digest: String, record: Data) {
    (self.digest, self.record) = (digest, record)
  }

  /// The beginning of a response; nil if the response may not be written to disk or cannot be resumed.
  init?(_ response: HTTPStoredResponse, for key: HTTPCacheKey) {
    guard let clean = response.withoutSecrets, HTTPPartialBody(response: clean, body: Data([0])) != nil,
      let record = try? JSONEncoder().encode(clean),
      record.count <= HTTPPartialBodyFormat.maximumRecordByteCount
    else { return nil }
    self.init(digest: Self.digest(of: key), record: record)
  }

  static func digest(of key: HTTPCacheKey) -> String {
    SHA256.hexDigest(of: "\(key.resource)\n\(key.partition)")
  }
}

/// The bytes before the body in a spool file with a name: the record, and how much of the body is written.
///
/// A checkpoint is the length of the body so far and its identity. Two places for checkpoints are written in turn:
/// a process may be killed while it writes one, and after a loss of power the checkpoint may have reached the disk
/// but not the body. When the file is read, the body is compared with the identity, so only bytes that were really
/// written are used.
enum HTTPPartialBodyFormat {
  static let maximumRecordByteCount = 512 << 10
  static let checkpointByteCount = 64
  private static let magic = Array("ozu-beg1".utf8)
  private static let checkpointOffset = 64
  private static let recordOffset = 192
  /// A multiple of every page size, so that the body can be mapped.
  private static let alignment = 64 << 10

  static func bodyOffset(recordByteCount: Int) -> Int {
    (recordOffset + recordByteCount + alignment - 1) / alignment * alignment
  }

  /// The head of a body without bytes, without the empty space after it.
  static func bytes(record: Data) -> Data {
    var head = Data(magic)
    withUnsafeBytes(of: UInt64(record.count).littleEndian) { head.append(contentsOf: $0) }
    head.append(Data(count: recordOffset - head.count))
    return head + record
  }

  /// The bytes of a checkpoint, and their offset.
  static func checkpoint(_ identity: String, byteCount: Int, number: Int) -> (bytes: Data, offset: Int) {
    var bytes = Data()
    withUnsafeBytes(of: UInt64(byteCount).littleEndian) { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: identity.utf8.prefix(checkpointByteCount - 8))
    bytes.append(Data(count: checkpointByteCount - bytes.count))
    return (bytes, checkpointOffset + number % 2 * checkpointByteCount)
  }

  /// Reads a whole file: the record, and the longest beginning of the body that a checkpoint confirms.
  static func read(_ file: Data) -> (record: Data, body: Data)? {
    guard file.count >= recordOffset, file.prefix(magic.count).elementsEqual(magic) else { return nil }
    let recordByteCount = number(file, at: magic.count)
    guard recordByteCount <= maximumRecordByteCount, recordOffset + recordByteCount <= file.count else {
      return nil
    }
    let body = file.dropFirst(bodyOffset(recordByteCount: recordByteCount))
    let checkpoints = (0..<2).map { place -> (byteCount: Int, identity: String) in
      let start = checkpointOffset + place * checkpointByteCount
      let text = file.dropFirst(start + 8).prefix(checkpointByteCount - 8).prefix { $0 != 0 }
      return (number(file, at: start), String(decoding: text, as: UTF8.self))
    }
    for (byteCount, identity) in checkpoints.sorted(by: { $0.byteCount > $1.byteCount })
    where byteCount > 0 && byteCount <= body.count {
      let beginning = body.prefix(byteCount)
      guard HTTPBodyIdentity.of(beginning) == identity else { continue }
      return (Data(file.dropFirst(recordOffset).prefix(recordByteCount)), beginning)
    }
    return nil
  }

  /// The number, or one larger than any file if it does not fit.
  private static func number(_ file: Data, at offset: Int) -> Int {
    let value = file.dropFirst(offset).prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int(clamping: value)
  }
}

/// The beginning of a body that a killed process left.
///
/// The file is locked as long as this object exists, so that another process that looks for it at the same time
/// ignores it.
final class HTTPOrphanedBody: Sendable {
  let partial: HTTPPartialBody
  private let path: String
  private let descriptor: Int32

  /// Takes over a file. Nil if a process is writing to it, or if no checkpoint confirms any byte.
  ///
  /// The file is mapped. That is safe because the folder belongs to the app, and the holder of the lock is its only
  /// user.
  init?(path: String) {
    let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      return nil
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink > 0,
      let file = try? HTTPSpoolFile.map(descriptor, offset: 0, byteCount: Int(status.st_size)),
      let (record, body) = HTTPPartialBodyFormat.read(file),
      let response = try? JSONDecoder().decode(HTTPStoredResponse.self, from: record),
      let partial = HTTPPartialBody(response: response, body: body)
    else {
      unlink(path)
      close(descriptor)
      return nil
    }
    (self.partial, self.path, self.descriptor) = (partial, path, descriptor)
  }

  /// Removes the file. Its bytes stay readable as long as data refers to them.
  func remove() {
    unlink(path)
  }

  deinit {
    close(descriptor)
  }
}
