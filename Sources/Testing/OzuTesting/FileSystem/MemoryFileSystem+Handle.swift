import OzuBase
import OzuCaching

extension MemoryFileSystem {
  final class Handle: OpenFile {
    private let node: Node
    private let path: String
    private let isWritable: Bool
    private let generation: Int
    private let system: MemoryFileSystem

    init(node: Node, path: String, isWritable: Bool, system: MemoryFileSystem) {
      self.node = node
      self.path = path
      self.isWritable = isWritable
      self.system = system
      generation = system.state.withLock { $0.generation }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(DiskCacheError) -> Int {
      try system.begin(.read, path, generation: generation)
      return node.content.withLock { content in
        let count = max(0, min(buffer.count, content.bytes.count - offset))
        if count > 0 { content.bytes.copyBytes(to: buffer, from: offset..<offset + count) }
        return count
      }
    }

    func write(_ parts: [UnsafeRawBufferPointer], at offset: Int) throws(DiskCacheError) {
      guard isWritable else { throw DiskCacheError(.write, path: path, code: EBADF) }
      let byteCount = parts.reduce(0) { $0 + $1.count }
      let allowed = try system.begin(.write, path, byteCount: byteCount, generation: generation)
      node.content.withLock { content in
        var position = offset
        let end = offset + allowed.byteCount
        if content.bytes.count < end { content.bytes.count = end }
        for part in parts where position < end && part.count > 0 {
          let count = min(part.count, end - position)
          content.bytes.replaceSubrange(position..<position + count, with: part.baseAddress!, count: count)
          position += count
        }
        system.record(.write(Data(content.bytes[offset..<end]), at: offset, file: node.number))
      }
      if let failure = allowed.failure { throw failure }
    }

    func truncate(to byteCount: Int) throws(DiskCacheError) {
      guard isWritable else { throw DiskCacheError(.truncate, path: path, code: EBADF) }
      try system.begin(.truncate, path, generation: generation)
      node.content.withLock { content in
        guard byteCount < content.bytes.count else { return }
        content.bytes.count = byteCount
        system.record(.truncate(to: byteCount, file: node.number))
      }
    }

    func synchronize() throws(DiskCacheError) {
      try system.begin(.synchronize, path, generation: generation)
      node.content.withLock { content in
        content.synchronized = content.bytes
        system.record(.synchronize(file: node.number))
      }
    }

    func byteCount() throws(DiskCacheError) -> Int {
      try system.begin(.size, path, generation: generation)
      return node.content.withLock { $0.bytes.count }
    }

    var isLinked: Bool { system.isLinked(node) }
  }

  /// A lock that is held until it is released or the system restarts.
  final class Lock: FileLock {
    private let node: Node
    private let generation: Int
    private let system: MemoryFileSystem

    init(node: Node, generation: Int, system: MemoryFileSystem) {
      self.node = node
      self.generation = generation
      self.system = system
    }

    deinit {
      system.state.withLock { state in
        if state.locks[ObjectIdentifier(node)] == generation { state.locks[ObjectIdentifier(node)] = nil }
      }
    }

    var isLinked: Bool { system.isLinked(node) }
  }
}
