import Foundation
import OzuCodecs
import OzuImaging
import OzuLibraryCodecs
import OzuStandardCodecs
import Testing

#if canImport(Glibc)
  import Glibc
#endif

@Suite("Encoders that are short of memory")
struct EncoderMemoryTests {
  /// Independent pixels, which no encoder can compress.
  private static let noise = Bitmap(size: PixelSize(320, 256)) { x, y in
    var value = UInt32(truncatingIfNeeded: x &* 73_856_093 ^ y &* 19_349_663) &* 2_654_435_761
    value ^= value >> 15
    return Pixel(
      red: UInt8(truncatingIfNeeded: value), green: UInt8(truncatingIfNeeded: value >> 8),
      blue: UInt8(truncatingIfNeeded: value >> 16))
  }

  private static let types: [ImageType] = [.jpeg, .png, .webp, .avif, .jxl].filter(
    CodecRegistry.standard.encodableTypes.contains)

  @Test(
    "fail with a message at every growth of their buffer, and free it once",
    arguments: types.map { ($0, EncodingOptions.Effort.medium) } + [(.jpeg, .high)])
  func growth(type: ImageType, effort: EncodingOptions.Effort) throws {
    let options = EncodingOptions(
      compressionQuality: 0.95, isLossless: [.jxl, .webp, .avif].contains(type), effort: effort)
    let file = try CodecRegistry.standard.encode(Self.noise, as: type, options: options)
    #expect(file.count > 1 << 17, "the buffer grows more than once")
    for limit in [0, 1 << 16, 1 << 17].filter({ $0 < file.count }) {
      let error = #expect(throws: ImageEncodingError.self) {
        try EncoderMemory.withLimit(limit) { () throws(ImageEncodingError) in
          try CodecRegistry.standard.encode(Self.noise, as: type, options: options)
        }
      }
      guard case .failed(type, let reason) = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(reason.lowercased().contains("memory"))
    }
    let enough = try EncoderMemory.withLimit(1 << 24) { () throws(ImageEncodingError) in
      try CodecRegistry.standard.encode(Self.noise, as: type, options: options)
    }
    #expect(enough == file)
  }

  #if canImport(Glibc)
    /// Caches count the bytes of a file. A thumbnail of 15 KB held a buffer of 64 KB.
    @Test("give a file that holds no more memory than its bytes", arguments: types)
    func remains(type: ImageType) throws {
      let bitmap = Bitmap(size: PixelSize(40, 32)) { x, y in Pixel(red: UInt8(x), green: UInt8(y), blue: 0) }
      let file = try CodecRegistry.standard.encode(bitmap, as: type)
      // Not in Swift's module of the C library.
      let symbol = try #require(dlsym(nil, "malloc_usable_size"))
      let usableSize = unsafeBitCast(symbol, to: (@convention(c) (UnsafeRawPointer?) -> Int).self)
      #expect(file.withUnsafeBytes { usableSize($0.baseAddress) } < file.count + 64)
    }
  #endif

  @Test(
    "fail with a message in the middle of an animation, and accept no more frames",
    arguments: [ImageType.png, .webp].filter(CodecRegistry.standard.encodableAnimationTypes.contains))
  func animation(type: ImageType) throws {
    let writer = try CodecRegistry.standard.animationEncoder(for: type).makeWriter(
      canvas: Self.noise.size, loopCount: 0, options: EncodingOptions(isLossless: true))
    let black = Bitmap(size: Self.noise.size) { _, _ in .black }
    let error = #expect(throws: ImageEncodingError.self) {
      try EncoderMemory.withLimit(1 << 16) { () throws(ImageEncodingError) in
        for frame in [Self.noise, black, Self.noise] { try writer.append(frame, duration: .seconds(1)) }
        _ = try writer.finish()
      }
    }
    #expect(error == .failed(type, reason: "out of memory"))
    #expect(throws: ImageEncodingError.self) { try writer.append(black, duration: .seconds(1)) }
    #expect(throws: ImageEncodingError.self) { try writer.finish() }
  }
}
