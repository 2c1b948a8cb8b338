import Foundation
import OzuTesting

/// Puts bytes between the head of a little-endian TIFF and all the rest, and corrects the offsets.
struct TIFFShifter {
  private var data: Data

  init(_ data: Data) { self.data = Data(data) }

  func shifted(by shift: Int) -> Data {
    var copy = self
    let directory = copy.number(4, 4)
    for index in 0..<copy.number(directory, 2) {
      let entry = directory + 2 + index * 12
      let (tag, type, count) = (copy.number(entry, 2), copy.number(entry + 2, 2), copy.number(entry + 4, 4))
      let width = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8][type]
      let isInline = width * count <= 4
      if tag == 273 {
        let first = isInline ? entry + 8 : copy.number(entry + 8, 4)
        for strip in 0..<count { copy.move(first + strip * width, width, by: shift) }
      }
      if !isInline { copy.move(entry + 8, 4, by: shift) }
    }
    copy.move(4, 4, by: shift)
    return copy.data.prefix(8) + Data(count: shift) + copy.data.dropFirst(8)
  }

  private func number(_ offset: Int, _ count: Int) -> Int {
    data[offset..<(offset + count)].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  private mutating func move(_ offset: Int, _ count: Int, by shift: Int) {
    let value = number(offset, count) + shift
    for index in 0..<count { data[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
  }
}

/// Files of the codecs' tests.
enum FixtureFiles {
  private static let folder = Repository.fixture("")

  static func names(in folders: [String]) throws -> [String] {
    try folders.flatMap { folder in
      try FileManager.default.contentsOfDirectory(atPath: Self.folder.appending(path: folder).path()).sorted()
        .filter { $0.contains(".") }.map { "\(folder)/\($0)" }
    }
  }

  static func data(_ name: String) throws -> Data { try Data(contentsOf: folder.appending(path: name)) }
}
