import Foundation
import OzuImaging
import OzuLibraryCodecs
import Testing

@testable import OzuCodecs

@Suite("PNG row reader, on files that it leaves to libpng")
struct PNGRowReaderDefectsTests {
  typealias Writer = PNGRowReaderTests.Writer

  /// The two ways in which rows are read.
  enum Way: CaseIterable, CustomTestStringConvertible {
    case bitmap
    case planes

    var testDescription: String { self == .bitmap ? "as pixels" : "as means" }
  }

  struct Defect: CustomTestStringConvertible {
    var testDescription: String
    var file: Data
  }

  static let sound = Writer(size: PixelSize(61, 43), colorType: 2)
  static let indexed = Writer(
    size: PixelSize(9, 9), colorType: 3, palette: Array(PNGRowReaderTests.colors.prefix(48)))

  static var all: [Defect] {
    var checksum = sound
    checksum.breaksChecksum = true
    var adler = sound
    adler.breaksAdler = true
    var end = sound
    end.missingByteCount = 4
    var last = sound
    last.missingByteCount = 1
    // The rows of one file after the palette of another.
    var short = indexed
    short.palette = Array(PNGRowReaderTests.colors.prefix(6))
    func split(_ file: Data) -> (head: Data, rows: Data) {
      let place = file.range(of: Data("IDAT".utf8)).map { $0.lowerBound - 4 } ?? file.count
      return (file[..<place], file[place...])
    }
    // The rows of the taller file with the header of the other, which has one row less.
    let taller = Writer(size: PixelSize(61, 44), colorType: 2)
    return [
      Defect(testDescription: "a chunk's checksum", file: checksum.data),
      Defect(testDescription: "the stream's checksum", file: adler.data),
      Defect(testDescription: "a stream without its checksum", file: end.data),
      Defect(testDescription: "a stream without its last byte", file: last.data),
      Defect(testDescription: "missing data", file: sound.data.prefix(sound.data.count / 2)),
      Defect(
        testDescription: "more rows than the header has",
        file: split(sound.data).head + split(taller.data).rows),
      Defect(
        testDescription: "an index beyond the palette",
        file: split(short.data).head + split(indexed.data).rows),
    ]
  }

  /// Whether the reader decodes a file; if not, libpng does.
  private func takes(_ file: Data, _ way: Way) throws -> Bool {
    let header = try PNGHeader(file.span)
    return try file.withBytes { try takes($0, header, way) }
  }

  private func takes(_ bytes: UnsafeRawBufferPointer, _ header: PNGHeader, _ way: Way) throws -> Bool {
    guard let reader = PNGRowReader(bytes, header: header, pool: .shared, inflating: Inflater.self) else {
      return false
    }
    switch way {
    case .bitmap:
      return try reader.bitmap(
        size: header.size, alpha: .straight, colorSpace: .sRGB, context: DecodingContext()) != nil
    case .planes:
      return try reader.planes(
        size: header.size, step: RowAverager.Step(columns: 3, rows: 3), context: DecodingContext()) != nil
    }
  }

  @Test("does not decode a defective file, and leaves it to libpng", arguments: all, Way.allCases)
  func leaves(defect: Defect, way: Way) throws {
    #expect(try takes(Data(defect.file), way) == false)
  }

  @Test("decodes the same files without their defects", arguments: Way.allCases)
  func takes(way: Way) throws {
    #expect(try takes(Self.sound.data, way))
    #expect(try takes(Self.indexed.data, way))
  }

  @Test("does not read a checksum after the end of a file", arguments: 1...4, Way.allCases)
  func checksumBehindEnd(missing: Int, way: Way) throws {
    let file = Self.sound.data
    let header = try PNGHeader(file.span)
    // Without the chunk at the end of the file, and without some bytes of the checksum before it, which are still
    // in memory.
    let count = file.count - 12 - missing
    let isTaken = try file.withBytes { bytes in
      try takes(UnsafeRawBufferPointer(rebasing: bytes[..<count]), header, way)
    }
    #expect(!isTaken)
  }
}
