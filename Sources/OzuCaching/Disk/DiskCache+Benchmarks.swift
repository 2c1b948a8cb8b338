@_spi(Benchmarks) extension DiskCache {
  /// The checksum of what is stored, for the package of the benchmarks: what a checksummed read or write costs at least.
  public static func checksum(of bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    Checksum64.of(bytes, seed: seed)
  }
}
