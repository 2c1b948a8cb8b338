/// Finds the nearest of up to 256 colours, by the square of the distance.
struct NearestColor {
  private static let unknown = UInt16.max
  private static let cellCount = 1 << 18

  private let reds: [Int32]
  private let greens: [Int32]
  private let blues: [Int32]
  /// The results for colours with six bits for each channel, filled on demand.
  private var answers = [UInt16]()

  /// - Parameter colors: at least one.
  init(_ colors: [UInt32]) {
    reds = colors.map { Int32($0 >> 16 & 255) }
    greens = colors.map { Int32($0 >> 8 & 255) }
    blues = colors.map { Int32($0 & 255) }
  }

  /// The index of the nearest colour.
  ///
  /// - Complexity: O(colours).
  func search(_ color: UInt32) -> UInt8 {
    let (red, green, blue) = (
      Int32(color >> 16 & 255), Int32(color >> 8 & 255), Int32(color & 255)
    )
    // The distance has 18 bits, so the index fits below it: one minimum gives both.
    var best = Int32.max
    for index in 0..<reds.count {
      let (r, g, b) = (reds[index] &- red, greens[index] &- green, blues[index] &- blue)
      best = min(best, (r &* r &+ g &* g &+ b &* b) &<< 8 | Int32(truncatingIfNeeded: index))
    }
    return UInt8(truncatingIfNeeded: best)
  }

  /// The same for the colour without the two low bits of each channel. The result is cached.
  ///
  /// - Parameter channels: red, green and blue, from 0 to 255.
  mutating func recall(_ channels: SIMD3<Int32>) -> UInt8 {
    if answers.isEmpty { answers = [UInt16](repeating: Self.unknown, count: Self.cellCount) }
    let cell = channels &>> 2
    let place = Int(cell.x) << 12 | Int(cell.y) << 6 | Int(cell.z)
    if answers[place] != Self.unknown { return UInt8(truncatingIfNeeded: answers[place]) }
    // The middle of the cell.
    let middle = cell &<< 2 | 2
    let answer = search(
      UInt32(truncatingIfNeeded: middle.x) << 16 | UInt32(truncatingIfNeeded: middle.y) << 8
        | UInt32(truncatingIfNeeded: middle.z))
    answers[place] = UInt16(answer)
    return answer
  }
}
