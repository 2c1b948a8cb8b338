import CCodecs
import OzuBase
import OzuCodecs
import OzuImaging

/// A transform from an encoding to sRGB: relative colorimetric with black-point compensation.
///
/// `@unchecked Sendable`: calls of Little CMS do not change a transform, so any number of threads may use it; it is
/// freed with the last reference.
final class ColorTransform: @unchecked Sendable {
  private let transform: OpaquePointer
  let layout: OzuColorLayout
  private(set) var isIdentity = false
  /// Whether neighbouring 8-bit greys become greys that are three or more steps apart, as in the shadows of a
  /// picture in linear light: rounding such a picture to 8 bits before the conversion loses detail.
  private(set) var isSteep = false
  /// Whether the darkest colour of the profile is lighter than black and becomes black.
  var movesBlack: Bool { ozu_color_transform_moves_black(transform) }

  /// `nil` if the encoding is broken or is not for such pixels.
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
    // Both arrays are valid during the call.
    ramp.withUnsafeBytes { from in
      results.withUnsafeMutableBytes { to in
        apply(from, to: to, count: 256)
      }
    }
    return (1..<256).contains { value in
      (0..<3).contains { abs(Int(results[value * 4 + $0]) - Int(results[value * 4 - 4 + $0])) > 2 }
    }
  }

  /// Whether the transform changes colours by at most one step: then the profile is that of sRGB, whatever its name
  /// is.
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
    // Both arrays are valid during the call.
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

  /// Converts `count` pixels. The memory belongs to the caller. `to` may be the same as `from` if both are BGRA.
  ///
  /// - Precondition: both have the bytes of all pixels: one to eight each, depending on `layout`.
  func apply(_ from: UnsafeRawBufferPointer, to: UnsafeMutableRawBufferPointer, count: Int) {
    let isDone = ozu_color_transform_apply(
      transform, from.bindMemory(to: UInt8.self).baseAddress, from.count,
      to.bindMemory(to: UInt8.self).baseAddress, to.count, count)
    precondition(isDone, "memory that holds its pixels")
  }

  /// Converts a row of pixels of four bytes in place.
  func apply(to row: UnsafeMutableRawPointer, count: Int) {
    let bytes = UnsafeMutableRawBufferPointer(start: row, count: count * 4)
    apply(UnsafeRawBufferPointer(bytes), to: bytes, count: count)
  }

  /// The transfer functions of H.273. Those of television are treated as sRGB, because pictures with them are shown
  /// in that way everywhere; those of high dynamic range belong to `ToneMapping`.
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

extension ColorTransform {
  private struct Key: Hashable {
    let encoding: ColorEncoding
    let layout: UInt32
  }

  /// Most pictures of one source share their profile, and making a transform takes longer than converting a thumbnail. `nil`
  /// for a broken encoding.
  private static let recent = RecentValues<Key, ColorTransform?>(countLimit: 16)

  /// A transform, a recently used one or made now; `nil` for a broken encoding.
  static func cached(_ encoding: ColorEncoding, _ layout: OzuColorLayout) -> ColorTransform? {
    let key = Key(encoding: encoding, layout: UInt32(layout.rawValue))
    if let known = recent.value(for: key) { return known }
    let transform = ColorTransform(encoding, layout: layout)
    recent.insert(transform, for: key)
    return transform
  }
}
