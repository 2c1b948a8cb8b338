/// Up to 256 colours in the order in which they were added; one index may be transparent. It finds the index of a
/// colour in constant time. `UInt32.max` is no colour.
struct ColorTable {
  static let limit = 256
  /// Four times as many slots as colours, so that most searches end at the first slot.
  private static let slotCount = 1024
  private static let empty = UInt32.max

  /// The colours by index; 0 for the transparent index.
  private(set) var colors: [UInt32] = []
  private(set) var transparentIndex: Int?
  private var keys = [UInt32](repeating: empty, count: slotCount)
  private var values = [UInt8](repeating: 0, count: slotCount)

  var count: Int { colors.count }

  var bitCount: Int { max(1, Int.bitWidth - max(0, count - 1).leadingZeroBitCount) }

  /// The table as the format stores it: three bytes for each index of `bitCount` bits.
  var bytes: [UInt8] {
    var bytes = colors.flatMap { [UInt8($0 >> 16), UInt8($0 >> 8 & 255), UInt8($0 & 255)] }
    bytes += [UInt8](repeating: 0, count: 3 << bitCount - bytes.count)
    return bytes
  }

  /// The slot of a colour, or the free slot for it.
  private func slot(_ color: UInt32) -> Int {
    var slot = Int((color &* 0x9E37_79B1) >> 22)
    while keys[slot] != Self.empty, keys[slot] != color { slot = (slot + 1) & (Self.slotCount - 1) }
    return slot
  }

  func index(of color: UInt32) -> UInt8? {
    let slot = slot(color)
    return keys[slot] == color ? values[slot] : nil
  }

  /// Adds a colour unless it is in the table; `false` if the table is full.
  mutating func insert(_ color: UInt32) -> Bool {
    let slot = slot(color)
    if keys[slot] == color { return true }
    guard count < Self.limit else { return false }
    (keys[slot], values[slot]) = (color, UInt8(count))
    colors.append(color)
    return true
  }

  /// Adds a transparent index unless there is one; `false` if the table is full.
  mutating func insertTransparency() -> Bool {
    if transparentIndex != nil { return true }
    guard count < Self.limit else { return false }
    transparentIndex = count
    colors.append(0)
    return true
  }

  /// Adds the colours of a table and, if needed, transparency. If they do not all fit, it changes nothing and
  /// returns `false`.
  mutating func merge(_ other: ColorTable, needsTransparency: Bool) -> Bool {
    var merged = self
    for color in other.colors where !merged.insert(color) { return false }
    if needsTransparency, !merged.insertTransparency() { return false }
    self = merged
    return true
  }
}
