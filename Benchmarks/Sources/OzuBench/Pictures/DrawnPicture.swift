import Foundation
import Ozu
import OzuTesting

/// Pictures that are no photographs, drawn by code: the same on every machine, and nobody's property.
enum DrawnPicture: String, CaseIterable {
  /// Black strokes on white.
  case lineArt = "line-art"
  /// Windows with small text of made-up letters, one pixel sharp, and flat colours.
  case screenshot
  /// Large flat shapes and gradients.
  case graphics
  /// Independent random values: nothing that a format could make use of.
  case noise

  /// The picture in a size. Things grow with it, except for the text of screenshots, which gets longer.
  func bitmap(_ size: PixelSize) -> Bitmap {
    var random = SeededGenerator(seed: 22)
    switch self {
    case .lineArt: return Self.lineArt(size, &random)
    case .screenshot: return Self.screenshot(size, &random)
    case .graphics: return Self.graphics(size, &random)
    case .noise:
      return Bitmap(size: size) { _, _ in
        let bits = random.next()
        return Pixel(
          red: UInt8(truncatingIfNeeded: bits), green: UInt8(truncatingIfNeeded: bits >> 8),
          blue: UInt8(truncatingIfNeeded: bits >> 16))
      }
    }
  }

  private static func lineArt(_ size: PixelSize, _ random: inout SeededGenerator) -> Bitmap {
    var canvas = Canvas(size, color: Pixel(red: 255, green: 255, blue: 255))
    let scale = Double(size.height) / 600
    for _ in 0..<220 {
      // A curve that turns a little with every step.
      var point = SIMD2(random.unit() * Double(size.width), random.unit() * Double(size.height))
      var direction = random.unit() * 2 * .pi
      let turn = (random.unit() - 0.5) * 0.5
      let width = (0.6 + 2.4 * random.unit()) * scale
      for _ in 0..<Int(4 + 24 * random.unit()) {
        let next = point + 12 * scale * SIMD2(cos(direction), sin(direction))
        canvas.line(from: point, to: next, width: width, Pixel(red: 16, green: 16, blue: 16))
        (point, direction) = (next, direction + turn)
      }
    }
    return canvas.bitmap
  }

  private static func graphics(_ size: PixelSize, _ random: inout SeededGenerator) -> Bitmap {
    var canvas = Canvas(size, color: Pixel(red: 250, green: 244, blue: 230))
    let (width, height) = (Double(size.width), Double(size.height))
    canvas.fill(x: 0, y: 0, width: size.width, height: size.height * 2 / 3) { _, y in
      Canvas.mixed(
        Pixel(red: 40, green: 90, blue: 190), Pixel(red: 250, green: 200, blue: 150), Double(y) / height * 1.5
      )
    }
    for _ in 0..<40 {
      let center = SIMD2(random.unit() * width, random.unit() * height)
      canvas.disc(center: center, radius: (0.02 + 0.1 * random.unit()) * height, color(&random))
    }
    for _ in 0..<24 {
      canvas.fill(
        x: Int(random.unit() * width), y: Int(random.unit() * height), width: Int(random.unit() * width / 6),
        height: Int(random.unit() * height / 6), color(&random))
    }
    return canvas.bitmap
  }

  private static func screenshot(_ size: PixelSize, _ random: inout SeededGenerator) -> Bitmap {
    var canvas = Canvas(size, color: Pixel(red: 236, green: 238, blue: 241))
    let ink = Pixel(red: 32, green: 36, blue: 40)
    let letters = (0..<26).map { _ in random.next() }
    let (window, rowHeight, advance) = (640, 16, 8)
    for top in stride(from: 0, to: size.height, by: window) {
      for left in stride(from: 0, to: size.width, by: window) {
        canvas.fill(
          x: left + 8, y: top + 8, width: window - 16, height: window - 16,
          Pixel(red: 255, green: 255, blue: 255))
        canvas.fill(x: left + 8, y: top + 8, width: window - 16, height: 32, color(&random))
        for row in 0..<34 {
          for column in 0..<Int(20 + random.unit() * 52) where random.next() % 6 != 0 {
            let bits = letters[Int(random.next() % 26)]
            // A letter of 5 by 8 pixels: the bits of a random number.
            for bit in 0..<40 where bits >> bit & 1 == 1 {
              canvas.fill(
                x: left + 24 + column * advance + bit % 5, y: top + 52 + row * rowHeight + bit / 5, width: 1,
                height: 1,
                ink)
            }
          }
        }
      }
    }
    return canvas.bitmap
  }

  private static func color(_ random: inout SeededGenerator) -> Pixel {
    let bits = random.next()
    return Pixel(
      red: UInt8(truncatingIfNeeded: bits), green: UInt8(truncatingIfNeeded: bits >> 8),
      blue: UInt8(truncatingIfNeeded: bits >> 16))
  }
}
