#if canImport(Glibc)
  import Foundation
  import OzuBase

  /// The files that come into a folder: closed after writing, or moved there (inotify(7)).
  ///
  /// Names that begin with a dot, and those that browsers give to running downloads, are skipped: the file comes again under its
  /// own name. One thread calls `next`; `end` may be called on any. The folders by their watches are used by `next` alone.
  ///
  /// `Sendable`: `folders` and `hasEnded` have one user at a time, because `next` is called by one thread after `begin`.
  final class FolderWatch: @unchecked Sendable {
    /// What came.
    enum Event: Equatable {
      /// A file, and the folder it is in relative to the watched one.
      case file(path: String, folder: String)
      /// A file or a folder whose name is not UTF-8: its path for system calls, and for people.
      case unnamed(path: [CChar], shown: String, isFolder: Bool)
      /// More came than the system has room for: some files are not named.
      case overflow
      /// A subfolder that cannot be watched, and the number of the error.
      case unwatched(path: String, code: Int32)
      /// The folder that is watched has gone.
      case gone

      var isFile: Bool {
        switch self {
        case .file, .unnamed(path: _, shown: _, isFolder: false): true
        default: false
        }
      }
    }

    private let descriptor: Int32
    /// The ends of a pipe, which `end` makes readable.
    private let wake: (read: Int32, write: Int32)
    private let isRecursive: Bool
    private let results: String?
    /// The path and the relative folder of each watch.
    private var folders: [Int32: (path: String, folder: String)] = [:]
    private var hasEnded = false
    private let root: Int32

    private static let mask = UInt32(
      IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_DELETE_SELF | IN_MOVE_SELF | Int32(IN_ONLYDIR))

    /// - Parameters:
    ///   - path: the folder.
    ///   - isRecursive: whether its subfolders are watched too, also those that come later.
    ///   - results: a folder that is not watched, because results go there. It need not exist yet.
    init(_ path: String, isRecursive: Bool, results: String?) throws(SystemError) {
      descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
      guard descriptor >= 0 else { throw SystemError(code: errno) }
      var ends: [Int32] = [-1, -1]
      let hasPipe = pipe(&ends) == 0
      wake = (ends[0], ends[1])
      self.isRecursive = isRecursive
      self.results = results
      root = inotify_add_watch(descriptor, path, Self.mask)
      guard hasPipe, root >= 0 else {
        let code = errno
        for descriptor in [descriptor] + ends where descriptor >= 0 { close(descriptor) }
        throw SystemError(code: code)
      }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      folders[root] = (path, "")
    }

    deinit {
      for descriptor in [descriptor, wake.read, wake.write] { close(descriptor) }
    }

    /// Watches the subfolders. Returns the files that are there, and what is amiss with folders. Call it before `next`.
    func begin() -> [Event] { folders[root].map { list($0.path, "") } ?? [] }

    /// Lets `next` return what has come until now, and then `nil`.
    func end() { _ = write(wake.write, [1], 1) }

    /// The events that have come, at least one; `nil` after `end`. Blocks.
    func next() -> [Event]? {
      var bytes = [UInt8](repeating: 0, count: 64 << 10)
      while !hasEnded {
        var entries = [
          pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
          pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&entries, 2, -1) > 0 else {
          if errno == EINTR { continue }
          return nil
        }
        hasEnded = entries[1].revents != 0
        var events: [Event] = []
        // At the end all that is there, once: files that come without a pause would keep the command from ending.
        repeat {
          let count = read(descriptor, &bytes, bytes.count)
          guard count > 0 else { break }
          events += self.events(in: bytes[..<count])
        } while hasEnded
        if !events.isEmpty { return events }
      }
      return nil
    }

    /// Reads `struct inotify_event`: watch, mask, cookie and length of 32 bits each, then the name with zeros behind it.
    private func events(in bytes: ArraySlice<UInt8>) -> [Event] {
      let headByteCount = 16
      func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
      }
      var events: [Event] = []
      var rest = bytes
      while rest.count >= headByteCount {
        let start = rest.startIndex
        let watch = Int32(bitPattern: number(rest[start..<start + 4]))
        let mask = number(rest[start + 4..<start + 8])
        let length = Int(number(rest[start + 12..<start + 16]))
        guard rest.count - headByteCount >= length else { break }
        let name = rest[start + headByteCount..<start + headByteCount + length].prefix { $0 != 0 }
        rest = rest.dropFirst(headByteCount + length)
        for event in self.events(watch, mask, name) where !events.contains(event) { events.append(event) }
      }
      return events
    }

    private func events(_ watch: Int32, _ mask: UInt32, _ name: ArraySlice<UInt8>) -> [Event] {
      func has(_ flag: some BinaryInteger) -> Bool { mask & UInt32(truncatingIfNeeded: flag) != 0 }
      if has(IN_Q_OVERFLOW) { return [.overflow] }
      if watch == root, has(IN_DELETE_SELF) || has(IN_IGNORED) { return [.gone] }
      if has(IN_MOVE_SELF), let place = folders[watch], access(place.path, F_OK) != 0 {
        // One that was moved within the watched folder has its new path already, because its parent's event came before.
        if watch == root { return [.gone] }
        inotify_rm_watch(descriptor, watch)
        return []
      }
      if has(IN_IGNORED) {
        folders[watch] = nil
        return []
      }
      let file = FileName(bytes: Array(name))
      guard let (path, folder) = folders[watch], !name.isEmpty, !file.isHidden else { return [] }
      let isFolder = has(IN_ISDIR)
      guard has(IN_MOVED_TO) || has(isFolder ? IN_CREATE : IN_CLOSE_WRITE) else { return [] }
      return events(of: file, in: path, folder, isFolder: isFolder)
    }

    /// The events of a file or a folder that has come.
    private func events(
      of name: FileName, in path: String, _ folder: String, isFolder: Bool
    ) -> [Event] {
      if isFolder ? !isRecursive : Self.isPartial(name.shown) { return [] }
      let start = path.hasSuffix("/") ? path : path + "/"
      guard let text = name.text else {
        return [.unnamed(path: name.path(in: start), shown: start + name.shown, isFolder: isFolder)]
      }
      guard isFolder else { return [.file(path: start + text, folder: folder)] }
      return add(start + text, folder.isEmpty ? text : folder + "/" + text)
    }

    /// Watches a subfolder. Files may be in it already.
    private func add(_ path: String, _ folder: String) -> [Event] {
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
        FolderIdentity(status) != results.flatMap(FolderIdentity.init(path:))
      else { return [] }
      let watch = inotify_add_watch(descriptor, path, Self.mask)
      guard watch >= 0 else {
        switch errno {
        case ENOSPC: return [.overflow]
        // It has gone again.
        case ENOENT, ENOTDIR: return []
        case let code: return [.unwatched(path: path, code: code)]
        }
      }
      folders[watch] = (path, folder)
      return list(path, folder)
    }

    private func list(_ path: String, _ folder: String) -> [Event] {
      var events: [Event] = []
      for name in (try? FileName.names(in: path)) ?? [] where !name.isHidden {
        var status = stat()
        guard lstat(name.path(in: path + "/"), &status) == 0 else { continue }
        events += self.events(
          of: name, in: path, folder, isFolder: status.st_mode & S_IFMT == S_IFDIR)
      }
      return events
    }

    private static func isPartial(_ name: String) -> Bool {
      [".part", ".partial", ".crdownload", ".download", ".tmp"].contains { name.hasSuffix($0) }
    }
  }
#endif
