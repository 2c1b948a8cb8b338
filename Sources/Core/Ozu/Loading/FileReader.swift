import OzuBase

/// Reads whole local files with plain system calls. Foundation's reader maps files, and if another process truncates
/// a mapped file, this process is killed.
package enum FileReader {
  /// The bytes of a file. Blocks.
  ///
  /// - Parameter limit: the largest number of bytes to accept; checked before memory is allocated.
  /// - Throws: `noSuchFile`, `isDirectory`, `unreadableFile`, `bodyTooLarge`.
  package static func bytes(of path: String, limit: Int) throws(ImageError) -> Data {
    try read(path, limit: limit).data
  }

  /// The bytes of a file, and its stamp.
  ///
  /// Blocks; called on a thread of a station.
  ///
  /// - Parameter limit: the largest number of bytes to accept; checked before memory is allocated.
  /// - Throws: `noSuchFile`, `isDirectory`, `unreadableFile`, `bodyTooLarge`.
  static func read(_ path: String, limit: Int) throws(ImageError) -> (data: Data, stamp: FileStamp) {
    // Without O_NONBLOCK, opening a named pipe would wait for a writer that may never come.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw error(path, errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw error(path, errno) }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw .isDirectory(path)
    default: throw .irregularFile(path)
    }
    guard status.st_size <= limit else { throw .bodyTooLarge(path, limit: limit) }
    var data = Data(count: Int(status.st_size))
    let outcome = data.withUnsafeMutableBytes { fill($0, from: descriptor) }
    switch outcome {
    case .failure(let failure): throw error(path, failure.code)
    case .success(let count):
      // Fewer bytes if the file was truncated during the read; the decoder reports that.
      if count < data.count { data.removeSubrange(count...) }
    }
    return (data, FileStamp(status))
  }

  private struct Failure: Error {
    let code: Int32
  }

  private static func fill(
    _ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32
  ) -> Result<Int, Failure> {
    var count = 0
    while count < buffer.count {
      let received = systemRead(descriptor, buffer.baseAddress! + count, buffer.count - count)
      if received < 0 && errno == EINTR { continue }
      if received < 0 { return .failure(Failure(code: errno)) }
      if received == 0 { break }
      count += received
    }
    return .success(count)
  }

  private static func error(_ path: String, _ code: Int32) -> ImageError {
    switch code {
    case ENOENT, ENOTDIR: .noSuchFile(path)
    case EISDIR: .isDirectory(path)
    // A socket.
    case ENXIO: .irregularFile(path)
    default: .unreadableFile(path, code: code)
    }
  }
}

/// The system's `read`, under another name because the type above has a function of the same name.
private func systemRead(_ file: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
  read(file, buffer, count)
}

/// The properties of a local file that change when it is replaced or rewritten. Cached results store the stamp of
/// their file, and are valid only while the file has the same stamp.
struct FileStamp: Hashable, Sendable {
  let byteCount: Int64
  let modifiedSeconds: Int
  let modifiedNanoseconds: Int
  let inode: UInt64
}

extension FileStamp {
  init(_ status: stat) {
    byteCount = Int64(status.st_size)
    #if canImport(Glibc)
      let modified = status.st_mtim
    #else
      let modified = status.st_mtimespec
    #endif
    modifiedSeconds = Int(modified.tv_sec)
    modifiedNanoseconds = Int(modified.tv_nsec)
    inode = UInt64(status.st_ino)
  }

  /// A number for the file at a path with this stamp, constant within this process.
  func number(of path: String) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(path)
    hasher.combine(self)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  /// The stamp of a file now, or `nil` when there is none. One system call. A folder has none: it changes with what is in it, and
  /// a key of an app may be its path.
  init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    self.init(status)
  }
}
