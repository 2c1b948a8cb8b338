import OzuTesting
import Testing

@testable import OzuImaging

@Suite("Means of boxes")
struct BoxMeanTests {
  static let lengths = [2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 31, 32, 33, 100, 127, 128, 129, 254, 255, 256]

  @Test("are rounded to the nearest number, and exact for equal pixels", arguments: lengths)
  func means(_ length: Int) {
    var random = SeededGenerator(seed: UInt64(length))
    let narrow = BoxMean<UInt16>(length)
    let wide = BoxMean<UInt32>(length)
    for round in 0..<2000 {
      let sum = round < 256 ? round * length : Int.random(in: 0...255 * length, using: &random)
      let expected = (sum + length / 2) / length
      let found = [
        Int(narrow(SIMD8(repeating: UInt16(sum)))[round % 8]),
        Int(wide(SIMD8(repeating: UInt32(sum)))[round % 8]),
      ]
      let slack = round < 256 || length < 128 ? 0 : 1
      #expect(found.allSatisfy { abs($0 - expected) <= slack }, "\(sum) of \(length): \(found)")
    }
  }

  @Test("windows of every size on pictures of every size give the means of plain sums")
  func windows() {
    for size in [PixelSize(1, 1), PixelSize(2, 3), PixelSize(5, 4), PixelSize(9, 7), PixelSize(16, 2)] {
      let picture = ProcessorPropertyTests.veiled(size)
      for (before, after) in [(1, 0), (1, 1), (2, 1), (3, 3), (0, 4), (20, 20), (200, 190)] {
        let window = BoxWindow(before: before, after: after)
        let source = BGRABitmap(picture, pool: .shared)
        let rows = window.alongRows(source, pool: .shared).bitmap
        let columns = window.alongColumns(source, pool: .shared).bitmap
        for y in 0..<size.height {
          for x in 0..<size.width {
            let across = (-before...after).map { picture[min(max(x + $0, 0), size.width - 1), y] }
            let down = (-before...after).map { picture[x, min(max(y + $0, 0), size.height - 1)] }
            for (found, pixels) in [(rows[x, y], across), (columns[x, y], down)] {
              for channel in [\Pixel.red, \Pixel.green, \Pixel.blue, \Pixel.alpha] {
                let sum = pixels.reduce(0) { $0 + Int($1[keyPath: channel]) }
                let expected = (sum + window.length / 2) / window.length
                let slack = window.length < 128 ? 0 : 1
                #expect(abs(Int(found[keyPath: channel]) - expected) <= slack, "\(size) \(window) \(x) \(y)")
              }
            }
          }
        }
      }
    }
  }

  @Test("sharpening adds the rounded part of the difference, and no colour exceeds its alpha")
  func sharpening() throws {
    for size in [PixelSize(1, 3), PixelSize(7, 5), PixelSize(8, 2)] {
      for amount in [0, 0.37, 1, 9.99] {
        let picture = ProcessorPropertyTests.veiled(size)
        let soft = try GaussianBlur(radius: 1).process(picture, context: ProcessingContext())
        let sharp = try Sharpen(amount: amount, radius: 1).process(picture, context: ProcessingContext())
        let weight = Int((amount * 256).rounded())
        for y in 0..<size.height {
          for x in 0..<size.width {
            let before = picture[x, y]
            for channel in [\Pixel.red, \Pixel.green, \Pixel.blue] {
              let difference = Int(before[keyPath: channel]) - Int(soft[x, y][keyPath: channel])
              let value = Int(before[keyPath: channel]) + (difference * weight + 128) >> 8
              #expect(Int(sharp[x, y][keyPath: channel]) == min(max(value, 0), Int(before.alpha)))
            }
            #expect(sharp[x, y].alpha == before.alpha)
          }
        }
      }
    }
  }
}
