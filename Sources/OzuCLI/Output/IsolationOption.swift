import Ozu

extension OptionSpecification {
  /// Where pictures are decoded; see `IsolationOption`.
  static let isolation = OptionSpecification(
    name: "isolation", value: "MODE",
    help: "off, preferred (the default) or required: decode in processes of their own, which may crash.")
}

/// Where a command decodes pictures.
///
/// Those of strangers, from the web and out of folders, in processes of their own, as far as C libraries decode them. A file
/// that is named is the caller's: only a drawing (SVG) is decoded apart then, because a hundred bytes of it can end a
/// process.
enum IsolationOption {
  /// - Parameter isForStrangers: whether named files are taken as those of strangers, too.
  static func isolation(
    _ arguments: ParsedArguments, isForStrangers: Bool = false
  ) throws(UsageError) -> DecoderIsolation {
    // A program that only has this tool in it, as that of the tests, is no helper.
    let standard = Tool.isOwnProgram.load(ordering: .relaxed) ? DecoderIsolation.Mode.preferred : .off
    let name = arguments.value(OptionSpecification.isolation.name) ?? standard.rawValue
    guard let mode = DecoderIsolation.Mode(rawValue: name) else {
      throw UsageError("--isolation \(name): off, preferred or required is needed")
    }
    let areStrangers =
      isForStrangers || mode == .required || arguments.has(OptionSpecification.recursive.name)
      || arguments.positional.contains { !SourceArgument.isFile($0) }
    // This program is its own helper; `main` says so first.
    return DecoderIsolation(
      mode, types: areStrangers ? DecoderIsolation.libraryTypes : [.svg], helper: .thisProgram)
  }
}

extension ImagePipeline.Configuration {
  /// The formats that a pipeline of this configuration reads, but for the one that is for caches alone.
  var readableTypes: [ImageType] {
    var codecs = decoding.codecs
    _ = codecs.isolate(decoding.isolation)
    return codecs.decodableTypes.filter { $0 != .ozuDelta }
  }
}
