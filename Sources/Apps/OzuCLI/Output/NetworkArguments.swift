import Foundation
import Ozu
import OzuHTTP

/// The options of the commands that use the network: timeouts, retries and allowed hosts.
enum NetworkArguments {
  static let options: [OptionSpecification] = [
    OptionSpecification(
      name: "timeout", value: "SECONDS",
      help: "The limit on one download, retries included; 120 by default."),
    OptionSpecification(
      name: "connect-timeout", value: "SECONDS", help: "The limit on making a connection; 10 by default."),
    OptionSpecification(
      name: "retries", value: "N", help: "How often an interrupted download is tried again; 2 by default."),
    OptionSpecification(
      name: "untrusted",
      help: """
        For addresses from strangers: public hosts only, no files, lower limits, isolation required, and a cache of their own \
        without --cache.
        """),
    OptionSpecification(
      name: "allow-host", value: "HOST,…",
      help: "Ask only these hosts, also after redirects; *.example.com is every host below it."),
    OptionSpecification(
      name: "cacert", value: "FILE", kind: .file,
      help: "Trust only the authorities in this PEM file; by default those of SSL_CERT_FILE or the system."),
  ]

  /// Changes the defaults of a pipeline by the options.
  static func configure(
    _ configuration: inout ImagePipeline.Configuration, _ arguments: ParsedArguments
  ) throws(UsageError) {
    var client = HTTPClientConfiguration()
    if let path = arguments.value("cacert") {
      guard access(path, F_OK) == 0, !OutputFile.isFolder(path) else {
        throw UsageError("--cacert \(path): there is no such file")
      }
      client.certificateAuthorities = .file(path: path)
    }
    if let hosts = try hosts(arguments) { client.hostRule = .only(hosts) }
    if arguments.has("untrusted") {
      client.networkGuard = .publicAddressesOnly
      configuration.restrictToUntrustedSources(hosts: client.hostRule)
    }
    configuration.network.hostRule = client.hostRule
    // Without such options a command uses the client of the process.
    if client != HTTPClientConfiguration() {
      configuration.network.httpClient = DefaultHTTPClient(configuration: client)
    }
    if let total = try seconds("timeout", arguments) { configuration.network.timeouts.total = total }
    if let connect = try seconds("connect-timeout", arguments) {
      configuration.network.timeouts.connect = connect
    }
    if let count = try arguments.integer("retries", in: 0...10) {
      configuration.network.retryPolicy.maximumRetryCount = count
    }
  }

  private static func hosts(_ arguments: ParsedArguments) throws(UsageError) -> [String]? {
    guard let text = arguments.value("allow-host") else { return nil }
    let hosts = text.split(separator: ",").map { $0.filter { $0 != " " } }.filter { !$0.isEmpty }
    if hosts.isEmpty { throw UsageError("--allow-host \(text): a host is needed") }
    return hosts
  }

  private static func seconds(
    _ name: String, _ arguments: ParsedArguments
  ) throws(UsageError) -> Duration? {
    guard let text = arguments.value(name) else { return nil }
    guard let number = Double(text), number >= 0.001, number <= 86_400 else {
      throw UsageError("--\(name) \(text): seconds are needed, from 0.001 to 86400")
    }
    return .seconds(number)
  }
}

/// The arguments that the HTTP commands share.
enum HTTPArguments {
  static func mode(_ arguments: ParsedArguments) throws(UsageError) -> HTTPCacheMode? {
    try arguments.choice("mode", among: HTTPCacheMode.allCases.map { ($0.rawValue, $0) })
  }

  static let modeOption = OptionSpecification(
    name: "mode", value: "MODE", kind: .words(HTTPCacheMode.allCases.map(\.rawValue)),
    help: "default, no-store, reload, no-cache, force-cache or only-if-cached.")

  static func url(_ text: String) throws(UsageError) -> URL {
    guard let url = URL(webAddress: text), ["http", "https"].contains(url.scheme?.lowercased()) else {
      throw UsageError(
        "\(SourceArgument.shown(text)): a web address is needed",
        hint: "For example: https://example.com/a.jpg")
    }
    return url
  }
}
