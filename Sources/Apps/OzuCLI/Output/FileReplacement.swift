import Foundation

/// Writes a file completely, or not at all.
///
/// The bytes are written into a draft in the same folder. Where the system supports it (`O_TMPFILE`), the draft has no
/// name and is gone with the process. It gets a name of its own only between `link` and `rename`, and only if it replaces
/// an older file. On other systems the draft has a name, and `Interruption` removes it when a signal ends the process.
struct FileReplacement {
  /// The path, with its links resolved.
  let path: String
  /// The file that has the name now.
  let old: stat?
  /// Whether the bytes are on the device before the older file is gone.
  let isDurable: Bool
  /// The permissions of the file; `nil` for those of the older file, or else of the process.
  var permissions: mode_t?
  /// The times of the file; `nil` for those of now.
  var times: FileTimes?
  /// Whether drafts without a name are tried first; tests turn it off.
  var triesNameless = true

  var folder: String { OutputFile.folder(of: path) }

  func write(_ data: Data) throws(SystemError) {
    // A rename needs permission only for the folder, but a read-only file must stay.
    if old != nil, access(path, W_OK) != 0 { throw SystemError(code: errno) }
    if triesNameless, let descriptor = openNameless() {
      defer { close(descriptor) }
      try fill(descriptor, data)
      if try publish(nameless: descriptor) { return }
    }
    try writeNamed(data)
  }

  private func fill(_ descriptor: Int32, _ data: Data) throws(SystemError) {
    // Before the file has bytes that others could read.
    if let permissions, fchmod(descriptor, permissions) != 0 { throw SystemError(code: errno) }
    try OutputFile.write(data, to: descriptor)
    if let times, !times.set(descriptor) { throw SystemError(code: errno) }
    guard let old, permissions == nil else { return }
    try keepPermissions(of: old, descriptor)
    if isDurable, fsync(descriptor) != 0 { throw SystemError(code: errno) }
  }

  /// Gives the draft the owner of the older file, where that is allowed, and its permissions.
  private func keepPermissions(of old: stat, _ descriptor: Int32) throws(SystemError) {
    var mode = old.st_mode & 0o7777
    // The bits that run a program as its owner or group are only for a file of the same owner.
    if fchown(descriptor, old.st_uid, old.st_gid) != 0 { mode &= 0o777 }
    if fchmod(descriptor, mode) != 0 { throw SystemError(code: errno) }
  }

  private static func draftName(in folder: String) -> String {
    "\(folder)/.ozu-\(getpid())-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))"
  }

  // MARK: Drafts with a name

  private func writeNamed(_ data: Data) throws(SystemError) {
    let draft = Self.draftName(in: folder)
    let descriptor = try Interruption.holdingOff { () throws(SystemError) in
      let descriptor = try OutputFile.open(draft, O_WRONLY | O_CREAT | O_EXCL)
      Interruption.setDraft(draft)
      return descriptor
    }
    do throws(SystemError) {
      do throws(SystemError) {
        try fill(descriptor, data)
      } catch {
        close(descriptor)
        throw error
      }
      // Network file systems report a full disk here.
      guard close(descriptor) == 0 else { throw SystemError(code: errno) }
      try Interruption.holdingOff { () throws(SystemError) in
        guard rename(draft, path) == 0 else { throw SystemError(code: errno) }
        Interruption.setDraft(nil)
      }
    } catch {
      Interruption.holdingOff {
        unlink(draft)
        Interruption.setDraft(nil)
      }
      throw error
    }
  }

  // MARK: Drafts without a name

  #if os(Linux)
    private func openNameless() -> Int32? {
      // O_TMPFILE, a macro that Swift cannot import.
      let flags: Int32 = 0o20_000_000 | O_DIRECTORY
      return try? OutputFile.open(folder, flags | O_WRONLY)
    }

    /// Gives the draft its name.
    ///
    /// - Returns: false where the system cannot link a file without a name.
    private func publish(nameless descriptor: Int32) throws(SystemError) -> Bool {
      if old == nil {
        if link(descriptor, to: path) { return true }
        // Another process has made the file in the meantime: it is replaced.
        guard errno == EEXIST else { return false }
      }
      let draft = Self.draftName(in: folder)
      return try Interruption.holdingOff { () throws(SystemError) in
        guard link(descriptor, to: draft) else { return false }
        if rename(draft, path) == 0 { return true }
        let code = errno
        unlink(draft)
        throw SystemError(code: code)
      }
    }

    private func link(_ descriptor: Int32, to path: String) -> Bool {
      linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0
    }
  #else
    private func openNameless() -> Int32? { nil }

    private func publish(nameless descriptor: Int32) throws(SystemError) -> Bool { false }
  #endif
}

/// The times of a file: of its last use and of its last change.
struct FileTimes: Sendable {
  static let option = OptionSpecification(
    name: "times", help: "Give each result the times of its source, if that is a file.")

  private let used: timespec
  let changed: timespec

  /// The times of the file that a source names; `nil` if it is not there, and for sources that are no files.
  init?(ofFile text: String) {
    guard let status = SourceArgument.status(ofFile: text) else { return nil }
    self.init(status)
  }

  init(_ status: stat) {
    #if canImport(Glibc)
      (used, changed) = (status.st_atim, status.st_mtim)
    #else
      (used, changed) = (status.st_atimespec, status.st_mtimespec)
    #endif
  }

  /// Gives an open file the times. Returns false, with `errno`, if the system refuses.
  func set(_ descriptor: Int32) -> Bool { futimens(descriptor, [used, changed]) == 0 }
}
