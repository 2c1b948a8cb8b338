#if os(Linux) && canImport(CIsolation)
  import CIsolation

  /// Random numbers of the system, one for each request: earlier numbers do not reveal the next. Several are
  /// fetched at a time, because each fetch is a system call.
  struct WorkerTokens {
    private var tokens: [UInt64] = []

    private static let count = 32

    mutating func next() -> UInt64 {
      if let token = tokens.popLast() { return token }
      var fresh = [UInt64](repeating: 0, count: Self.count)
      let code = fresh.withUnsafeMutableBytes { ozu_random($0.baseAddress, $0.count) }
      guard code == 0 else { return .random(in: .min ... .max) }
      tokens = fresh
      return tokens.removeLast()
    }
  }
#endif
