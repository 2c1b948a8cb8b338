import OzuBase

extension ImageHeader {
  /// The part of the stored picture to cut out of the file for a region of it; `nil` if the file cannot be cut, or
  /// if cutting saves little.
  ///
  /// It is the region with all pixels that filters read beyond its edges, so that the result equals that of the
  /// whole file; rounded up to whole squares (`regionUnit`).
  ///
  /// - Parameters:
  ///   - shown: the region, as stored.
  ///   - output: the size at which the region is shown.
  func cut(around shown: PixelRegion, output: PixelSize, resize: Resize?) -> PixelRectangle? {
    guard let resize, resize.region != nil, let unit = regionUnit, !unit.isEmpty else { return nil }
    // A reduced decode has at least one and a half samples for each pixel of the result (`PlaneReduction`), so the
    // reach of the filter is counted in pixels of the result. Two samples are added for enlarging chroma and for
    // lifting detail.
    func range(_ origin: Double, _ length: Double, _ count: Int, _ whole: Int, _ unit: Int) -> Range<Int> {
      let reach = resize.kernel.support * max(1, length / Double(count)) * 4 / 3 + 16
      let first = Int(clamping: max(0, origin - reach)) / unit * unit
      let last = min(whole, Int(clamping: origin + length + reach, rounded: .up))
      return first..<min(whole, (last + unit - 1) / unit * unit)
    }
    let columns = range(shown.x, shown.width, output.width, storedSize.width, unit.width)
    let rows = range(shown.y, shown.height, output.height, storedSize.height, unit.height)
    let cut = PixelRectangle(
      x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    return cut.size.pixelCount <= storedSize.pixelCount / 2 ? cut : nil
  }
}

extension PixelRegion {
  /// The region in a picture that begins `columns` to the right of this one and `rows` below its top.
  func moved(left columns: Int, up rows: Int) -> PixelRegion {
    PixelRegion(x: x - Double(columns), y: y - Double(rows), width: width, height: height)
  }
}
