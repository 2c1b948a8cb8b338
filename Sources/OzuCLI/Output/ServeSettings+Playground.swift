#if canImport(OzuServer)
  import OzuServer

  extension ServeSettings {
    /// The page to try options on, with its token, if there is to be one.
    ///
    /// It signs addresses for those who have the token. Without one in the settings a token is made and printed, as long as
    /// nobody but this machine can connect; elsewhere it has to be set, so that it is known who has it.
    ///
    /// - Returns: the page, and the token where it was made here; `nil` for none.
    /// - Throws: `UsageError`.
    func playground(
      _ rules: AddressRules, at place: Place
    ) throws(UsageError) -> (page: Playground, madeToken: String?)? {
      let given = self["playground_token"]
      guard try flag("playground") else {
        guard given.isEmpty else {
          throw UsageError("playground_token is set, and playground is not yes")
        }
        return nil
      }
      guard !given.isEmpty || place.isLoopback else {
        throw UsageError(
          "playground = yes: others than this machine can connect there, and whoever opens the page could have any "
            + "address signed",
          hint: "Set playground_token (openssl rand -hex 16 makes one), or listen at 127.0.0.1.")
      }
      let token = given.isEmpty ? Playground.makeToken() : given
      do throws(ServiceConfigurationError) {
        return (try Playground(SignedAddresses(rules), token: token), given.isEmpty ? token : nil)
      } catch {
        throw UsageError("playground_token: \(error.description)")
      }
    }
  }

  extension ServeSettings.Place {
    /// Whether this machine alone can connect. Of a socket in the file system its permissions decide, and nobody knows them here.
    fileprivate var isLoopback: Bool {
      guard case .tcp(let host, _) = self else { return false }
      let parts = host.split(separator: ".", omittingEmptySubsequences: false)
      return host == "::1" || parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
  }
#endif
