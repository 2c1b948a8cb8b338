import Foundation
import OzuTesting

@testable import OzuCaching

/// Opens a disk cache whose one file of entries is the input, reads everything in it, writes to it, and opens it again. The
/// checksums are made to fit first, as somebody who can write to the folder can do.
@Sendable
func fuzzDisk(_ input: Data) {
  guard input.count >= SegmentHeader.byteCount else { return }
  var bytes = [UInt8](input)
  mendHeader(&bytes)
  guard let header = bytes.withUnsafeBytes({ SegmentHeader($0) }) else { return }
  mendEntries(&bytes, header)
  let files = MemoryFileSystem(
    directories: ["/cache"], contents: ["/cache/\(header.fileName)": Data(bytes)])
  for round in 0..<2 {
    guard let cache = try? DiskCache(directory: "/cache", configuration: configuration(files)) else { return }
    read(cache)
    let key = CacheKey("new \(round)")
    if cache.store(Data([1, 2, 3]), metadata: Data([4]), forKey: key) {
      precondition(cache.entry(forKey: key)?.body == Data([1, 2, 3]), "an entry that was lost")
    }
    try? cache.trim(toByteCount: 256)
    try? cache.flush()
    cache.close()
  }
}

private func configuration(_ files: MemoryFileSystem) -> DiskCacheConfiguration {
  DiskCacheConfiguration(capacity: 64 << 10, fileSystem: files) {
    $0.refreshInterval = 0
    $0.concurrency = 1
    $0.now = { Date(timeIntervalSince1970: 1_767_355_200) }
  }
}

private func read(_ cache: DiskCache) {
  for entry in cache.entries() {
    _ = cache.metadata(forKey: entry.key, in: entry.partition)
    _ = cache.updateMetadata(Data([7]), forKey: entry.key, in: entry.partition)
    _ = cache.entry(forKey: entry.key, in: entry.partition)
    _ = cache.touch(entry.key, in: entry.partition)
  }
  _ = cache.verify()
}

private func mendHeader(_ bytes: inout [UInt8]) {
  bytes.withUnsafeMutableBytes { bytes in
    bytes.set(Checksum64.of(UnsafeRawBufferPointer(rebasing: bytes[..<40]), seed: 0), at: 40)
  }
}

private func mendEntries(_ bytes: inout [UInt8], _ segment: SegmentHeader) {
  bytes.withUnsafeMutableBytes { bytes in
    var offset = SegmentHeader.byteCount
    while offset + EntryHeader.byteCount <= bytes.count {
      let entry = UnsafeMutableRawBufferPointer(rebasing: bytes[offset...])
      let nameLength = Int(UnsafeRawBufferPointer(entry).integer(at: 4, as: UInt16.self))
      guard EntryHeader.byteCount + nameLength <= entry.count else { return }
      mendChecksum(entry, nameLength, seed: segment.seed(at: offset))
      guard let header = EntryHeader(UnsafeRawBufferPointer(entry), seed: segment.seed(at: offset)),
        header.recordLength <= entry.count
      else { return }
      for (range, place) in [
        (header.labelOffset..<header.areasOffset, 56),
        (header.bodyOffset..<header.bodyOffset + header.bodyLength, 64),
      ] {
        entry.set(Checksum64.of(UnsafeRawBufferPointer(rebasing: entry[range]), seed: 0), at: place)
      }
      mendChecksum(entry, nameLength, seed: segment.seed(at: offset))
      offset += header.recordLength
    }
  }
}

/// As `EntryHeader` computes it.
private func mendChecksum(_ entry: UnsafeMutableRawBufferPointer, _ nameLength: Int, seed: UInt64) {
  let fields = Checksum64.of(UnsafeRawBufferPointer(rebasing: entry[..<72]), seed: seed)
  let name = entry[EntryHeader.byteCount..<EntryHeader.byteCount + nameLength]
  entry.set(Checksum64.of(UnsafeRawBufferPointer(rebasing: name), seed: fields), at: 72)
}

@Sendable
func diskSamples() -> [Data] {
  [1, 5].compactMap { count -> Data? in
    let files = MemoryFileSystem(directories: ["/cache"])
    guard let cache = try? DiskCache(directory: "/cache", configuration: configuration(files)) else {
      return nil
    }
    for number in 0..<count {
      cache.store(
        Data(repeating: 7, count: 40 * number), metadata: Data(repeating: 1, count: 9 * number),
        forKey: CacheKey("\(number)"), in: number % 2 == 0 ? .default : DiskCache.Partition("other"),
        label: "http://a/\(number)")
    }
    try? cache.flush()
    cache.close()
    return files.paths.first { $0.hasSuffix(SegmentHeader.suffix) }.flatMap { files.contents(of: $0) }
  }
}
