import OzuImaging

/// Up to 256 colours in the order in which they were added, one of which may stand for no colour at all. A value that finds
/// the index of a colour in constant time.
struct GIFColorTable {
  static let limit = 256
  /// Four times as many slots as colours, so that few searches go beyond the first.
  private static let slotCount = 1024
  private static let empty = UInt32.max

  /// The colours by index; 0 for that which is none.
  private(set) var colors: [UInt32] = []
  /// The index that paints nothing.
  private(set) var transparentIndex: Int?
  private var keys = [UInt32](repeating: empty, count: slotCount)
  private var values = [UInt8](repeating: 0, count: slotCount)

  var count: Int { colors.count }

  /// The bits of an index.
  var bitCount: Int { max(1, Int.bitWidth - max(0, count - 1).leadingZeroBitCount) }

  /// The table as the format stores it: three bytes for each index of so many bits.
  var bytes: [UInt8] {
    var bytes = colors.flatMap { [UInt8($0 >> 16), UInt8($0 >> 8 & 255), UInt8($0 & 255)] }
    bytes += [UInt8](repeating: 0, count: 3 << bitCount - bytes.count)
    return bytes
  }

  /// The slot where a colour is or would be.
  private func slot(_ color: UInt32) -> Int {
    var slot = Int((color &* 0x9E37_79B1) >> 22)
    while keys[slot] != Self.empty, keys[slot] != color { slot = (slot + 1) & (Self.slotCount - 1) }
    return slot
  }

  /// The index of a colour.
  func index(of color: UInt32) -> UInt8? {
    let slot = slot(color)
    return keys[slot] == color ? values[slot] : nil
  }

  /// Adds a colour unless it is there; `false` when there is no room.
  mutating func insert(_ color: UInt32) -> Bool {
    let slot = slot(color)
    if keys[slot] == color { return true }
    guard count < Self.limit else { return false }
    (keys[slot], values[slot]) = (color, UInt8(count))
    colors.append(color)
    return true
  }

  /// Makes sure of an index that paints nothing; `false` when there is no room.
  mutating func insertTransparency() -> Bool {
    if transparentIndex != nil { return true }
    guard count < Self.limit else { return false }
    transparentIndex = count
    colors.append(0)
    return true
  }

  /// Adds the colours of a table and, if wanted, transparency; changes nothing when there is no room for all.
  mutating func merge(_ other: GIFColorTable, needsTransparency: Bool) -> Bool {
    var merged = self
    for color in other.colors where !merged.insert(color) { return false }
    if needsTransparency, !merged.insertTransparency() { return false }
    self = merged
    return true
  }
}
