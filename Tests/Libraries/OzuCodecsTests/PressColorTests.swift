import Foundation
import OzuImaging
import OzuStandardCodecs
import Testing

@testable import OzuLibraryCodecs

/// Compares colours of printing presses with those of another implementation.
///
/// The numbers are of iccDEV's IccProfLib (the package iccdev 0.1.1 of PyPI), an implementation of ICC profiles by the
/// ICC that shares nothing with Little CMS: `IccCmm`, both profiles attached with `Intent.RelativeColorimetric`,
/// `use_bpc=True` and tetrahedral interpolation, in floating point, times 255. The second profile is the sRGB of
/// Little CMS 2.14.
@Suite("Colours of a press")
struct PressColorTests {
  struct Press: Sendable {
    var name: String
    var profile: TableProfile
    /// In the order of `inks`.
    var colors: [[Double]]
  }

  /// Every combination of cyan, magenta, yellow and black, with K in the lowest bit; then black alone, from light
  /// to dark.
  static let inks: [[UInt8]] =
    (0..<16).map { corner in (0..<4).map { corner >> (3 - $0) & 1 == 1 ? 255 : 0 } }
    + [32, 64, 128, 192, 224].map { [0, 0, 0, $0] }

  static let presses: [Press] = [
    // Its black is that of black ink alone, because the table from Lab to ink uses only black ink for black.
    Press(
      name: "of both directions",
      profile: TableProfile(press: "prtr", tables: ["A2B0", "A2B1"], hasInverse: true), colors: reversible),
    // Its black is that of all inks together.
    Press(
      name: "with one table", profile: TableProfile(press: "scnr", tables: ["A2B0"], hasInverse: false),
      colors: oneWay),
    Press(
      name: "with one table, for a press",
      profile: TableProfile(press: "prtr", tables: ["A2B1"], hasInverse: false), colors: oneWay),
  ]

  private func transform(_ press: Press) throws -> ColorTransform {
    try #require(
      ColorTransform(.profile(ICCProfile(name: nil, data: press.profile.data)), layout: .CMYK))
  }

  private func convert(_ inks: [[UInt8]], _ transform: ColorTransform) -> [[UInt8]] {
    var bytes = inks.flatMap(\.self)
    bytes.withUnsafeMutableBytes { bytes in
      // The array is valid during the call, and has four bytes for each colour.
      if let start = bytes.baseAddress { transform.apply(to: start, count: inks.count) }
    }
    return stride(from: 0, to: bytes.count, by: 4).map { [bytes[$0 + 2], bytes[$0 + 1], bytes[$0]] }
  }

  @Test("are those of another implementation", arguments: presses)
  func reference(press: Press) throws {
    let results = convert(Self.inks, try transform(press))
    for ((ink, result), expected) in zip(zip(Self.inks, results), press.colors) {
      for channel in 0..<3 {
        #expect(abs(Double(result[channel]) - expected[channel]) <= 2, "\(ink): \(result), not \(expected)")
      }
    }
  }

  @Test("make paper white, the darkest ink black, and greys in order", arguments: presses)
  func ends(press: Press) throws {
    let transform = try transform(press)
    #expect(transform.movesBlack)
    let ends = convert([[0, 0, 0, 0], [255, 255, 255, 255]], transform)
    #expect(ends == [[255, 255, 255], [0, 0, 0]])
    let greys = convert((0...255).map { [0, 0, 0, $0] }, transform)
    for (a, b) in zip(greys, greys.dropFirst()) {
      #expect((0..<3).allSatisfy { a[$0] >= b[$0] }, "\(a), then \(b)")
    }
  }

  #if TIFF
    @Test("of a file are converted in the same way", arguments: presses)
    func file(press: Press) throws {
      let file = TIFFFile(
        size: PixelSize(2, 1), bits: 8, photometric: 5, samplesPerPixel: 4, profile: press.profile.data,
        strips: [[0, 0, 0, 0, 255, 255, 255, 255]])
      let picture = try CodecRegistry.standard.picture(from: file.data)
      #expect(picture.bitmap[0, 0] == Pixel(red: 255, green: 255, blue: 255))
      #expect(picture.bitmap[1, 0] == Pixel(red: 0, green: 0, blue: 0))
      #expect(picture.notes.isEmpty)
    }
  #endif

  #if JXL
    @Test(
      "of a JPEG XL, whose black is a channel of its own, are converted in the same way",
      arguments: [
        ("press", [] as [String]), ("press-alpha-16", ["its alpha is left out: it is not read with CMYK"]),
      ])
    func extraChannel(name: String, notes: [String]) throws {
      let shown = try picture("icc/\(name).jxl")
      #expect(shown.header?.colorModel == .cmyk && shown.notes == notes)
      for (x, expected) in Self.presses[0].colors.enumerated() {
        let pixel = shown.bitmap[x, 0]
        for (value, wanted) in zip([pixel.red, pixel.green, pixel.blue], expected) {
          #expect(abs(Double(value) - wanted) <= 2, "\(Self.inks[x]): \(pixel), not \(expected)")
        }
      }
    }
  #endif

  private static let reversible: [[Double]] = [
    [255.0, 255.0, 255.0], [0.0, 0.0, 0.0], [247.3, 223.5, 0.0], [0.0, 0.0, 0.0], [215.0, 0.0, 116.9],
    [7.7, 0.0, 0.0], [213.7, 0.0, 0.0], [0.7, 0.0, 0.0], [0.0, 147.5, 216.8], [0.0, 0.0, 5.4],
    [0.0, 138.8, 54.3], [0.0, 0.0, 0.0], [0.0, 27.7, 122.7], [0.0, 0.0, 0.0], [36.0, 36.0, 36.0],
    [0.0, 0.0, 0.0], [224.1, 224.1, 224.1], [193.8, 193.8, 193.8], [135.0, 135.0, 135.0], [77.3, 77.3, 77.3],
    [46.5, 46.5, 46.5],
  ]

  private static let oneWay: [[Double]] = [
    [255.0, 255.0, 255.0], [29.4, 29.4, 29.4], [247.4, 223.9, 0.0], [29.0, 23.2, 0.0], [215.6, 0.0, 120.0],
    [32.6, 9.2, 17.6], [214.3, 12.1, 23.5], [29.7, 5.1, 0.0], [0.0, 149.5, 217.4], [3.3, 22.2, 31.7],
    [0.0, 141.1, 62.8], [0.0, 21.6, 8.5], [29.0, 42.7, 125.5], [8.6, 7.9, 23.8], [48.4, 48.4, 48.4],
    [0.0, 0.0, 0.0], [224.5, 224.5, 224.5], [194.8, 194.8, 194.8], [137.4, 137.4, 137.4], [83.0, 83.0, 83.0],
    [56.4, 56.4, 56.4],
  ]
}
