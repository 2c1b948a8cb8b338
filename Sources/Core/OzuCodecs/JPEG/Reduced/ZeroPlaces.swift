/// The places of the set bits of a word, in ascending order: a list that a scan of last bits makes for each block, of the
/// coefficients that are zero.
///
/// Why every index is in bounds: eight bits at a time are looked up in tables of 256. A word has at most 64 bits, so the last
/// eight places are written from entry 64 at most, and 16 marks of the end behind at most 64 entries: 80 entries in all. Readers
/// look up these 16 at most.
struct ZeroPlaces {
  /// The mark behind the last place. Places are below 64.
  static let none: UInt8 = 255

  private static let capacity = 80

  /// For each byte the places of its bits, the first one lowest; and behind the 256 of them the number of bits of each.
  ///
  /// `nonisolated(unsafe)`: written once, before the pointer is returned.
  private nonisolated(unsafe) static let places: UnsafePointer<UInt64> = {
    let places = UnsafeMutablePointer<UInt64>.allocate(capacity: 512)
    for byte in 0..<256 {
      var word: UInt64 = 0
      var count: UInt64 = 0
      for place in 0..<8 where byte >> place & 1 == 1 {
        word |= UInt64(place) << (8 * count)
        count += 1
      }
      (places + byte).initialize(to: word)
      (places + 256 + byte).initialize(to: count)
    }
    return UnsafePointer(places)
  }()

  private let list: UnsafeMutablePointer<UInt8>
  private let places = Self.places

  init() {
    list = .allocate(capacity: Self.capacity)
    list.initialize(repeating: Self.none, count: Self.capacity)
  }

  func free() { list.deallocate() }

  /// The place of a bit; `none` behind the last one.
  @inline(__always)
  subscript(_ index: Int) -> Int { Int(list[index]) }

  /// Lists the bits of a word that has none outside of the bytes `first...last`.
  @inline(__always)
  func set(_ word: UInt64, first: Int, last: Int) {
    let list = UnsafeMutableRawPointer(list)
    var rest = word &>> UInt64(truncatingIfNeeded: 8 &* first)
    var base = UInt64(truncatingIfNeeded: first) &* 0x0808_0808_0808_0808
    var count = 0
    for _ in first...last {
      let byte = Int(truncatingIfNeeded: rest & 255)
      (list + count).storeBytes(of: places[byte] &+ base, as: UInt64.self)
      count &+= Int(truncatingIfNeeded: places[byte &+ 256])
      rest &>>= 8
      base &+= 0x0808_0808_0808_0808
    }
    (list + count).storeBytes(of: .max, as: UInt64.self)
    (list + count + 8).storeBytes(of: .max, as: UInt64.self)
  }
}
