import Foundation
import OzuImaging

/// The code that a run feeds, by the value of `OZU_FUZZ_FORMAT`. Every other value is the format of a picture.
private struct FuzzTarget {
  let run: @Sendable (Data) -> Void
  /// Whether numbers are changed as text.
  var isText = false
  /// Inputs to begin with, for those that no file has.
  var samples: @Sendable () -> [Data] = { [] }

  static let all: [String: FuzzTarget] = [
    "http": FuzzTarget(run: fuzzHTTP, isText: true),
    "resp": FuzzTarget(run: fuzzReplies, isText: true),
    "address": FuzzTarget(run: fuzzAddress, isText: true),
    "xmp": FuzzTarget(run: fuzzXMP, isText: true),
    "arguments": FuzzTarget(run: fuzzArguments, isText: true),
    "settings": FuzzTarget(run: fuzzSettings, isText: true),
    "json": FuzzTarget(run: fuzzJSONLines, isText: true),
    "values": FuzzTarget(run: fuzzValues),
    "records": FuzzTarget(run: fuzzRecords, samples: recordSamples),
    "disk": FuzzTarget(run: fuzzDisk, samples: diskSamples),
    "store": FuzzTarget(run: fuzzStore, samples: storeSamples),
    "clean": FuzzTarget(run: fuzzCleaning),
  ]
}

/// Feeds an input. Inputs that a mutation has turned into another format are dropped, for they have a run of their own: then it
/// returns `false`.
@discardableResult
func fuzz(_ file: Data) -> Bool {
  if let target {
    target.run(file)
    return true
  }
  guard case .image(let type) = ContentKind(sniffing: file), fuzzedTypes?.contains(type) ?? true else {
    return false
  }
  if type == .jpeg { fuzzPlanes(of: file) }
  if type == .png || type == .ozuDelta { fuzzThumbnails(of: file, type: type) }
  fuzzPictures(of: file)
  fuzzPreviews(of: file)
  fuzzMetadata(of: file)
  return true
}

/// Returns the input with another number, or `nil` where its bytes shall change at random. Of a text, every third time one number
/// becomes another, because the numbers that break a parser are too long to be found digit by digit; of other inputs, every
/// sixth time.
func changed(_ bytes: UnsafeBufferPointer<UInt8>, _ seed: UInt32) -> [UInt8]? {
  // The fuzzer begins with an empty input where a folder has no files.
  if bytes.count < 2, !samples.isEmpty { return samples[Int(seed) % samples.count] }
  guard target?.isText == true else {
    return seed % 6 == 0 ? AwkwardNumbers.overwritingOne(in: bytes, seed: seed / 6) : nil
  }
  return seed % 3 == 0 ? AwkwardNumbers.replacingOne(in: bytes, seed: seed / 3) : nil
}

#if !OZU_ASAN
  /// LLVM's fuzzer calls this with each input.
  @_cdecl("LLVMFuzzerTestOneInput")
  public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    fuzz(Data(bytes: bytes, count: count)) ? 0 : -1
  }

  /// LLVM's fuzzer calls this to change an input.
  @_cdecl("LLVMFuzzerCustomMutator")
  public func mutate(
    _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ capacity: Int, _ seed: UInt32
  ) -> Int {
    guard let changed = changed(UnsafeBufferPointer(start: bytes, count: count), seed),
      changed.count <= capacity
    else { return mutateAtRandom(bytes, count, capacity) }
    for (index, byte) in changed.enumerated() { bytes[index] = byte }
    return changed.count
  }

  /// The mutations of LLVM's fuzzer.
  @_silgen_name("LLVMFuzzerMutate")
  private func mutateAtRandom(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ capacity: Int) -> Int
#endif

private let format = ProcessInfo.processInfo.environment["OZU_FUZZ_FORMAT"]
private let target = format.flatMap { FuzzTarget.all[$0] }
let samples = (target?.samples() ?? []).map { [UInt8]($0) }
/// `nil` for all.
private let fuzzedTypes = format.map { $0 == "raw" ? ImageType.cameraRAW : [ImageType(rawValue: $0)] }
