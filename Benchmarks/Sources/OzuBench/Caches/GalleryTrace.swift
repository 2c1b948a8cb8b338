import Foundation
import OzuTesting

/// The lookups of a gallery that somebody scrolls: in every frame that moves, each cell on the screen. Made from a
/// seed, so that every machine replays the same.
///
/// 1,200 pictures in six columns, five or six rows on the screen, 120 frames a second. A fling begins at 3 to 60 points
/// a frame, with rows of 160 points, and keeps 0.998 of its speed each millisecond, as `UIScrollView` does. One fling of
/// three goes back over pictures that were shown before.
struct GalleryTrace {
  static let count = 1200
  static let framesPerSecond = 120.0
  /// The bytes of one cell's picture.
  static let byteCount = 160 * 160 * 4

  /// The pictures on the screen, for each frame.
  private(set) var frames: [Range<Int>] = []

  var lookupCount: Int { frames.reduce(0) { $0 + $1.count } }

  init(seed: UInt64, frameCount: Int) {
    var random = SeededGenerator(seed: seed)
    let (columns, rowHeight, screen) = (6, 160.0, 700.0)
    let end = Double(Self.count / columns) * rowHeight - screen
    var position = 0.0
    while frames.count < frameCount {
      let goesBack = position >= end || (position > 0 && random.next() % 3 == 0)
      var speed = Double(3 + random.next() % 58) * (goesBack ? -1 : 1)
      while abs(speed) >= 0.25, frames.count < frameCount, (0...end).contains(position) {
        position += speed
        speed *= pow(0.998, 1000 / Self.framesPerSecond)
        let top = min(max(0, position), end)
        let rows = Int(top / rowHeight)...Int((top + screen) / rowHeight)
        frames.append(rows.lowerBound * columns..<min(Self.count, (rows.upperBound + 1) * columns))
      }
      position = min(max(0, position), end)
    }
  }
}
