import Foundation
import Ozu
import OzuHTTP

@testable import OzuCLI

/// Reads a command line, one argument a line, and the values of its options: sizes, steps, formats, limits, templates. Nothing
/// is loaded or written.
@Sendable
func fuzzArguments(_ input: Data) {
  let lines = String(decoding: input, as: UTF8.self).split(
    separator: "\n", maxSplits: 40, omittingEmptySubsequences: false
  ).map(String.init)
  guard let command = Tool.commands.first(where: { $0.specification.name == lines[0] }),
    let parsed = try? ArgumentParser(command.specification).parse(Array(lines.dropFirst()))
  else { return }
  readSteps(parsed)
  for format in [nil, .jpeg, .png, .avif] as [ImageType?] {
    _ = try? EncodingArguments.outputFormat(parsed, format)
  }
  _ = try? EncodingArguments.format(parsed)
  _ = try? HTTPArguments.mode(parsed)
  _ = try? IsolationOption.isolation(parsed)
  var configuration = ImagePipeline.Configuration()
  if (try? LimitOption.configure(&configuration, parsed)) != nil {
    precondition(configuration.decoding.limits.pixelCount > 0, "a limit of no pixels")
  }
  // Clients of their own would stay.
  if !["untrusted", "allow-host", "cacert"].contains(where: parsed.has) {
    try? NetworkArguments.configure(&configuration, parsed)
  }
  for text in [parsed.value("output"), lines.last].compactMap(\.self) {
    guard let template = try? OutputTemplate(text) else { continue }
    _ = (template.ending, template.folder)
    _ = template.path([.name: "a", .dir: "", .width: "12"])
  }
  for text in parsed.positional {
    _ = SourceArgument.line(text)
    _ = try? HTTPArguments.url(text)
  }
}

private func readSteps(_ parsed: ParsedArguments) {
  guard let sizes = try? ResizeArguments(parsed) else { return }
  for option in parsed.given {
    if option.name == "watermark", let text = option.value { _ = try? WatermarkArgument(text) }
    guard let steps = try? StepArguments.steps(option.name, option.value, sizes) else { continue }
    for step in steps {
      precondition(!step.identifier.isEmpty, "a step without a name")
      guard let size = (step as? Resize)?.size else { continue }
      precondition(max(size.width, size.height) <= 65_535, "a picture that is too large")
    }
  }
}

/// Reads a file of settings of `ozu serve`, and every setting in it.
@Sendable
func fuzzSettings(_ input: Data) {
  let text = String(decoding: input, as: UTF8.self)
  guard let settings = try? ServeSettings(file: text, environment: [:]) else { return }
  _ = try? settings.rules(isInsecure: true)
  _ = try? settings.rules(isInsecure: false)
  _ = try? settings.drainLimit()
  _ = ServeSettings.address(settings["listen"])
  // Stores have connections, which would stay.
  let isAlone = settings["redis"].isEmpty && settings["s3_endpoint"].isEmpty
  guard isAlone, let configuration = try? settings.configuration() else { return }
  precondition(configuration.pipeline.decoding.limits.pixelCount > 0, "a limit of no pixels")
}

/// Reads lines of requests.
@Sendable
func fuzzJSONLines(_ input: Data) {
  for line in String(decoding: input, as: UTF8.self).split(separator: "\n", maxSplits: 8) {
    let parsed = JSONLinesSession.parse(String(line))
    var text: [UInt8] = []
    JSON.object([("id", parsed.id)]).write(to: &text)
    precondition(
      (try? JSONSerialization.jsonObject(with: Data(text))) != nil, "an answer that is not JSON")
    guard case .success(let (request, _)) = parsed.request else { continue }
    _ = HTTPCacheKey(request).resource
  }
}
