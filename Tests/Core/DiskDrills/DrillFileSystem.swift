import Foundation
import OzuBase
import OzuCaching

/// The system's files, with a record of their total length and of the files that are not synchronized. It can tear writes,
/// and make them fail.
final class DrillFileSystem: FileSystem {
  /// A file that was opened or made through this file system.
  struct Watched {
    var byteCount = 0
    var isUnsynced = false
  }

  struct State {
    var files: [Int: Watched] = [:]
    var names: [String: Int] = [:]
    var nextNumber = 0
    var isDirectoryUnsynced = false
    /// How often files were synchronized.
    var synchronizations = 0
    /// How often pages of the index were read and written.
    var pageReads = 0
    var pageWrites = 0
    /// The most bytes that all files had together at any time.
    var largestByteCount = 0
    /// Whether writes of more than a kilobyte fail half way.
    var failsWrites = false

    /// The segments with bytes that are not synchronized.
    var unsynced: [String] {
      names.filter { $0.key.hasSuffix(".segment") && files[$0.value]?.isUnsynced == true }.map(\.key)
    }

    mutating func note() {
      largestByteCount = max(largestByteCount, names.values.reduce(0) { $0 + (files[$1]?.byteCount ?? 0) })
    }
  }

  let state = Mutex(State())
  private let base = SystemFileSystem()
  private let tearsWrites: Bool

  /// - Parameter tearsWrites: Whether each write of more than a kilobyte is done in pieces with pauses between them, and
  ///   half of the time the last piece early, so that the file is long enough with a hole in it. Otherwise
  ///   each write is one call, which `kill -9` hardly ever tears.
  init(tearsWrites: Bool = false) { self.tearsWrites = tearsWrites }

  func makeDirectory(_ path: String) throws(DiskCacheError) { try base.makeDirectory(path) }

  func writers(of directory: String) throws(DiskCacheError) -> DirectoryWriters {
    try base.writers(of: directory)
  }

  func list(_ directory: String) throws(DiskCacheError) -> [String] { try base.list(directory) }

  func open(_ path: String, for access: FileAccess) throws(DiskCacheError) -> any OpenFile {
    let file = try base.open(path, for: access)
    let byteCount = try file.byteCount()
    let number = state.withLock { state in
      if access == .creating { state.isDirectoryUnsynced = true }
      if let number = state.names[path], access != .creating { return number }
      state.nextNumber += 1
      state.names[path] = state.nextNumber
      state.files[state.nextNumber] = Watched(byteCount: byteCount)
      state.note()
      return state.nextNumber
    }
    return Handle(base: file, number: number, path: path, system: self)
  }

  func remove(_ path: String) throws(DiskCacheError) {
    try base.remove(path)
    forget(path)
  }

  func removeObstacle(_ path: String) throws(DiskCacheError) {
    try base.removeObstacle(path)
    forget(path)
  }

  private func forget(_ path: String) {
    state.withLock { state in
      state.names[path] = nil
      state.isDirectoryUnsynced = true
    }
  }

  func rename(_ path: String, to newPath: String) throws(DiskCacheError) {
    try base.rename(path, to: newPath)
    state.withLock { state in
      state.names[newPath] = state.names.removeValue(forKey: path)
      state.isDirectoryUnsynced = true
    }
  }

  func synchronizeDirectory(_ path: String) throws(DiskCacheError) {
    try base.synchronizeDirectory(path)
    state.withLock { $0.isDirectoryUnsynced = false }
  }

  func lock(_ path: String) throws(DiskCacheError) -> (any FileLock)? { try base.lock(path) }

  private final class Handle: OpenFile {
    let base: any OpenFile
    let number: Int
    let path: String
    let system: DrillFileSystem
    private let hasPages: Bool

    init(base: any OpenFile, number: Int, path: String, system: DrillFileSystem) {
      (self.base, self.number, self.path, self.system) = (base, number, path, system)
      hasPages = path.hasSuffix("/pages")
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(DiskCacheError) -> Int {
      if hasPages { system.state.withLock { $0.pageReads += 1 } }
      return try base.read(into: buffer, at: offset)
    }

    func write(_ parts: [UnsafeRawBufferPointer], at offset: Int) throws(DiskCacheError) {
      let count = parts.reduce(0) { $0 + $1.count }
      let fails = system.state.withLock { state in
        state.files[number]?.isUnsynced = true
        if hasPages { state.pageWrites += 1 }
        return state.failsWrites && count > 1024
      }
      var bytes = [UInt8]()
      if fails || (system.tearsWrites && count > 1024) {
        for part in parts { bytes += part }
      }
      if fails {
        try write(bytes, 0..<count / 2, at: offset)
        throw DiskCacheError(.write, path: path, code: ENOSPC, writing: count)
      }
      if bytes.isEmpty {
        try base.write(parts, at: offset)
        note(offset + count)
      } else {
        for range in Self.pieces(count) {
          try write(bytes, range, at: offset)
          usleep(UInt32.random(in: 0..<200))
        }
      }
    }

    /// The bytes of a write in up to five pieces: in their order, or the last one second.
    private static func pieces(_ count: Int) -> [Range<Int>] {
      var cuts = (0..<4).map { _ in Int.random(in: 1..<count) } + [0, count]
      cuts.sort()
      var pieces = zip(cuts, cuts.dropFirst()).map { $0..<$1 }
      if Bool.random(), let last = pieces.popLast() { pieces.insert(last, at: 1) }
      return pieces
    }

    private func write(_ bytes: [UInt8], _ range: Range<Int>, at offset: Int) throws(DiskCacheError) {
      // `withUnsafeBytes` carries no typed error.
      let result = bytes.withUnsafeBytes { bytes -> Result<Void, DiskCacheError> in
        do throws(DiskCacheError) {
          return .success(
            try base.write([UnsafeRawBufferPointer(rebasing: bytes[range])], at: offset + range.lowerBound))
        } catch {
          return .failure(error)
        }
      }
      try result.get()
      note(offset + range.upperBound)
    }

    private func note(_ end: Int) {
      system.state.withLock { state in
        let former = state.files[number]?.byteCount ?? 0
        state.files[number]?.byteCount = max(former, end)
        state.note()
      }
    }

    func truncate(to byteCount: Int) throws(DiskCacheError) {
      try base.truncate(to: byteCount)
      system.state.withLock { state in
        state.files[number]?.byteCount = byteCount
        state.files[number]?.isUnsynced = true
      }
    }

    func synchronize() throws(DiskCacheError) {
      try base.synchronize()
      system.state.withLock { state in
        state.files[number]?.isUnsynced = false
        state.synchronizations += 1
      }
    }

    func byteCount() throws(DiskCacheError) -> Int { try base.byteCount() }
    var isLinked: Bool { base.isLinked }
  }
}
