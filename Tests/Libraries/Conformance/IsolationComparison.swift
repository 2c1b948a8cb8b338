import Foundation
import OzuImaging
import OzuIsolation
import OzuLibraryCodecs
import OzuStandardCodecs

/// Decodes files in this process and in isolation, and reports the differences.
struct IsolationComparison {
  private let here = CodecRegistry.standardWithDrawings
  private let apart: CodecRegistry
  private let report: IsolationReport

  /// How many frames of an animation are compared, from the first on; the last is compared too.
  private static let comparedFrames = 4

  /// Formats that are not isolated by default are isolated here.
  init() throws {
    let types = DecoderIsolation.libraryTypes.union([.jpeg, .png, .gif, .bmp, .ico])
    var codecs = CodecRegistry.standardWithDrawings
    // The decoder of drawings is marked as built in here; the isolated process has it too.
    codecs.markBuiltIn()
    let report = codecs.isolate(DecoderIsolation(.required, types: types, helper: .thisProgram))
    guard let report else { throw CocoaError(.featureUnsupported) }
    (apart, self.report) = (codecs, report)
  }

  var status: IsolationStatus { report.status }

  /// The difference, in words; `nil` if there is none.
  ///
  /// - Parameters:
  ///   - isSafeHere: whether the file may be decoded in this process.
  ///   - failures: gets how decoders failed in isolation, of a file that may end them.
  func difference(_ data: Data, isSafeHere: Bool, failures: inout [String]) -> String? {
    for resize in [nil, Resize(PixelSize(60, 50), mode: .aspectFill, crops: true)] {
      for policy in [ColorPolicy.convertToSRGB, .keep] {
        let other = Self.picture(apart, data, resize, policy)
        if case .failure(.decoderFailed(_, let failure)) = other {
          if isSafeHere { return "\(failure)" }
          failures.append("\(failure)")
        }
        guard isSafeHere else { continue }
        let own = Self.picture(here, data, resize, policy)
        if let difference = Self.difference(own, other) {
          return "\(difference), \(resize?.identifier ?? "whole"), \(policy)"
        }
      }
    }
    guard isSafeHere else { return nil }
    let (own, other) = (try? here.metadata(of: data), try? apart.metadata(of: data))
    return own == other ? nil : "other metadata"
  }

  private static func picture(
    _ codecs: CodecRegistry, _ data: Data, _ resize: Resize?, _ policy: ColorPolicy
  ) -> Result<Picture, ImageDecodingError> {
    Result { () throws(ImageDecodingError) in
      try codecs.picture(from: data, resize: resize, context: DecodingContext(colorPolicy: policy))
    }
  }

  private static func difference(
    _ own: Result<Picture, ImageDecodingError>, _ other: Result<Picture, ImageDecodingError>
  ) -> String? {
    switch (own, other) {
    case (.failure(let first), .failure(let second)):
      return first == second ? nil : "\(second) instead of \(first)"
    case (.failure(let error), .success): return "a picture instead of \(error)"
    case (.success, .failure(let error)): return "\(error) instead of a picture"
    case (.success(let first), .success(let second)):
      var header = first.header
      // Planes and cut files are not sent between processes.
      header?.planeLayout = nil
      header?.regionUnit = nil
      if header != second.header { return "another header" }
      if first.notes != second.notes { return "other notes" }
      if !isEqual(first.bitmap, second.bitmap) { return "other pixels" }
      return difference(first.animation, second.animation)
    }
  }

  private static func difference(_ own: PictureAnimation?, _ other: PictureAnimation?) -> String? {
    guard let own, let other else { return (own == nil) == (other == nil) ? nil : "frames and none" }
    if own.delays != other.delays || own.loopCount != other.loopCount { return "other times" }
    for index in Set(Array(0..<min(own.frameCount, comparedFrames)) + [own.frameCount - 1]).sorted() {
      switch (try? own.frame(at: index), try? other.frame(at: index)) {
      case (nil, nil): break
      case (let first?, let second?) where isEqual(first, second): break
      default: return "another frame \(index)"
      }
    }
    return nil
  }

  /// Compares pixels, opacity and colour space.
  private static func isEqual(_ first: Bitmap, _ second: Bitmap) -> Bool {
    first == second && first.isOpaque == second.isOpaque && first.colorSpace == second.colorSpace
  }
}
