#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ImageDecoding {
  /// Opens a file and checks that its header is possible: sizes, plans and budgets are computed from it.
  ///
  /// A decoder may belong to an app. Every header is checked here before it is used.
  ///
  /// - Throws: the errors of `open`; `corrupt` for an impossible header.
  func openChecked(_ data: Data, limits: DecodingLimits) throws(DecodingError) -> any ImageFile {
    let file = try open(data, limits: limits)
    try check(file.header)
    return file
  }

  /// Whether a header is possible for a file of the decoder's types.
  func makesSense(_ header: ImageHeader) -> Bool { header.flaw(from: types) == nil }

  /// Refuses a header that is impossible for the decoder's types.
  ///
  /// - Throws: `corrupt`, with the reason.
  func check(_ header: ImageHeader) throws(DecodingError) {
    guard let flaw = header.flaw(from: types) else { return }
    throw .corrupt(types.first ?? header.type, stage: "header", reason: flaw)
  }
}

extension ImageHeader {
  /// Why a header is impossible for a decoder of some types, in words; `nil` if it is possible.
  fileprivate func flaw(from types: [ImageType]) -> String? {
    if !types.contains(type) { return "its decoder calls it \(type.displayName)" }
    if storedSize.width < 0 || storedSize.height < 0 { return "a picture of \(storedSize) pixels" }
    if frameCount < 1 { return "it has \(frameCount) frames" }
    if bitsPerComponent < 1 { return "colours of \(bitsPerComponent) bits" }
    return planeLayout?.flaw
  }
}

extension PlaneLayout {
  /// The same for planes: a chroma sample covers 1 to 4 pixels on each side; no format has other numbers.
  fileprivate var flaw: String? {
    if let step = chromaStep, !(1...4 ~= step.horizontal && 1...4 ~= step.vertical) {
      return "chroma for each \(step.horizontal) by \(step.vertical) pixels"
    }
    if let stripRows, !(1...64 ~= stripRows) { return "strips of \(stripRows) rows" }
    if case .wholePlanes(let bytes) = source, !(1...32 ~= bytes) { return "planes of \(bytes) bytes a pixel" }
    return nil
  }
}
