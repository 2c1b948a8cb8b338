#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ImageDecoding {
  /// Opens a file whose header can be one: sizes, plans and budgets are worked out from it.
  ///
  /// A decoder may be an app's own. Every header goes through here before anything is made of it.
  ///
  /// - Throws: what `open` throws; `corrupt` for a header that no file has.
  func openChecked(_ data: Data, limits: DecodingLimits) throws(DecodingError) -> any ImageFile {
    let file = try open(data, limits: limits)
    try check(file.header)
    return file
  }

  /// Whether a file of the decoder's types can have a header.
  func makesSense(_ header: ImageHeader) -> Bool { header.flaw(from: types) == nil }

  /// Refuses a header that no file of the decoder's types has.
  ///
  /// - Throws: `corrupt`, with what is wrong.
  func check(_ header: ImageHeader) throws(DecodingError) {
    guard let flaw = header.flaw(from: types) else { return }
    throw .corrupt(types.first ?? header.type, stage: "header", reason: flaw)
  }
}

extension ImageHeader {
  /// What is wrong with the header of a decoder of some types, in words; `nil` for one that makes sense.
  fileprivate func flaw(from types: [ImageType]) -> String? {
    if !types.contains(type) { return "its decoder calls it \(type.displayName)" }
    if storedSize.width < 0 || storedSize.height < 0 { return "a picture of \(storedSize) pixels" }
    if frameCount < 1 { return "it has \(frameCount) frames" }
    if bitsPerComponent < 1 { return "colours of \(bitsPerComponent) bits" }
    return planeLayout?.flaw
  }
}

extension PlaneLayout {
  /// The same for planes: a chroma sample stands for 1 to 4 pixels a side, which is all that a format has.
  fileprivate var flaw: String? {
    if let step = chromaStep, !(1...4 ~= step.horizontal && 1...4 ~= step.vertical) {
      return "chroma for each \(step.horizontal) by \(step.vertical) pixels"
    }
    if case .wholePlanes(let bytes) = source, !(1...32 ~= bytes) { return "planes of \(bytes) bytes a pixel" }
    return nil
  }
}
