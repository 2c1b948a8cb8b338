import Foundation
import OzuImaging

/// LLVM's fuzzer calls this with each input; `OZU_FUZZ_FORMAT` names the format.
///
/// Inputs that a mutation has turned into another format are dropped: they have a run of their own.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let file = Data(bytes: bytes, count: count)
  guard case .image(let type) = ContentKind(sniffing: file), fuzzedType == nil || type == fuzzedType else {
    return -1
  }
  if type == .jpeg { fuzzPlanes(of: file) }
  if type == .png || type == .ozuDelta { fuzzThumbnails(of: file, type: type) }
  fuzzPictures(of: file)
  fuzzPreviews(of: file)
  fuzzMetadata(of: file)
  return 0
}

private let fuzzedType = ProcessInfo.processInfo.environment["OZU_FUZZ_FORMAT"].map(
  ImageType.init(rawValue:))
