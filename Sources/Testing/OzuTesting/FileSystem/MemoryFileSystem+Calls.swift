import OzuBase
import OzuCaching

extension MemoryFileSystem {
  /// Makes a directory and those above it.
  public func makeDirectory(_ path: String) throws(DiskCacheError) {
    try begin(.makeDirectory, path)
    state.withLock { state in
      var path = path
      while !path.isEmpty {
        if state.directories.insert(path).inserted { record(.makeDirectory(path)) }
        path = Self.parent(of: path)
      }
    }
  }

  /// The names of the files in a directory.
  public func list(_ directory: String) throws(DiskCacheError) -> [String] {
    try begin(.list, directory)
    let names = state.withLock { state in
      state.directories.contains(directory)
        ? state.files.keys.filter { Self.parent(of: $0) == directory }
          .map { String($0.dropFirst(directory.count + 1)) } : nil
    }
    guard let names else { throw DiskCacheError(.list, path: directory, code: ENOENT) }
    return names
  }

  /// Opens a file.
  public func open(_ path: String, for access: FileAccess) throws(DiskCacheError) -> any OpenFile {
    try begin(.open, path)
    let (node, code) = state.withLock { state -> (Node?, Int32) in
      guard state.directories.contains(Self.parent(of: path)) else { return (nil, ENOENT) }
      if access != .creating { return (state.files[path], ENOENT) }
      guard state.files[path] == nil else { return (nil, EEXIST) }
      return (makeFile(path, &state), 0)
    }
    guard let node else { throw DiskCacheError(.open, path: path, code: code) }
    return Handle(node: node, path: path, isWritable: access != .reading, system: self)
  }

  /// Removes a file.
  public func remove(_ path: String) throws(DiskCacheError) {
    try begin(.remove, path)
    let node = state.withLock { state in
      let node = state.files.removeValue(forKey: path)
      if node != nil { record(.remove(path)) }
      return node
    }
    guard let node else {
      throw DiskCacheError(.remove, path: path, code: ENOENT)
    }
    node.content.withLock { $0.linkCount = 0 }
  }

  /// Renames a file.
  public func rename(_ path: String, to newPath: String) throws(DiskCacheError) {
    try begin(.rename, path)
    let isThere = state.withLock { state in
      guard let node = state.files.removeValue(forKey: path) else { return false }
      record(.rename(path, to: newPath, file: node.number))
      state.files.updateValue(node, forKey: newPath)?.content.withLock { $0.linkCount = 0 }
      return true
    }
    if !isThere { throw DiskCacheError(.rename, path: path, code: ENOENT) }
  }

  /// Makes the names in a directory survive a loss of power.
  public func synchronizeDirectory(_ path: String) throws(DiskCacheError) {
    try begin(.synchronize, path)
    state.withLock { state in
      record(.synchronizeDirectory(path))
      let isInside: (String) -> Bool = { Self.parent(of: $0) == path }
      state.synchronizedFiles = state.synchronizedFiles.filter { !isInside($0.key) }
      for (name, node) in state.files where isInside(name) { state.synchronizedFiles[name] = node }
    }
  }

  /// Takes the lock of a file.
  public func lock(_ path: String) throws(DiskCacheError) -> (any FileLock)? {
    try begin(.lock, path)
    return state.withLock { state in
      let node = state.files[path] ?? makeFile(path, &state)
      guard state.locks[ObjectIdentifier(node)] == nil else { return nil }
      state.locks[ObjectIdentifier(node)] = state.generation
      return Lock(node: node, generation: state.generation, system: self)
    }
  }

  private func makeFile(_ path: String, _ state: inout State) -> Node {
    let node = state.makeNode()
    state.files[path] = node
    record(.create(path, file: node.number))
    return node
  }
}
