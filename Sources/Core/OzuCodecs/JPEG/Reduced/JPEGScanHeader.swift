/// The header of a scan (ITU-T T.81 §B.2.3).
struct JPEGScanHeader {
  struct Part {
    var component: Int
    var dcSlot: Int
    var acSlot: Int
  }

  var parts: [Part]
  /// The coefficients, in zigzag order.
  var first: Int
  var last: Int
  /// The lowest bit of the coefficients that earlier scans had; 0 in a first scan.
  var high: Int
  /// The lowest bit of the coefficients that this scan has.
  var low: Int

  /// Reads the segment after its length; `nil` if it breaks a rule.
  init?(_ segment: Span<UInt8>, frame: ReducedJPEGFrame) {
    guard let count = segment.byte(at: 0).map(Int.init), 1...frame.components.count ~= count,
      segment.count >= 4 + 2 * count
    else { return nil }
    parts = []
    for index in 0..<count {
      let name = segment[1 + 2 * index]
      let tables = segment[2 + 2 * index]
      guard let component = frame.components.firstIndex(where: { $0.identifier == name }),
        !parts.contains(where: { $0.component == component }), tables >> 4 < 4, tables & 15 < 4
      else { return nil }
      parts.append(Part(component: component, dcSlot: Int(tables >> 4), acSlot: Int(tables & 15)))
    }
    first = Int(segment[1 + 2 * count])
    last = Int(segment[2 + 2 * count])
    high = Int(segment[3 + 2 * count] >> 4)
    low = Int(segment[3 + 2 * count] & 15)
    guard frame.isProgressive else {
      // A sequential scan has all coefficients. This ignores the values in its header, as libjpeg does.
      guard count == frame.components.count else { return nil }
      first = 0
      last = 63
      high = 0
      low = 0
      return
    }
    guard low <= 13, high == 0 || high == low + 1 else { return nil }
    if first == 0 {
      guard last == 0 else { return nil }
    } else {
      guard last >= first, last <= 63, count == 1 else { return nil }
    }
  }
}
