import Foundation
import Ozu
import OzuBase
import OzuHTTP

/// `ozu explain`: the stored answers for an address, and the decision about a request for it.
enum ExplainCommand: Command {
  static let specification = CommandSpecification(
    name: "explain",
    summary: "Say what is stored for a web address, and what a load would do.",
    synopsis: "URL [--mode MODE] [--cache DIR] [--json]",
    examples: [
      Example("What the cache would do", "ozu explain https://example.com/a.png")
    ],
    discussion: """
      Shows each stored variant: its header fields, its age, how long it is fresh and which rule says so, and what a
      request for the address would do now and why. Nothing is sent.
      """,
    options: [
      HTTPArguments.modeOption,
      .cache, .json,
    ],
    positional: 1...1)

  static func run(_ arguments: ParsedArguments, console: Console) async throws(UsageError) -> ExitStatus {
    let mode = try HTTPArguments.mode(arguments) ?? .default
    let url = try HTTPArguments.url(arguments.positional[0])
    let request = try PipelineArguments.configuration(arguments).exchange(with: url)
    let folder = PipelineArguments.folder(arguments)
    let exists = FileManager.default.fileExists(atPath: folder.path(percentEncoded: false))
    do {
      let disk =
        exists
        ? try await DiskCache.open(
          directory: folder.path(percentEncoded: false),
          configuration: DiskCacheConfiguration(access: .reading) { $0.allowsForeignDirectory = true }) : nil
      let storage: any HTTPCacheStorage = disk.map(DiskHTTPCacheStorage.init) ?? InMemoryHTTPCacheStorage()
      let entries = await storage.entries(for: HTTPCacheKey(request))
      await disk?.close()
      let explanation = Explanation(url: url, entries: entries, request: request, mode: mode, now: Date())
      console.print(arguments.has("json") ? explanation.json.text : explanation.text)
      return .done
    } catch {
      console.printError("ozu explain: \(error.oneLine)")
      return .failed
    }
  }
}

/// The report of `ozu explain`.
struct Explanation {
  let url: URL
  let entries: [HTTPCacheEntry]
  let request: HTTPRequest
  let mode: HTTPCacheMode
  let now: Date

  /// The rules of a pipeline with the default configuration.
  private let policy = HTTPCachePolicy.images

  private var decision: HTTPCacheDecision {
    policy.decide(stored: entries.map(\.response), request: request, mode: mode, now: now)
  }

  private var action: String {
    switch decision.action {
    case .serve: "serve what is stored"
    case .serveAndValidate: "serve what is stored, and validate it in the background"
    case .validate:
      entries.isEmpty
        || policy.conditionalHeaders(for: entries.map(\.response), choice: decision.choice).isEmpty
        ? "ask the origin for the whole" : "ask the origin whether it still holds"
    case .fetch: "ask the origin for the whole"
    case .refuse: "answer 504"
    case .bypass: "ask the origin, and leave the cache alone"
    }
  }

  var text: String {
    var lines = [SourceArgument.shown(url.absoluteString)]
    if entries.isEmpty { lines.append("  nothing is stored") }
    for (index, entry) in entries.enumerated() {
      let response = entry.response
      let freshness = policy.freshness(of: response)
      let left = -policy.staleness(of: response, now: now)
      let isChosen = decision.choice == index && entries.count > 1 ? ", the one that matches" : ""
      lines.append("  stored \(index + 1) of \(entries.count)\(isChosen):")
      lines.append("    status     \(response.status), \(Format.bytes(entry.body.count))")
      if !response.isFrom(url) {
        lines.append("    from       \(SourceArgument.shown(response.url.absoluteString))")
      }
      lines.append("    validated  \(HTTPDate.string(from: response.responseDate))")
      lines.append("    age        \(seconds(policy.age(of: response, now: now)))")
      lines.append("    lifetime   \(seconds(freshness.lifetime)) (\(freshness.source.rawValue))")
      lines.append("    state      \(HTTPDecision.fresh(forSeconds: left).reason)")
      for field in response.selectingHeaders { lines.append("    for        \(field.name): \(field.value)") }
      for field in response.headers { lines.append("    \(field.name): \(field.value)") }
    }
    lines.append("  a request now would \(action): \(decision.reason)")
    return lines.joined(separator: "\n")
  }

  private func seconds(_ seconds: Double) -> String { "\(Int(clamping: seconds)) s" }

  var json: JSON {
    let stored = entries.map { entry -> JSON in
      let response = entry.response
      let freshness = policy.freshness(of: response)
      return .object([
        ("status", .integer(response.status)),
        ("url", .string(SourceArgument.shown(response.url.absoluteString))),
        ("bytes", .integer(entry.body.count)),
        ("validated", .string(HTTPDate.string(from: response.responseDate))),
        ("age", .integer(Int(clamping: policy.age(of: response, now: now)))),
        ("lifetime", .integer(Int(clamping: freshness.lifetime))),
        ("lifetime_by", .string(freshness.source.rawValue)),
        ("fresh", .bool(policy.staleness(of: response, now: now) < 0)),
        (
          "headers",
          .array(response.headers.map { .array([.string($0.name), .string($0.value)]) })
        ),
      ])
    }
    return .report(
      "explanation",
      [
        ("url", .string(SourceArgument.shown(url.absoluteString))), ("stored", .array(stored)),
        ("action", .string(decision.action.rawValue)), ("reason", .string(decision.reason)),
      ])
  }
}
