import Ozu

extension OptionSpecification {
  /// Whether pictures are decoded in processes of their own; see `IsolationOption`.
  static let isolation = OptionSpecification(
    name: "isolation", value: "MODE", kind: .words(IsolationOption.modes.map(\.0)),
    help: """
      off, preferred (the default) or required: decode in processes of their own, which may crash; the formats of C \
      libraries, or all.
      """)
}

/// The decision in which process a command decodes pictures.
///
/// Pictures from the web and from folders are untrusted: C libraries decode them in processes of their own. A file that is
/// named on the command line is trusted. Then only a drawing (SVG) is isolated, because a hundred bytes of it can end a
/// process. With `--untrusted` isolation is required, and so for every format.
enum IsolationOption {
  fileprivate static let modes = DecoderIsolation.Mode.allCases.map { ($0.rawValue, $0) }

  /// - Parameter isUntrusted: whether named files are untrusted, too.
  static func isolation(
    _ arguments: ParsedArguments, isUntrusted: Bool = false,
    isOwnProgram: Bool = Tool.isOwnProgram.load(ordering: .relaxed)
  ) throws(UsageError) -> DecoderIsolation {
    // Another program with this code, such as the one of the tests, cannot be the helper.
    let possible = arguments.has("untrusted") ? DecoderIsolation.Mode.required : .preferred
    let standard = isOwnProgram ? possible : .off
    let mode = try arguments.choice(OptionSpecification.isolation.name, among: modes) ?? standard
    let areUntrusted =
      isUntrusted || arguments.has(OptionSpecification.recursive.name)
      || arguments.has(OptionSpecification.from.name)
      || arguments.positional.contains { !SourceArgument.isFile($0) }
    // This program is its own helper: `main` calls `runIfHelper` first.
    return DecoderIsolation(
      mode, types: areUntrusted ? DecoderIsolation.libraryTypes : [.svg], helper: .thisProgram)
  }
}

extension ImagePipeline.Configuration {
  /// The formats that a pipeline of this configuration reads, except for the one that only caches use.
  var readableTypes: [ImageType] {
    var codecs = decoding.codecs
    _ = codecs.isolate(decoding.isolation)
    return codecs.decodableTypes.filter { $0 != .ozuDelta }
  }
}
