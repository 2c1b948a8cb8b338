#if canImport(OzuServer)
  import OzuServer

  extension ServeSettings {
    /// The page to try options on, with its token, if the settings ask for it.
    ///
    /// The page signs addresses for users who have the token. If only this machine can connect and the settings have no
    /// token, one is made and printed. If others can connect, the settings must have one.
    ///
    /// - Returns: the page, and the token if it was made here; `nil` without a page.
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
          "playground = yes: other machines can connect there, and everybody who opens the page could get a signature "
            + "for any address",
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
    /// Whether only this machine can connect. False for a socket in the file system: its permissions are not known here.
    fileprivate var isLoopback: Bool {
      guard case .tcp(let host, _) = self else { return false }
      let parts = host.split(separator: ".", omittingEmptySubsequences: false)
      return host == "::1" || parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
  }
#endif
