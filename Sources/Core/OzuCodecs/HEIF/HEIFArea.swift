import OzuImaging

/// The part of a stored picture that is shown, and how it is turned: where the corner and the two sides of the shown
/// picture are in the stored one, whose sides are 1.
struct HEIFArea {
  /// The size that is shown, in pixels.
  private(set) var size: PixelSize
  private var corner = SIMD2(0.0, 0.0)
  private var across = SIMD2(1.0, 0.0)
  private var down = SIMD2(0.0, 1.0)

  init(_ stored: PixelSize) { size = stored }

  /// Applies a property that turns, mirrors or crops what is shown so far (ISO/IEC 23008-12 §6.5.9 to §6.5.12).
  mutating func apply(_ property: HEIFBox, _ file: Span<UInt8>) {
    let start = property.content.lowerBound
    switch property.name {
    case "irot":
      for _ in 0..<(file.byte(at: start) ?? 0) & 3 {
        (corner, across, down) = (corner + across, down, -across)
        size = size.transposed
      }
    case "imir":
      if (file.byte(at: start) ?? 0) & 1 == 0 {
        (corner, down) = (corner + down, -down)
      } else {
        (corner, across) = (corner + across, -across)
      }
    case "clap":
      guard property.content.count >= 32, !size.isEmpty else { return }
      func word(_ index: Int) -> Int { file.bigEndian(at: start + 4 * index, bytes: 4) ?? 0 }
      func fraction(_ index: Int) -> Double {
        Double(Int32(truncatingIfNeeded: word(index))) / Double(max(word(index + 1), 1))
      }
      let cropped = PixelSize(
        min(word(0) / max(word(1), 1), size.width), min(word(2) / max(word(3), 1), size.height))
      let width = Double(cropped.width) / Double(size.width)
      let height = Double(cropped.height) / Double(size.height)
      // The offset is that of the middle.
      let left = 0.5 + fraction(4) / Double(size.width) - width / 2
      let top = 0.5 + fraction(6) / Double(size.height) - height / 2
      corner = corner + across * left + down * top
      (across, down) = (across * width, down * height)
      size = cropped
    default: break
    }
  }

  /// Whether rows of the shown picture are columns of the stored one.
  var isQuarterTurned: Bool { abs(down.x) > abs(down.y) }

  /// Whether the shown picture begins with the last rows, or the last columns, of the stored one.
  var isReversedDown: Bool { down.x + down.y < 0 }

  /// Whether its left side is at the right, or at the bottom, of the stored one.
  var isReversedAcross: Bool { across.x + across.y < 0 }

  /// Whether another picture of the same shape is shown in the same way, except for a fiftieth of a side: the sides of
  /// small pictures are rounded.
  func isClose(to other: HEIFArea) -> Bool {
    let differences = [corner - other.corner, across - other.across, down - other.down]
    return differences.allSatisfy { abs($0.x) <= 0.02 && abs($0.y) <= 0.02 }
  }
}
