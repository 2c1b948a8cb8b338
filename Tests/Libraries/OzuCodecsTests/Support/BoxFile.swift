import Foundation

/// A file of boxes (ISO/IEC 14496-12) that tests change.
struct BoxFile {
  var bytes: [UInt8]

  /// The bytes before the boxes inside a box.
  private static let heads = ["meta": 4, "stsd": 8, "av01": 78]

  init(_ data: Data) { bytes = Array(data) }

  var data: Data { Data(bytes) }

  static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    big(content.count + 8, 4) + Array(type.utf8) + content
  }

  static func big(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(value >> (8 * (count - 1 - $0)) & 255) }
  }

  /// The boxes on a path, each with its header; the first match of each name.
  func boxes(_ path: [String]) -> [Range<Int>]? {
    var found: [Range<Int>] = []
    var inside = 0..<bytes.count
    for type in path {
      var position = inside.lowerBound
      var match: Range<Int>?
      while match == nil, position + 8 <= inside.upperBound {
        let end = position + integer(at: position, 4)
        guard end > position else { return nil }
        if Array(bytes[position + 4..<position + 8]) == Array(type.utf8) { match = position..<end }
        position = end
      }
      guard let match else { return nil }
      found.append(match)
      inside = match.lowerBound + 8 + (Self.heads[type] ?? 0)..<match.upperBound
    }
    return found
  }

  /// The bytes of a box, with its header.
  func box(_ path: [String]) -> [UInt8]? { boxes(path)?.last.map { Array(bytes[$0]) } }

  /// Appends bytes to a box, which grows together with all boxes around it.
  mutating func append(_ content: [UInt8], to path: [String]) {
    guard let boxes = boxes(path), let last = boxes.last else { return }
    bytes.insert(contentsOf: content, at: last.upperBound)
    for box in boxes { replace(at: box.lowerBound, with: Self.big(box.count + content.count, 4)) }
  }

  /// Moves the offsets of samples, which count from the beginning of the file.
  mutating func moveSamples(by distance: Int) {
    var position = 0
    while let found = firstRange(of: "stco", from: position) {
      for entry in 0..<integer(at: found + 8, 4) {
        let place = found + 12 + entry * 4
        replace(at: place, with: Self.big(integer(at: place, 4) + distance, 4))
      }
      position = found + 4
    }
  }

  /// The position of some letters.
  func firstRange(of letters: String, from start: Int = 0) -> Int? {
    Data(bytes).range(of: Data(letters.utf8), in: start..<bytes.count)?.lowerBound
  }

  func integer(at offset: Int, _ count: Int) -> Int {
    bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
  }

  mutating func replace(at offset: Int, with content: [UInt8]) {
    bytes.replaceSubrange(offset..<offset + content.count, with: content)
  }
}
