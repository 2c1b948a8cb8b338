import CListener
import Dispatch
public import Ozu
import OzuBase

/// The folders of this machine whose pictures addresses may name: `local://photos/2026/cat.jpg` is `2026/cat.jpg` in the folder
/// with the name `photos`, and `local:///cat.jpg` is in the folder with the empty name.
///
/// ```swift
/// let folders = try LocalFolders(["photos": "/srv/photos"])
/// var rules = AddressRules()
/// rules.folders = folders.names
/// var configuration = ImagePipeline.Configuration.service()
/// configuration.sources.register(folders)
/// ```
///
/// Only regular files are opened, never a symbolic link, a device, a pipe, or a name that begins with a dot, and no path leads out
/// of its folder, also not while somebody else renames files in it. A hard link is a file like any other. The folder itself may be
/// a link.
///
/// A file is the same as long as its size and its time of change are. A picture is served for `lifetime` without a look at its
/// file; after that a changed file is served anew, and a look at an unchanged one costs no reading.
public struct LocalFolders: ImageSourceResolving {
  /// The paths of the folders by their names.
  public let paths: [String: String]
  /// How long a picture is served without a look at its file, and how long clients may keep it. Default: a minute.
  public var lifetime = Duration.seconds(60)

  /// Makes a resolver.
  ///
  /// - Parameter paths: the paths of the folders by their names, which have small letters, digits and hyphens. One may be empty.
  /// - Throws: `AddressRulesError` for another name.
  public init(_ paths: [String: String]) throws(AddressRulesError) {
    if let name = paths.keys.sorted().first(where: { !LocalPath.isName($0) }) {
      throw AddressRulesError(
        "\"\(name)\" cannot be the name of a folder: small letters, digits and - are needed")
    }
    self.paths = paths
  }

  /// The names of the folders, for `AddressRules.folders`.
  public var names: Set<String> { Set(paths.keys) }

  /// The fetcher for a file of a folder; `nil` for other addresses.
  public func fetcher(for url: URL) -> (any ImageFetching)? {
    guard let path = LocalPath(url), let folder = paths[path.folder] else { return nil }
    return LocalFile(key: url.absoluteString, folder: folder, path: path.bytes, lifetime: lifetime)
  }
}

/// The parts of an address like `local://photos/2026/cat.jpg`.
struct LocalPath: Hashable {
  let folder: String
  /// The path in the folder: names with slashes between them. A file system knows bytes, not characters.
  let bytes: [UInt8]

  /// - Returns: `nil` for an address of another scheme, for a query or a fragment, and for a path with an empty name, a name that
  ///   begins with a dot, or a zero byte.
  init?(_ url: URL) {
    let text = Array(url.absoluteString.utf8)
    let scheme = Array("local://".utf8)
    guard text.count > scheme.count, zip(scheme, text).allSatisfy({ $0 == $1 || $0 == $1 | 0x20 }),
      !text.contains(where: { "?#".utf8.contains($0) }),
      let slash = text[scheme.count...].firstIndex(of: UInt8(ascii: "/"))
    else { return nil }
    let folder = String(decoding: text[scheme.count..<slash], as: UTF8.self).lowercased()
    let rest = String(decoding: text[(slash + 1)...], as: UTF8.self)
    guard Self.isName(folder), let bytes = PercentEncoding.decoded(rest[...]), !bytes.contains(0),
      bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        .allSatisfy({ !$0.isEmpty && $0.first != UInt8(ascii: ".") })
    else { return nil }
    (self.folder, self.bytes) = (folder, bytes)
  }

  static func isName(_ text: String) -> Bool {
    text.utf8.allSatisfy {
      (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
    }
  }
}

/// A file of a folder. It is opened and read on threads that may wait for a disk.
private struct LocalFile: ImageStreaming {
  let key: String
  let folder: String
  let path: [UInt8]
  let lifetime: Duration

  private static let queue = DispatchQueue(label: "ozu.local-files", attributes: .concurrent)
  private static let pieceByteCount = 256 << 10

  func stream(into body: ImageBody) async throws {
    let file = try await onQueue { try OpenFile(key, folder: folder, path: path) }
    let tag = file.state.tag
    if body.known?.entityTag == tag { return try body.confirm(ImageBodyHead(lifetime: lifetime)) }
    try body.begin(ImageBodyHead(byteCount: file.state.byteCount, lifetime: lifetime, entityTag: tag))
    var left = file.state.byteCount
    while left > 0 {
      let piece = try await onQueue { [left] in try file.read(atMost: min(left, Self.pieceByteCount)) }
      // A file that has become shorter: the body then lacks bytes, which is an error.
      if piece.isEmpty { break }
      left -= piece.count
      try await body.write(piece)
    }
    // Bytes of two states must not be kept under the tag of one.
    guard try file.stateNow() == file.state else { throw ImageError.unreadableFile(key, code: ESTALE) }
  }

  /// Does work on a thread that may wait. Its failures become errors of the request.
  private func onQueue<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value
  {
    let result = await withCheckedContinuation { continuation in
      Self.queue.async { continuation.resume(returning: Result { try work() }) }
    }
    return try result.get()
  }
}

private final class OpenFile: Sendable {
  /// The facts that change when a file is replaced or written.
  struct State: Equatable {
    let byteCount: Int
    let seconds: Int
    let nanoseconds: Int

    /// Without the number of the file, so that the machines of a fleet have the same tags for copies of a file.
    var tag: String { "\(byteCount)-\(seconds)-\(nanoseconds)" }
  }

  let state: State
  private let name: String
  private let descriptor: Int32

  /// - Parameter name: the address, for errors.
  init(_ name: String, folder: String, path: [UInt8]) throws {
    let root = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // Not the fault of the address: a disk may not be mounted.
    guard root >= 0 else { throw ImageError.unreadableFile(name, code: errno) }
    defer { close(root) }
    let opened = (path + [0]).withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { ozu_open_beneath(root, $0.baseAddress!) }
    }
    guard opened >= 0 else { throw Self.error(name, errno) }
    do {
      state = try Self.state(name, of: opened)
    } catch {
      close(opened)
      throw error
    }
    (self.name, descriptor) = (name, opened)
  }

  deinit { close(descriptor) }

  func stateNow() throws -> State { try Self.state(name, of: descriptor) }

  /// The next bytes; none at the end.
  func read(atMost count: Int) throws -> Data {
    var data = Data(count: count)
    let received = data.withUnsafeMutableBytes { buffer in
      while true {
        let received = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        if received >= 0 || errno != EINTR { return received }
      }
    }
    guard received >= 0 else { throw Self.error(name, errno) }
    return data.prefix(received)
  }

  private static func state(_ name: String, of descriptor: Int32) throws -> State {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw error(name, errno) }
    return State(
      byteCount: Int(status.st_size), seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
  }

  /// A link, a folder or a device is answered as what is not there.
  private static func error(_ name: String, _ code: Int32) -> ImageError {
    switch code {
    case ENOENT, ENOTDIR, ELOOP, EXDEV, EISDIR, ENXIO, ENAMETOOLONG: .noSuchFile(name)
    default: .unreadableFile(name, code: code)
    }
  }
}
