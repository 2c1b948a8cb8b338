import CCodecs
import OzuCodecs
import OzuImaging

/// A way from an encoding to sRGB, ready to be used: relative colorimetric with black-point compensation.
///
/// `@unchecked Sendable`: Little CMS keeps nothing between calls that a call changes, so a transform serves any
/// number of threads; it is freed when the last of them lets go.
final class ColorTransform: @unchecked Sendable {
  private let transform: OpaquePointer
  let layout: OzuColorLayout
  private(set) var isIdentity = false
  /// Whether neighbouring greys of 8 bits become ones that are three or more steps apart, as the shadows of a picture
  /// in linear light do: pixels of more bits lose detail when they are cut to 8 before.
  private(set) var isSteep = false
  /// Whether the darkest colour of the profile is lighter than black and becomes black.
  var movesBlack: Bool { ozu_color_transform_moves_black(transform) }

  /// `nil` when the encoding is broken or not for such pixels.
  init?(_ encoding: ColorEncoding, layout: OzuColorLayout) {
    let made: OpaquePointer?
    switch encoding {
    case .profile(let profile):
      made = profile.data.withBytes { bytes in
        ozu_color_transform_new(bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, layout)
      }
    case .coded(let primaries, let transfer):
      guard let chromaticities = Chromaticities(primaries: primaries),
        let (curve, gamma) = Self.curve(transfer)
      else { return nil }
      made = ozu_color_transform_from_primaries(chromaticities.values, curve, gamma, layout)
    case .calibrated(let gamma, let chromaticities):
      guard 0.1...10 ~= gamma else { return nil }
      made = ozu_color_transform_from_primaries(chromaticities.values, .gamma, gamma, layout)
    }
    guard let made else { return nil }
    transform = made
    self.layout = layout
    isIdentity = changesNothing()
    isSteep = hasWideSteps()
  }

  private func hasWideSteps() -> Bool {
    let sampleCount = layout == .BGRA ? 4 : 1
    guard layout == .BGRA || layout == .gray else { return false }
    let ramp = (0..<256).flatMap { Array(repeating: UInt8($0), count: sampleCount) }
    var results = [UInt8](repeating: 0, count: 256 * 4)
    // Both arrays are lent for the call.
    ramp.withUnsafeBytes { from in
      results.withUnsafeMutableBytes { to in
        apply(from, to: to, count: 256)
      }
    }
    return (1..<256).contains { value in
      (0..<3).contains { abs(Int(results[value * 4 + $0]) - Int(results[value * 4 - 4 + $0])) > 2 }
    }
  }

  /// Whether colours stay as they are, give or take one step: the profile is one of sRGB, whatever it is called.
  private func changesNothing() -> Bool {
    guard layout == .BGRA else { return false }
    let steps: [UInt8] = [0, 13, 51, 128, 202, 255]
    var probes: [UInt8] = []
    for blue in steps {
      for green in steps {
        for red in steps { probes += [blue, green, red, 255] }
      }
    }
    var results = probes
    // Both arrays are lent for the call.
    probes.withUnsafeBytes { from in
      results.withUnsafeMutableBytes { to in
        apply(from, to: to, count: probes.count / 4)
      }
    }
    return probes.indices.allSatisfy { index in
      index % 4 == 3 || abs(Int(probes[index]) - Int(results[index])) <= 1
    }
  }

  deinit {
    ozu_color_transform_free(transform)
  }

  /// Converts so many pixels. The memory is the caller's, and `to` may be `from` where both are BGRA.
  ///
  /// - Precondition: both have as many bytes as the pixels take: one to eight each, by `layout`.
  func apply(_ from: UnsafeRawBufferPointer, to: UnsafeMutableRawBufferPointer, count: Int) {
    let isDone = ozu_color_transform_apply(
      transform, from.bindMemory(to: UInt8.self).baseAddress, from.count,
      to.bindMemory(to: UInt8.self).baseAddress, to.count, count)
    precondition(isDone, "memory that holds its pixels")
  }

  /// Converts a row of pixels of four bytes where it is.
  func apply(to row: UnsafeMutableRawPointer, count: Int) {
    let bytes = UnsafeMutableRawBufferPointer(start: row, count: count * 4)
    apply(UnsafeRawBufferPointer(bytes), to: bytes, count: count)
  }

  /// The transfer functions of H.273. Those of television are taken for sRGB's, as pictures with them are shown
  /// everywhere; those of high dynamic range are for `ToneMapping`.
  private static func curve(_ transfer: Int) -> (OzuColorCurve, Double)? {
    switch transfer {
    case 1, 2, 6, 13, 14, 15: (.SRGB, 0)
    case 4: (.gamma, 2.2)
    case 5: (.gamma, 2.8)
    case 8: (.gamma, 1)
    case 17: (.gamma, 2.6)
    default: nil
    }
  }
}

extension Chromaticities {
  /// White, red, green and blue, x and y each.
  var values: [Double] { [white, red, green, blue].flatMap { [$0.x, $0.y] } }
}
