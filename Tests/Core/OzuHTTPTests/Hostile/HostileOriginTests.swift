#if os(Linux)
  import Foundation
  import OzuTesting
  import Testing

  @testable import OzuHTTP

  extension HostileCase {
    /// A family of cases, with its heading in the page.
    struct Family: Sendable {
      let title: String
      let cases: [HostileCase]
    }

    static let families = [
      Family(title: "Where a body ends", cases: HostileFraming.cases),
      Family(title: "Status lines and fields", cases: HostileHeads.cases),
      Family(title: "Content codings", cases: HostileCodings.cases),
      Family(title: "Redirects", cases: HostileRedirects.cases),
      Family(title: "Credentials", cases: HostileCredentials.cases),
      Family(title: "Statuses", cases: HostileStatuses.cases),
      Family(title: "Connections", cases: HostileConnections.cases),
      Family(title: "Secure connections", cases: HostileSecure.cases),
      Family(title: "Resumption", cases: HostileResume.cases),
      Family(title: "Caching", cases: HostileCaching.cases),
    ]
  }

  @Suite("A hostile origin", .timeLimit(.minutes(15)))
  struct HostileOriginTests {
    @Test(
      "gets the outcome of its verdict",
      arguments: HostileCase.families.filter { $0.title != "Secure connections" }.flatMap(\.cases))
    func verdict(_ item: HostileCase) async throws {
      try await check(item)
    }

    @Test(
      "with a certificate gets the outcome of its verdict", .enabled(if: SecureServer.isAvailable),
      arguments: HostileSecure.cases)
    func secureVerdict(_ item: HostileCase) async throws {
      try await check(item)
    }

    private func check(_ item: HostileCase) async throws {
      let seen = try await item.play(HostileStage())
      #expect(item.verdict.accepts(seen), "\(item.what): \(seen)")
    }
  }

  @Suite("The page of verdicts")
  struct HostileTableTests {
    private static let page = Repository.url("Sources/Core/OzuHTTP/OzuHTTP.docc/HostileOrigins.md")

    @Test("has every case with its verdict, and no other", arguments: HostileCase.families.map(\.title))
    func table(_ title: String) throws {
      let family = try #require(HostileCase.families.first { $0.title == title })
      let sections = try String(contentsOf: Self.page, encoding: .utf8).components(separatedBy: "\n### ")
      let section = try #require(sections.first { $0.hasPrefix(title + "\n") })
      let rows = section.split(separator: "\n").filter { $0.hasPrefix("| ") }.map(String.init)
      #expect(rows == ["| case | the origin sends or does | verdict |"] + family.cases.map(\.row))
    }

    @Test("names no case twice, and has at least 110")
    func names() {
      let names = HostileCase.families.flatMap(\.cases).map(\.name)
      #expect(Set(names).count == names.count)
      #expect(names.count >= 110)
    }
  }

  extension HostileCase {
    var row: String { "| \(name) | \(what) | \(verdict) |" }
  }
#endif
