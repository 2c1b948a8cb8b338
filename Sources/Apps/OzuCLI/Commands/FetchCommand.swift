import Foundation
import Ozu
import OzuHTTP

/// `ozu fetch`: gets bytes through the HTTP cache, and says where they came from.
enum FetchCommand: Command {
  static let specification = CommandSpecification(
    name: "fetch",
    summary: "Get the bytes of web addresses through the HTTP cache.",
    synopsis: OptionSpecification.synopsis("URL… | --json-lines", options),
    examples: [
      Example("The body into a file", "ozu fetch https://example.com/a.png > a.png"),
      Example("Where it comes from, and why", "ozu fetch -v https://example.com/a.png > a.png"),
      Example(
        "With the answer of the cache, however old",
        "ozu fetch --mode force-cache https://example.com/a.png > a.png"),
      Example("For programs", "ozu fetch --json-lines < requests.jsonl"),
    ],
    discussion: """
      Writes the bodies to standard output, one after the other. With -v each address gets a line on standard
      error: its status, where the answer came from (network, cache, revalidated, stale) and why. The rules, limits
      and retries are those of `ozu load`, and so are the cache and the formats that a server is asked for (Accept).

      With --json-lines requests are read from standard input, one JSON object in a line:

        {"id": 1, "method": "GET", "url": "…", "headers": [["name", "value"]],
         "body": "base64", "cache": "default", "redirect": "follow"}

      Only url is needed; cache is a MODE, redirect is follow or manual. Each gets a line on standard output:

        {"id": 1, "status": 200, "headers": […], "body": "base64",
         "from": "cache", "reason": "fresh for 3h"}

      or {"id": 1, "error": "…"}, with the version and the kind of the line, as everywhere with --json. Requests for one
      address are performed in the order of their lines, others at the same time; an answer is written when it is ready.
      Without --cache the answers are kept in memory, up to 4 MB, until the command ends. Only the rules of RFC 9111
      hold here: an answer that states no lifetime is validated each time, and an error of the server is kept if it
      states one.
      """,
    options: options,
    positional: 0...Int.max - 1)

  private static let options: [OptionSpecification] =
    [
      OptionSpecification(name: "verbose", letter: "v", help: "Say where each answer came from, and why."),
      HTTPArguments.modeOption,
      OptionSpecification(name: "json-lines", help: "Read requests from standard input; write answers."),
      OptionSpecification(
        name: "errors-as-504",
        help: "With --json-lines, answer for an origin that cannot be reached with status 504."),
      .cache,
    ] + NetworkArguments.options

  /// The capacity of a cache in memory, which lasts as long as the command.
  private static let memoryByteCount = 4 << 20

  static func run(_ arguments: ParsedArguments, console: Console) async throws(UsageError) -> ExitStatus {
    let mode = try HTTPArguments.mode(arguments)
    if arguments.has("json-lines") {
      guard arguments.positional.isEmpty else {
        throw UsageError("--json-lines reads its addresses from standard input")
      }
      if mode != nil { throw UsageError("with --json-lines each request names its own mode") }
      if let name = ["timeout", "connect-timeout", "retries"].first(where: { arguments.value($0) != nil }) {
        throw UsageError("--\(name): with --json-lines requests are sent once, with the default limits")
      }
    } else if arguments.has("errors-as-504") {
      throw UsageError("--errors-as-504 can only be used with --json-lines")
    } else if arguments.positional.isEmpty {
      throw UsageError("fetch needs an address", hint: "Usage: \(HelpText.usage(specification))")
    }
    let urls = try arguments.positional.map { (text) throws(UsageError) in try HTTPArguments.url(text) }
    let settings = try PipelineArguments.configuration(arguments)
    do {
      let isSession = arguments.has("json-lines")
      if isSession { Heap.shareAmongThreads() }
      let isLasting = !isSession || arguments.value("cache") != nil
      var rules = settings.httpCache
      rules.keepsErrorBodies = true
      if isSession { (rules.policy, rules.retryPolicy) = (.standard, .none) }
      let folder = PipelineArguments.folder(arguments).path(percentEncoded: false)
      let disk = isLasting ? try await DiskCache.open(directory: folder) : nil
      let storage: any HTTPCacheStorage =
        disk.map(DiskHTTPCacheStorage.init) ?? InMemoryHTTPCacheStorage(byteLimit: memoryByteCount)
      let cache = HTTPCache(client: settings.network.httpClient, storage: storage, configuration: rules)
      let isDone =
        isSession
        ? await JSONLinesSession(
          cache: cache, hostRule: settings.network.hostRule, console: console,
          answersDisconnection: arguments.has("errors-as-504")
        ).run()
        : await fetch(
          urls.map { settings.exchange(with: $0) }, settings.network.hostRule, cache, mode ?? .default,
          console,
          isVerbose: arguments.has("verbose"))
      await cache.backgroundValidations()
      await disk?.close()
      return isDone ? .done : .failed
    } catch {
      console.printError("ozu fetch: \(error.oneLine)")
      return .failed
    }
  }

  private static func fetch(
    _ requests: [HTTPRequest], _ hostRule: HTTPHostRule, _ cache: HTTPCache, _ mode: HTTPCacheMode,
    _ console: Console, isVerbose: Bool
  ) async -> Bool {
    var isDone = true
    for request in requests {
      let url = request.url
      do throws(HTTPError) {
        // The rule holds for stored answers too.
        try hostRule.check(url)
        let answer = try await cache.response(for: request, mode: mode)
        if isVerbose {
          console.printError(
            "\(SourceArgument.shown(url.absoluteString)): \(answer.status) from \(answer.decision), "
              + Format.bytes(answer.body.count))
        }
        if answer.status >= 400 {
          let place = answer.decision.place == .cache ? "cache" : "server"
          console.printError(
            "ozu: \(SourceArgument.shown(url.absoluteString)): the \(place) answered \(answer.status)")
          isDone = false
        }
        console.writeData(answer.body)
      } catch {
        console.printError("ozu: \(error.message)")
        isDone = false
      }
    }
    return isDone
  }
}
