@_spi(Benchmarks) extension DiskCache {
  /// The checksum that the cache uses, for the benchmarks: the least that a verified read or write costs.
  public static func checksum(of bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    Checksum64.of(bytes, seed: seed)
  }
}
