import OzuImaging
import OzuLibraryCodecs
import OzuTesting
import Testing

@testable import OzuCodecs

@Suite("Inflate stream")
struct InflateStreamTests {
  /// A PNG without more than its image data. No checksum of a chunk is looked at.
  private func file(_ stream: [UInt8], chunkByteCount: Int) -> [UInt8] {
    func chunk(_ name: String, _ content: ArraySlice<UInt8>) -> [UInt8] {
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: content.count >> $0) } + name.utf8 + content + [
        0, 0, 0, 0,
      ]
    }
    var file = [UInt8](repeating: 0, count: 8) + chunk("IHDR", [])
    for start in stride(from: 0, to: stream.count, by: chunkByteCount) {
      file += chunk("IDAT", stream[start..<min(start + chunkByteCount, stream.count)])
    }
    return file + chunk("IEND", [])
  }

  /// Reads a stream in pieces: the bytes, and whether it ends well after them; `nil` if it is broken before.
  private func read(
    _ stream: [UInt8], count: Int, pieces: Int = 1000, chunkByteCount: Int = .max >> 1
  ) -> (bytes: [UInt8], endsWell: Bool)? {
    let file = file(stream, chunkByteCount: chunkByteCount)
    return file.withUnsafeBytes { file in
      var chunks = PNGChunkReader(file) { _ in 0 }
      guard let first = chunks.next()?.content,
        let inflating = InflateStream(
          first, chunks, pieceByteCount: pieces, pool: PixelBufferPool(retainedByteLimit: 0),
          library: Inflater.self)
      else { return nil }
      var bytes: [UInt8] = []
      while bytes.count < count {
        let number = min(pieces, count - bytes.count)
        guard let piece = inflating.read(number) else { return nil }
        bytes += UnsafeBufferPointer(start: piece, count: number)
      }
      return (bytes, inflating.endsWell())
    }
  }

  private func writer(_ seed: Int, error: UInt32 = 0) -> DeflateWriter {
    var writer = DeflateWriter(seed: UInt64(seed))
    writer.block(tokens: 3000, isFixed: false, isLast: false)
    writer.storedBlock(seed * 1000, isLast: false)
    writer.block(tokens: 500, isFixed: true, isLast: false)
    writer.storedBlock(0, isLast: false)
    writer.block(tokens: 500, isFixed: true, isLast: false)
    writer.block(tokens: 3000, isFixed: false, isLast: seed % 2 == 0)
    if seed % 2 == 1 { writer.storedBlock(seed, isLast: true) }
    writer.finish(error: error)
    return writer
  }

  @Test(
    "makes what a naive writer meant, whatever the chunks and pieces", arguments: 1...6,
    [(1, 777), (7, 100_000), (50, 1), (1 << 30, 4096), (4000, 33_000)])
  func tokens(seed: Int, sizes: (chunk: Int, piece: Int)) throws {
    let writer = writer(seed)
    let result = try #require(
      read(writer.stream, count: writer.output.count, pieces: sizes.piece, chunkByteCount: sizes.chunk))
    #expect(result.bytes == writer.output)
    #expect(result.endsWell)
  }

  @Test("does not end well with another checksum, before the end, or after it", arguments: [30, 1 << 30])
  func ends(chunk: Int) throws {
    let wrong = writer(2, error: 1)
    let sound = writer(2)
    let count = sound.output.count
    #expect(try #require(read(wrong.stream, count: count, chunkByteCount: chunk)).endsWell == false)
    #expect(try #require(read(sound.stream, count: count - 1, chunkByteCount: chunk)).endsWell == false)
    #expect(read(sound.stream, count: count + 1, chunkByteCount: chunk) == nil)
    for missing in 1...4 {
      let short = Array(sound.stream.dropLast(missing))
      #expect(try #require(read(short, count: count, chunkByteCount: chunk)).endsWell == false)
    }
    #expect(read(Array(sound.stream.dropLast(60)), count: count, chunkByteCount: chunk) == nil)
  }

  @Test("refuses headers of other methods, of dictionaries, and with a wrong check")
  func headers() {
    var writer = DeflateWriter(seed: 1)
    writer.block(tokens: 9, isFixed: true, isLast: true)
    writer.finish()
    for header: [UInt8] in [[0x77, 0x07], [0x78, 0x20], [0x88, 0x1C], [0x78, 0x02]] {
      #expect(read(header + writer.stream.dropFirst(2), count: writer.output.count) == nil)
    }
    #expect(read(writer.stream, count: writer.output.count) != nil)
    #expect(read([0x78], count: 1) == nil)
    #expect(read([], count: 1) == nil)
  }

  /// A stream that begins with a block's header and then has zeros.
  private func begun(_ write: (inout DeflateWriter) -> Void) -> [UInt8] {
    var writer = DeflateWriter(seed: 1)
    write(&writer)
    for _ in 0..<200 { writer.put(0, 8) }
    return writer.stream
  }

  @Test("refuses a distance to before the stream, and a kind of block that does not exist")
  func brokenBlocks() {
    // The fixed codes: a length of 3 is seven bits, 0000001, and a distance of 1 five zeros.
    let far = begun {
      $0.put(2, 3)
      $0.put(0x40, 7)
      $0.put(0, 5)
    }
    #expect(read(far, count: 1) == nil)
    #expect(read(begun { $0.put(6, 3) }, count: 1) == nil)
    let stored = begun {
      $0.put(0, 3)
      $0.align()
      $0.put(5, 16)
      $0.put(5, 16)
    }
    #expect(read(stored, count: 1) == nil)
  }

  @Test("refuses codes that are not complete, or more than complete, or without an end of block")
  func brokenCodes() {
    func isRead(_ literals: [Int], _ distances: [Int]) -> Bool {
      let stream = begun {
        $0.put(4, 3)
        $0.putHeader(literals + distances, literalCount: literals.count)
      }
      return read(stream, count: 8) != nil
    }
    func lengths(_ pairs: [Int: Int], _ count: Int = 257) -> [Int] { (0..<count).map { pairs[$0] ?? 0 } }
    let sound = lengths([0: 1, 256: 1])
    // Zeros are literal 0.
    #expect(isRead(sound, [0]) && isRead(sound, [1]) && isRead(sound, [1, 1]))
    #expect(!isRead(lengths([0: 1, 1: 1]), [1, 1]))
    #expect(!isRead(lengths([0: 1, 256: 2]), [1, 1]))
    #expect(!isRead(lengths([0: 1, 1: 1, 256: 1]), [1, 1]))
    #expect(!isRead(sound, [2]) && !isRead(sound, [1, 2]) && !isRead(sound, [1, 1, 1]))
    #expect(!isRead(lengths([0: 1, 256: 1], 287), [1, 1]))
    #expect(!isRead(sound, [1, 1] + [Int](repeating: 0, count: 29)))
  }
}
