import Foundation
import OzuCodecs
import OzuImaging
import OzuLibraryCodecs
import OzuStandardCodecs
import Testing

@Suite("Delta files")
struct DeltaCodecTests {
  static let sizes = [
    PixelSize(1, 1), PixelSize(1, 40), PixelSize(40, 1), PixelSize(17, 13), PixelSize(320, 240),
  ]

  private func decoded(_ file: Data) throws -> Bitmap {
    try CodecRegistry.standard.picture(from: file).bitmap
  }

  @Test("keep every pixel", arguments: sizes, [true, false])
  func roundTrip(size: PixelSize, isOpaque: Bool) throws {
    let bitmap = waves(size, isOpaque: isOpaque)
    let file = try DeltaEncoder().encode(bitmap, options: .init())
    let result = try decoded(file)
    #expect(result == bitmap)
    #expect(result.isOpaque == isOpaque)
    let header = try CodecRegistry.standard.header(of: file)
    #expect(header.type == .ozuDelta && header.storedSize == size && header.hasAlpha == !isOpaque)
  }

  @Test("a truncated file is an error, at any length")
  func torn() throws {
    let file = try DeltaEncoder().encode(waves(PixelSize(30, 20), isOpaque: false), options: .init())
    for count in 0..<file.count {
      #expect(throws: ImageDecodingError.self) { try decoded(file.prefix(count)) }
    }
    #expect(throws: ImageDecodingError.self) { try decoded(file + [0]) }
  }

  @Test("a file with a wrong bit is an error, or has the same pixels")
  func flipped() throws {
    let bitmap = waves(PixelSize(30, 20), isOpaque: false)
    let file = try DeltaEncoder().encode(bitmap, options: .init())
    for offset in file.indices {
      for bit in 0..<8 {
        var broken = file
        broken[offset] ^= 1 << UInt8(bit)
        // Bits that zstd does not look at, if there are any.
        if let result = try? decoded(broken) { #expect(result == bitmap) }
      }
    }
  }

  @Test("a valid frame with another number of pixels than the header declares is an error")
  func foreignFrame() throws {
    let pictures = [
      waves(PixelSize(30, 20)), waves(PixelSize(30, 19)), waves(PixelSize(30, 20), isOpaque: false),
    ]
    let files = try pictures.map { try DeltaEncoder().encode($0, options: .init()) }
    // A header has 18 bytes, the last four of them its checksum.
    for (place, header) in files.enumerated() {
      for (other, frame) in files.enumerated() where other != place {
        #expect(
          throws: ImageDecodingError.corrupt(.ozuDelta, stage: "pixels", reason: "its data are damaged")
        ) {
          try decoded(header.prefix(18) + frame.dropFirst(18))
        }
      }
    }
  }

  @Test("a size that the limits forbid takes no memory")
  func limits() throws {
    let file = try DeltaEncoder().encode(waves(PixelSize(300, 200)), options: .init())
    let pool = PixelBufferPool(retainedByteLimit: 0)
    let limits = DecodingLimits(decodedByteCount: 300 * 200 * 4)
    #expect(throws: ImageDecodingError.self) {
      try CodecRegistry.standard.picture(from: file, context: DecodingContext(limits: limits, pool: pool))
    }
    #expect(pool.statistics.peakLentByteCount == 0)
  }
}
