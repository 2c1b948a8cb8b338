import OzuBase

/// Bytes of a file in memory. They are freed with the last reference.
final class FileBytes: @unchecked Sendable {
  // Unchecked: the bytes are written only by their one owner.
  let bytes: UnsafeMutableRawBufferPointer

  private init(_ bytes: UnsafeMutableRawBufferPointer) { self.bytes = bytes }

  deinit { free(bytes.baseAddress) }

  /// Allocates uninitialized memory for bytes of a file.
  ///
  /// The length may come from a forged file, so a failed allocation is an error and not a trap.
  static func allocate(_ count: Int, for path: String) throws(DiskCacheError) -> FileBytes {
    guard let base = malloc(max(count, 1)) else { throw DiskCacheError(.read, path: path, code: ENOMEM) }
    return FileBytes(UnsafeMutableRawBufferPointer(start: base, count: count))
  }
}
