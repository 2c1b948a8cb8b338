import Foundation
import OzuBase

/// A file that a command writes, under the name that the user gave.
///
/// Links are followed. A device, a pipe or an open descriptor (`-`, `/dev/stdout`) is written to. A regular file is
/// replaced completely or not at all, and keeps its permissions. Another hard link to it keeps the old contents, because
/// only one name gets the new file. For a link that leads nowhere, the file that it names is made.
struct OutputFile: Sendable {
  static let standardOutput = "-"

  let path: String

  init(_ path: String) { self.path = path }

  /// The destination of the bytes, after links are followed.
  enum Destination {
    /// A descriptor that this process has open.
    case descriptor(Int32)
    /// A device or a pipe, which is opened and written to.
    case stream(String)
    /// A regular file; `old` is nil when it does not exist yet.
    case file(String, old: stat?)
  }

  var isStandardOutput: Bool {
    if case .descriptor(STDOUT_FILENO) = try? destination() { true } else { false }
  }

  /// Writes the bytes. Blocks, for a pipe until it has a reader.
  ///
  /// - Parameters:
  ///   - makesFolders: whether missing folders of the path are made.
  ///   - isDurable: whether the bytes are on the device before an older file is gone.
  ///   - times: the times that a regular file gets; those of now by default.
  func write(
    _ data: Data, makesFolders: Bool = false, isDurable: Bool = false, times: FileTimes? = nil
  ) throws(OutputError) {
    do throws(SystemError) {
      switch try destination() {
      case .descriptor(let descriptor):
        do throws(SystemError) {
          try Self.write(data, to: descriptor)
        } catch {
          if descriptor == STDOUT_FILENO, error.code == EPIPE { Interruption.endForClosedOutput() }
          throw error
        }
      case .stream(let path):
        let descriptor = try Self.open(path, O_WRONLY | O_TRUNC | O_NOCTTY)
        defer { close(descriptor) }
        try Self.write(data, to: descriptor)
      case .file(let path, let old):
        let replacement = FileReplacement(path: path, old: old, isDurable: isDurable, times: times)
        if makesFolders { try Self.makeFolder(replacement.folder) }
        try replacement.write(data)
      }
    } catch {
      throw OutputError(path, code: error.code, writing: data.count)
    }
  }

  /// Follows links by hand, because the last of them may lead to nothing, or to a descriptor.
  func destination() throws(SystemError) -> Destination {
    if path == Self.standardOutput { return .descriptor(STDOUT_FILENO) }
    var path = path
    for _ in 0..<40 {
      if let descriptor = Self.descriptor(named: path) { return .descriptor(descriptor) }
      var status = stat()
      guard lstat(path, &status) == 0 else {
        guard errno == ENOENT else { throw SystemError(code: errno) }
        return .file(path, old: nil)
      }
      switch status.st_mode & S_IFMT {
      case S_IFREG: return .file(path, old: status)
      case S_IFDIR: throw SystemError(code: EISDIR)
      case S_IFLNK:
        // A link of /proc to an open file of another process. Its text is not always a path.
        if path.hasPrefix("/proc/") { return .stream(path) }
        let target = try Self.target(ofLink: path)
        path = target.hasPrefix("/") ? target : Self.folder(of: path) + "/" + target
      default: return .stream(path)
      }
    }
    throw SystemError(code: ELOOP)
  }

  /// The descriptor of this process that a path names.
  private static func descriptor(named path: String) -> Int32? {
    let standard = ["/dev/stdin": STDIN_FILENO, "/dev/stdout": STDOUT_FILENO, "/dev/stderr": STDERR_FILENO]
    if let descriptor = standard[path] { return descriptor }
    let folders = ["/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/", "/proc/\(getpid())/fd/"]
    guard let folder = folders.first(where: path.hasPrefix) else { return nil }
    return Int32(path.dropFirst(folder.count))
  }

  private static func target(ofLink path: String) throws(SystemError) -> String {
    let size = Int(PATH_MAX)
    var bytes = [CChar](repeating: 0, count: size)
    let length = readlink(path, &bytes, size)
    guard length > 0 else { throw SystemError(code: errno) }
    // With other characters in place of its bytes, another file would be made beside the one that is meant.
    guard let target = String(validating: bytes[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self) else {
      throw SystemError(code: EILSEQ)
    }
    return target
  }
}

struct SystemError: Error {
  let code: Int32
}

// MARK: System calls

extension OutputFile {
  /// The folder that a path's last part is in.
  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    guard path != standardOutput, stat(path, &status) == 0 else { return false }
    return status.st_mode & S_IFMT == S_IFDIR
  }

  static func open(_ path: String, _ flags: Int32) throws(SystemError) -> Int32 {
    while true {
      let descriptor = Foundation.open(path, flags | O_CLOEXEC, 0o666)
      if descriptor >= 0 { return descriptor }
      guard errno == EINTR else { throw SystemError(code: errno) }
    }
  }

  static func write(_ data: Data, to descriptor: Int32) throws(SystemError) {
    let code = data.withUnsafeBytes { BlockingCalls.write($0, to: descriptor) }
    if let code { throw SystemError(code: code) }
  }

  /// Makes a folder and the missing folders above it. An existing folder is not an error.
  static func makeFolder(_ path: String, _ permissions: mode_t = 0o777) throws(SystemError) {
    if mkdir(path, permissions) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, path.contains("/"), path != "/" else { throw SystemError(code: errno) }
    try makeFolder(folder(of: path), permissions)
    if mkdir(path, permissions) != 0, errno != EEXIST { throw SystemError(code: errno) }
  }
}

/// The reason why a file was not written: one line with its name.
struct OutputError: Error, CustomStringConvertible {
  let description: String

  init(_ path: String, reason: String) {
    description = "\(Self.name(path)) cannot be written: \(reason)"
  }

  /// A reason alone, for a message that names the file.
  init(reason: String) { description = reason }

  /// - Parameters:
  ///   - code: the error of the system, as in `errno`.
  ///   - byteCount: the size of the file, for the message about a full disk.
  init(_ path: String, code: Int32, writing byteCount: Int) {
    let place = "\(Self.name(path)) (needs \(Format.bytes(byteCount)))"
    description =
      switch code {
      case ENOSPC: "no space left on \(place)"
      case EDQUOT: "no disk quota left on \(place)"
      default: OutputError(path, reason: systemMessage(code)).description
      }
  }

  private static func name(_ path: String) -> String {
    path == OutputFile.standardOutput ? "standard output" : path
  }
}
