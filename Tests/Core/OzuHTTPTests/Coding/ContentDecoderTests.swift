#if os(Linux)
  import Foundation
  import OzuTesting
  import Testing

  @testable import OzuHTTP

  @Suite("Decoding content codings")
  struct ContentDecoderTests {
    /// Decodes input that comes in pieces. Returns what came out, and the coding that has no end.
    private func decode(
      _ input: Data, _ codings: [ContentCoding], pieceByteCount: Int = .max, byteLimit: Int = .max
    ) throws -> (output: Data, unended: ContentCoding?) {
      let decoder = try ContentDecoder(codings, byteLimit: byteLimit)
      var output = Data()
      var rest = input
      while !rest.isEmpty {
        let piece = Data(rest.prefix(pieceByteCount))
        var offset = 0
        while try decoder.step(piece.bytes, from: &offset) {
          decoder.withOutput { bytes in bytes.withUnsafeBytes { output.append(contentsOf: $0) } }
        }
        #expect(offset == piece.count)
        rest = rest.dropFirst(piece.count)
      }
      return (output, decoder.unended)
    }

    static let stacks: [[ContentCoding]] =
      ContentCoding.allCases.map { [$0] } + [
        [.gzip, .brotli], [.zstd, .deflate, .gzip], [.brotli, .brotli],
      ]

    @Test(
      "the decoded bytes do not depend on where the pieces end", arguments: stacks,
      Cases.every(2, of: [1, 2, 7, 3, 65_536, 1000, 1_000_000]))
    func pieces(_ codings: [ContentCoding], _ pieceByteCount: Int) throws {
      let byteCount = pieceByteCount < 100 ? 2000 : 300_000
      let bytes = patternedBytes(byteCount)
      let answer = try decode(CodedBytes.encoded(bytes, codings), codings, pieceByteCount: pieceByteCount)
      #expect(answer.output == bytes)
      #expect(answer.unended == nil)
    }

    @Test("random lengths, pieces and stacks", arguments: Cases.every(3, of: Array(0..<40 as Range<UInt64>)))
    func random(seed: UInt64) throws {
      var generator = SeededGenerator(seed: seed)
      let codings = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
        ContentCoding.allCases.randomElement(using: &generator) ?? .gzip
      }
      let bytes = Data(
        (0..<Int.random(in: 0...200_000, using: &generator)).map { _ in
          UInt8.random(in: 0...255, using: &generator)
        })
      let pieceByteCount = Int.random(in: 1...40_000, using: &generator)
      let answer = try decode(CodedBytes.encoded(bytes, codings), codings, pieceByteCount: pieceByteCount)
      #expect(answer.output == bytes, "seed \(seed): \(codings), pieces of \(pieceByteCount)")
      #expect(answer.unended == nil)
    }

    @Test("a coding that is truncated anywhere is incomplete", arguments: ContentCoding.allCases)
    func cut(_ coding: ContentCoding) throws {
      let whole = CodedBytes.encoded(Data("still image".utf8), coding)
      for count in 1..<whole.count {
        #expect(try decode(whole.prefix(count), [coding]).unended == coding, "\(count) bytes")
      }
    }

    @Test("the outermost truncated coding is named")
    func cutInside() throws {
      let text = Data("still image".utf8)
      let inner = CodedBytes.encoded(text, .gzip).dropLast(3)
      #expect(try decode(CodedBytes.encoded(Data(inner), .brotli), [.gzip, .brotli]).unended == .gzip)
      let outer = CodedBytes.encoded(text, [.gzip, .zstd]).dropLast(3)
      #expect(try decode(outer, [.gzip, .zstd], pieceByteCount: 5).unended != nil)
    }

    @Test(
      "bytes after the end are ignored", arguments: ContentCoding.allCases,
      ["\0", "\r\n", "\0\0\0\0\0\0\0\0", "<!-- served by 7 -->", "\u{1F}"])
    func junk(_ coding: ContentCoding, _ junk: String) throws {
      let text = Data("still image".utf8)
      for pieceByteCount in [1, 1000] {
        let answer = try decode(
          CodedBytes.encoded(text, coding) + Data(junk.utf8), [coding], pieceByteCount: pieceByteCount)
        #expect(answer.output == text)
        #expect(answer.unended == nil)
      }
    }

    @Test(
      "gzip of several members and zstd of several frames are one body",
      arguments: [.gzip, .zstd] as [ContentCoding])
    func members(_ coding: ContentCoding) throws {
      let (a, b) = (Data("still ".utf8), Data("image".utf8))
      let both = CodedBytes.encoded(a, coding) + CodedBytes.encoded(b, coding)
      for pieceByteCount in [1, 1000] {
        let answer = try decode(both, [coding], pieceByteCount: pieceByteCount)
        #expect(answer.output == a + b)
        #expect(answer.unended == nil)
      }
      #expect(try decode(both.dropLast(2), [coding]).unended == coding)
    }

    @Test("zstd's skippable frames are skipped")
    func skippable() throws {
      let skippable = Data([0x53, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3])
      let answer = try decode(skippable + CodedBytes.encoded(Data("x".utf8), .zstd), [.zstd])
      #expect(answer.output == Data("x".utf8))
      #expect(answer.unended == nil)
    }

    @Test("deflate without zlib's frame, and zlib's frame under the name gzip")
    func otherFormats() throws {
      let bytes = patternedBytes(100_000)
      #expect(try decode(CodedBytes.storedDeflate(bytes), [.deflate]).output == bytes)
      #expect(try decode(CodedBytes.encoded(bytes, .deflate), [.gzip]).output == bytes)
    }

    @Test("bytes that are not valid in the coding are corrupt", arguments: ContentCoding.allCases)
    func corrupt(_ coding: ContentCoding) throws {
      #expect(throws: ContentDecoder.Failure.self) {
        try decode(Data("\u{7}this is a text in no coding at all".utf8), [coding])
      }
      var damaged = CodedBytes.encoded(patternedBytes(1000), coding)
      damaged[damaged.count - 6] ^= 0x55
      // Without a checksum the damage is not seen: brotli has none, these frames of zstd neither.
      if coding == .gzip || coding == .deflate {
        damaged[500] ^= 0x55
        #expect(throws: ContentDecoder.Failure.self) { try decode(damaged, [coding]) }
      }
    }

    @Test("a zstd frame whose window is larger than 8 MB is refused (RFC 9659)")
    func largeWindow() throws {
      var frame = CodedBytes.zstdBomb(blockCount: 1)
      #expect(try decode(frame, [.zstd]).output.count == 131_072)
      frame[5] = 14 << 3
      #expect(throws: ContentDecoder.Failure.self) { try decode(frame, [.zstd]) }
    }

    @Test("no step outputs more than a window, and no coding of a stack more than the limit")
    func bounds() throws {
      for (bomb, codings) in [
        (CodedBytes.brotliBomb, [.brotli]), (CodedBytes.zstdBomb(blockCount: 500), [.zstd]),
        (CodedBytes.gzipInGzip, [.gzip, .gzip]), (CodedBytes.gzipInGzip, [.deflate, .gzip, .gzip]),
      ] as [(Data, [ContentCoding])] {
        let decoder = try ContentDecoder(codings, byteLimit: 1_000_000)
        var (offset, count) = (0, 0)
        let error = #expect(throws: ContentDecoder.Failure.self) {
          while try decoder.step(bomb.bytes, from: &offset) {
            let step = decoder.withOutput { $0.byteCount }
            #expect(step <= 64 << 10)
            count += step
          }
        }
        if codings.count < 3 {
          guard case .tooLarge? = error else {
            Issue.record("\(codings): \(String(describing: error))")
            continue
          }
          #expect(count <= 1_000_000)
        }
      }
    }
  }
#endif
