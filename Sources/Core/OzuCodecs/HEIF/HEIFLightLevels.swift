import OzuBase
import OzuImaging

/// The light levels in the properties of a HEIF or AVIF file's picture (ISO/IEC 14496-12 §12.1.5: `clli` and
/// `mdcv`; ISO/IEC 23008-12 §9.3 for the binding of properties to pictures).
///
/// Read here, because no library version in use returns both of them.
package enum HEIFLightLevels {
  /// `nil` if there are none.
  package static func find(in file: Span<UInt8>) -> LightLevels? {
    guard let box = HEIFBoxList(file, in: 0..<file.count).first("meta") else { return nil }
    let items = HEIFItems(file, meta: HEIFBoxList(file, in: box.fullContent))
    guard let primary = items.primary else { return nil }
    var levels = LightLevels()
    for property in items.properties(of: primary.id) {
      let start = property.content.lowerBound
      if property.name == "clli" {
        levels.maximumContent = file.bigEndian(at: start, bytes: 2).map(Double.init)
        levels.maximumAverage = file.bigEndian(at: start + 2, bytes: 2).map(Double.init)
        levels.forgetUnknownAverage()
      } else if property.name == "mdcv" {
        levels.readMasteringDisplay(file.extracting(property.content), at: 0, .greenFirst)
      }
    }
    return levels == LightLevels() ? nil : levels
  }
}

extension HEIFLightLevels {
  /// The same file with light levels among the properties of its picture, because libavif before 1.0 cannot write
  /// them. `nil` if there is nothing to write, or if no excerpt can be made of the file.
  package static func adding(_ levels: LightLevels, to file: Data) -> Data? {
    var boxes: [(name: BoxName, content: [UInt8])] = []
    if let content = levels.contentLevels(bytes: 2, units: 1) { boxes.append(("clli", content)) }
    if let display = levels.masteringDisplay(.greenFirst) { boxes.append(("mdcv", display)) }
    return boxes.isEmpty ? nil : HEIFExcerpt(file, type: .avif)?.picture(adding: boxes)
  }
}
