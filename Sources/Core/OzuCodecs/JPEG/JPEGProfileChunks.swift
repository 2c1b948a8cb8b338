import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The pieces of an ICC profile in a JPEG: one APP2 segment holds at most 64 KB, so larger profiles are cut into
/// numbered chunks (ICC.1:2022 Annex B.4).
struct JPEGProfileChunks {
  private struct Chunk {
    var number: Int
    var range: Range<Int>
  }

  /// The limit for a profile; usual profiles are smaller.
  private static let longestProfile = 4 << 20

  private var chunks: [Chunk] = []
  private var declaredCount = 0

  /// Records an APP2 segment if it is a chunk. `offset` is the place of the segment's data in the file.
  mutating func add(_ segment: Span<UInt8>, at offset: Int) {
    guard segment.hasBytes("ICC_PROFILE\0", at: 0),
      let number = segment.byte(at: 12), let count = segment.byte(at: 13), chunks.count < 255
    else { return }
    declaredCount = max(declaredCount, Int(count))
    chunks.append(Chunk(number: Int(number), range: offset + 14..<offset + segment.count))
  }

  /// The profile; `nil` if there is none, or if a chunk is missing or occurs twice.
  func profile(in bytes: Span<UInt8>) -> ICCProfile? {
    let ordered = chunks.sorted { $0.number < $1.number }
    guard !ordered.isEmpty, ordered.map(\.number) == Array(1...ordered.count),
      declaredCount == ordered.count
    else { return nil }
    var profile: [UInt8] = []
    for chunk in ordered where profile.count < Self.longestProfile {
      profile += bytes.copy(from: chunk.range.lowerBound, byteCount: chunk.range.count)
    }
    return ICCProfile(Data(profile))
  }
}
