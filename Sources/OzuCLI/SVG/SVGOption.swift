import Ozu

extension OptionSpecification {
  /// Reads SVG too; see `SVGOption`.
  static let svg = OptionSpecification(
    name: "svg", help: "Draw SVG too, each in a process of its own with limits on its time and memory.")
}

/// What `--svg` does: the drawings of strangers are read by who asks for them, and never drawn in this process.
enum SVGOption {
  static func configure(_ codecs: inout CodecRegistry, _ arguments: ParsedArguments) {
    #if SVG && os(Linux)
      if arguments.has(OptionSpecification.svg.name) {
        codecs.register(decoder: SVGProcessDecoder())
      } else {
        codecs.explainAbsence(of: .svg, "it is drawn with --svg only, in a process of its own")
      }
    #endif
  }
}
