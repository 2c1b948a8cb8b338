#if canImport(Glibc)
  import OzuBase
#elseif canImport(Darwin)
  import Darwin
#endif

/// Bytes of a file in memory, read or mapped. They are released with the last reference.
public final class FileBytes: @unchecked Sendable {
  // Unchecked: mapped bytes are only read; bytes in memory are written only by their one owner, under its lock.
  /// The bytes.
  public let bytes: UnsafeMutableRawBufferPointer
  private let release: @Sendable (UnsafeMutableRawBufferPointer) -> Void

  /// Wraps bytes. `release` is called with them at the end.
  public init(
    _ bytes: UnsafeMutableRawBufferPointer,
    release: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Void
  ) {
    self.bytes = bytes
    self.release = release
  }

  deinit { release(bytes) }

  /// Allocates uninitialized memory for bytes of a file.
  ///
  /// The length may come from a forged file, so a failed allocation is an error and not a trap.
  static func allocate(_ count: Int, for path: String) throws(DiskCacheError) -> FileBytes {
    guard let base = malloc(max(count, 1)) else { throw DiskCacheError(.read, path: path, code: ENOMEM) }
    return FileBytes(UnsafeMutableRawBufferPointer(start: base, count: count)) { free($0.baseAddress) }
  }

  /// Allocates memory and maps all its pages at once: faulting them in one by one takes longer than reading the
  /// file.
  private static func allocatePages(_ count: Int, for path: String) throws(DiskCacheError) -> FileBytes {
    #if os(Linux) && !OZU_CHECK_APPLE
      let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE
    #else
      let flags = MAP_PRIVATE | MAP_ANON
    #endif
    guard let base = mmap(nil, count, PROT_READ | PROT_WRITE, flags, -1, 0), base != MAP_FAILED else {
      throw DiskCacheError(.read, path: path, code: ENOMEM)
    }
    return FileBytes(UnsafeMutableRawBufferPointer(start: base, count: count)) {
      munmap($0.baseAddress!, $0.count)
    }
  }

  /// Copies the first bytes of a file into memory; nil if the file is shorter.
  static func read(
    _ count: Int, of file: any OpenFile, at path: String
  ) throws(DiskCacheError) -> FileBytes? {
    let bytes = try count < 64 << 10 ? allocate(count, for: path) : allocatePages(count, for: path)
    return try file.read(into: bytes.bytes, at: 0) == count ? bytes : nil
  }
}

extension OpenFile {
  /// Returns nil: this file cannot be mapped and must be read.
  public func map(byteCount: Int) -> FileBytes? { nil }
}
