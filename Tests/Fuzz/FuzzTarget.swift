import Foundation
import OzuImaging

/// LLVM's fuzzer calls this with each input; `OZU_FUZZ_FORMAT` names the format of a picture, or one of `texts`.
///
/// Inputs that a mutation has turned into another format are dropped: they have a run of their own.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let file = Data(bytes: bytes, count: count)
  if let fuzzText {
    fuzzText(file)
    return 0
  }
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

/// LLVM's fuzzer calls this to change an input. Of a text, every third time one number becomes another, because the
/// numbers that break a parser are too long to be found digit by digit.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(
  _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ capacity: Int, _ seed: UInt32
) -> Int {
  if fuzzText != nil, seed % 3 == 0,
    let changed = AwkwardNumbers.replacingOne(
      in: UnsafeBufferPointer(start: bytes, count: count), seed: seed / 3),
    changed.count <= capacity
  {
    for (index, byte) in changed.enumerated() { bytes[index] = byte }
    return changed.count
  }
  return mutateAtRandom(bytes, count, capacity)
}

/// The mutations of LLVM's fuzzer.
@_silgen_name("LLVMFuzzerMutate")
private func mutateAtRandom(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ capacity: Int) -> Int

private let format = ProcessInfo.processInfo.environment["OZU_FUZZ_FORMAT"]
private let texts: [String: @Sendable (Data) -> Void] = [
  "http": fuzzHTTP(_:), "resp": fuzzReplies(_:), "address": fuzzAddress(_:), "xmp": fuzzXMP(_:),
]
private let fuzzText = format.flatMap { texts[$0] }
private let fuzzedType = format.map(ImageType.init(rawValue:))
