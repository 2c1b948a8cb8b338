import Foundation
import JPEGOracle
import OzuImaging
import Testing

@testable import OzuCodecs

@Suite("The pieces of a scan")
struct ScanPieceTests {
  /// A piece with a group for each number of bits.
  private static func piece(
    row: Int, bits: [Int], link: (group: Int, offset: Int32)? = nil, hasEnd: Bool = false,
    missesData: Bool = false
  ) -> ScanPiece {
    var piece = ScanPiece(mark: 1000 - row, row: row)
    piece.ends = bits.map { .init(bits: $0, predictions: SIMD4(repeating: Int32($0))) }
    piece.groupCount = bits.count
    piece.link = link.map { .init(group: $0.group, offset: SIMD4(repeating: $0.offset)) }
    piece.hasEnd = hasEnd
    piece.missesData = missesData
    piece.isOver = true
    return piece
  }

  @Test("are met only where one of their first groups ended")
  func meeting() {
    let piece = Self.piece(row: 0, bits: [7, 20, 21, 50])
    for bits in 0...60 {
      switch piece.meet(at: bits) {
      case .found(let group, let predictions):
        #expect(piece.ends[group].bits == bits && predictions[0] == Int32(bits))
      case .notYet: #expect(bits < 50 && ![7, 20, 21].contains(bits))
      case .never: #expect(bits > 50)
      }
    }
    var empty = ScanPiece(mark: 5, row: 0)
    guard case .notYet = empty.meet(at: 3) else {
      Issue.record("it may have groups later")
      return
    }
    empty.isOver = true
    guard case .never = empty.meet(at: 3) else {
      Issue.record("it has no groups")
      return
    }
  }

  /// Three pieces in rows of four groups. The scan ends with the seven last groups of the first one.
  private static func pieces(hasEnd: Bool = true, missesData: Bool = false) -> [ScanPiece] {
    [
      piece(row: 0, bits: Array(0..<9), hasEnd: hasEnd, missesData: missesData),
      piece(row: 3, bits: Array(0..<5), link: (1, 100)), piece(row: 5, bits: Array(0..<6), link: (2, 7)),
    ]
  }

  private static func rest(_ pieces: [ScanPiece], from index: Int, behind group: Int, wanted: Int)
    -> ScanRest?
  {
    ScanRest(
      of: pieces, columns: 4, from: index, behind: group, offset: SIMD4(repeating: 1), wanted: wanted)
  }

  private static func runs(_ rest: ScanRest?) -> [[Int]]? {
    rest?.runs.map { [$0.groups.lowerBound, $0.groups.upperBound, Int($0.offset[2])] }
  }

  @Test("continue in the piece behind them")
  func rest() {
    // Groups 1 to 5 of the last piece, which begin at 21; 3 and 4 of the one before; 2 to 8 of the first.
    let rest = Self.rest(Self.pieces(), from: 2, behind: 0, wanted: 100)
    #expect(Self.runs(rest) == [[21, 26, 1], [15, 17, 8], [2, 9, 108]])
    #expect(rest?.groupCount == 14 && rest?.isShort == false)
    #expect(
      Self.runs(Self.rest(Self.pieces(), from: 1, behind: 4, wanted: 3)) == [[17, 17, 1], [2, 5, 101]])
    #expect(Self.runs(Self.rest(Self.pieces(), from: 2, behind: 2, wanted: 2)) == [[23, 25, 1]])
  }

  @Test("are short only if the last group of the picture lacked bits")
  func missingData() {
    for wanted in 1...20 {
      let rest = Self.rest(Self.pieces(missesData: true), from: 2, behind: 0, wanted: wanted)
      #expect(rest?.isShort == (wanted >= 14), "\(wanted) groups")
    }
  }

  @Test("are not used if their planes ended before the picture")
  func planes() {
    for wanted in 1...20 {
      let rest = Self.rest(Self.pieces(hasEnd: false), from: 2, behind: 0, wanted: wanted)
      #expect((rest != nil) == (wanted <= 14), "\(wanted) groups")
    }
  }

  @Test("give the runs of any groups in their order")
  func parts() throws {
    let rest = try #require(Self.rest(Self.pieces(), from: 2, behind: 0, wanted: 14))
    let all = rest.runs.flatMap { run in run.groups.map { [$0, Int(run.offset[0])] } }
    for first in 0...14 {
      for end in first...14 {
        var found: [[Int]] = []
        rest.forEachRun(of: first..<end) { run in found += run.groups.map { [$0, Int(run.offset[0])] } }
        #expect(found == Array(all[first..<end]))
      }
    }
  }

  @Test("begin in the middle of what is left, and never with a stuffed byte")
  func division() {
    var bytes = [UInt8](repeating: 1, count: 1000)
    for place in [300, 301, 649] { bytes[place] = 0xFF }
    bytes.withUnsafeBytes { file in
      let division = ScanDivision(smallestByteCount: 160, share: 0.5)
      #expect(division.mark(in: file, from: 300) == 651)
      #expect(division.mark(in: file, from: 690) == nil)
      #expect(division.mark(in: file, between: 102, and: 500) == 303)
      #expect(division.mark(in: file, between: 100, and: 650) == 375)
      // Too small, at the other thread, and behind it.
      #expect(division.mark(in: file, between: 610, and: 648) == nil)
      #expect(division.mark(in: file, between: 648, and: 648) == nil)
      #expect(division.mark(in: file, between: 700, and: 648) == nil)
      #expect(ScanDivision(smallestByteCount: 0, share: 0).mark(in: file, from: 1000) == nil)
      #expect(ScanDivision(smallestByteCount: 0, share: 0).mark(in: file, between: 301, and: 302) == nil)
    }
  }
}
