#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Bytes of a file in memory, read or mapped. They go with the last reference.
public final class FileBytes: @unchecked Sendable {
  // Unchecked: shared mappings are only read; a private one is written to by its one owner, under its lock.
  /// The bytes.
  public let bytes: UnsafeMutableRawBufferPointer
  private let release: @Sendable (UnsafeMutableRawBufferPointer) -> Void

  /// Bytes that `release` gives back.
  public init(
    _ bytes: UnsafeMutableRawBufferPointer,
    release: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Void
  ) {
    self.bytes = bytes
    self.release = release
  }

  deinit { release(bytes) }

  /// The first bytes of a file, copied into memory.
  static func read(_ count: Int, of file: any OpenFile) throws(DiskCacheError) -> FileBytes {
    let bytes = FileBytes(.allocate(byteCount: count, alignment: 16)) { $0.deallocate() }
    let filled = try file.read(into: bytes.bytes, at: 0)
    // What the file does not have is zero, as in a mapping.
    bytes.bytes[filled...].initializeMemory(as: UInt8.self, repeating: 0)
    return bytes
  }
}

/// How a file is mapped into memory.
public enum FileMapping: Hashable, Sendable {
  /// To read, showing what is written to the file later.
  case shared
  /// A copy that may be written to, page by page as needed; the file does not change.
  case privateCopy
}

extension OpenFile {
  /// Nil: this file cannot be mapped and must be read.
  public func map(byteCount: Int, as mapping: FileMapping) -> FileBytes? { nil }
}
