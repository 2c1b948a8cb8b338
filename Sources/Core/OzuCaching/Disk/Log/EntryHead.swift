#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The part of a new record before its body, in one buffer: room for the header, the partition's name, the label
/// and the areas of the metadata.
struct EntryHead: Sendable {
  private let key: CacheKey
  private let nameLength: Int
  private let labelLength: Int
  private let areas: MetadataAreas
  private let labelChecksum: UInt64
  private var bytes: [UInt8]

  /// The number of bytes before the body.
  var byteCount: Int { bytes.count }

  init(key: CacheKey, partition: Partition, label: String, metadata: Data) {
    self.key = key
    nameLength = partition.name.utf8.count
    labelLength = label.utf8.count
    areas = MetadataAreas(metadataByteCount: metadata.count)
    let labelOffset = EntryHeader.byteCount + nameLength
    let byteCount = labelOffset + labelLength + areas.byteCount
    bytes = []
    bytes.reserveCapacity(byteCount)
    bytes.append(contentsOf: repeatElement(0, count: EntryHeader.byteCount))
    bytes.append(contentsOf: partition.name.utf8)
    bytes.append(contentsOf: label.utf8)
    labelChecksum = bytes.withUnsafeBytes {
      Checksum64.of(UnsafeRawBufferPointer(rebasing: $0[labelOffset...]), seed: 0)
    }
    if areas.count > 0 {
      bytes.append(contentsOf: MetadataAreas.encode(metadata, generation: 1, key: key))
      bytes.append(contentsOf: repeatElement(0, count: byteCount - bytes.count))
    }
  }

  /// The header of the record with this head and a body.
  func header(sequence: UInt64, date: Int64, bodyLength: Int, bodyChecksum: UInt64) -> EntryHeader {
    EntryHeader(
      sequence: sequence, key: key, date: date, nameLength: nameLength, labelLength: labelLength,
      areas: areas,
      bodyLength: bodyLength, labelChecksum: labelChecksum, bodyChecksum: bodyChecksum)
  }

  /// Encodes the header, and calls `write` with the parts of the whole record.
  mutating func withParts(
    _ header: EntryHeader, _ body: Data, seed: UInt64, _ write: ([UnsafeRawBufferPointer]) -> Void
  ) {
    let padding = header.recordLength - bytes.count - body.count
    bytes.withUnsafeMutableBytes { head in
      header.encode(into: head, seed: seed)
      body.withUnsafeBytes { body in
        withUnsafeBytes(of: UInt64(0)) { zeros in
          write([UnsafeRawBufferPointer(head), body, UnsafeRawBufferPointer(rebasing: zeros[..<padding])])
        }
      }
    }
  }
}
