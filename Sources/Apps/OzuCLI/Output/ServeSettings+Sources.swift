#if canImport(OzuServer)
  import Foundation
  import OzuHTTP
  import OzuServer
  import OzuSharedStores

  /// Where pictures may come from, beside the web.
  extension ServeSettings {
    /// Sets the rules for local folders, buckets, rewritten addresses and private origins.
    func setOrigins(_ rules: inout AddressRules) throws(UsageError) {
      rules.folders = try folders()?.names ?? []
      rules.access = try originAccess()
      do throws(AddressRulesError) {
        if !self["base_address"].isEmpty { rules.base = try AddressRewrite(to: self["base_address"]) }
      } catch {
        throw UsageError("base_address: \(error.description)")
      }
      for text in list("rewrites") {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else {
          throw UsageError("rewrites: BEGINNING=ADDRESS/ is needed, not \(text)")
        }
        do throws(AddressRulesError) {
          rules.rewrites.append(try AddressRewrite(parts[0], to: parts[1]))
        } catch {
          throw UsageError("rewrites: \(error.description)")
        }
      }
    }

    func folders() throws(UsageError) -> LocalFolders? {
      var paths: [String: String] = [:]
      for text in list("folders") {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        let path = parts[parts.count - 1]
        guard path.hasPrefix("/") else {
          throw UsageError(
            "folders: \(text): a path from the root is needed", hint: "For example: photos=/srv/photos")
        }
        guard paths.updateValue(path, forKey: parts.count == 2 ? parts[0] : "") == nil else {
          throw UsageError("folders: \(text): there is another folder with this name")
        }
      }
      let lifetime = Duration.seconds(try integer("folder_age", in: 0...31_536_000))
      guard !paths.isEmpty else { return nil }
      do throws(AddressRulesError) {
        var folders = try LocalFolders(paths)
        folders.lifetime = lifetime
        return folders
      } catch {
        throw UsageError("folders: \(error.description)")
      }
    }

    /// The buckets of `buckets`, and the fields of `origin_fields`.
    func originAccess() throws(UsageError) -> OriginAccess {
      var access = OriginAccess(buckets: try buckets())
      for text in list("origin_fields", ";") {
        let parts = text.split(separator: " ", maxSplits: 1)
        let field = parts.count == 2 ? parts[1].split(separator: ":", maxSplits: 1) : []
        // The text may have a password, so no message has it.
        guard field.count == 2 else { throw UsageError("origin_fields: ADDRESS NAME: VALUE is needed") }
        let (name, value) = (String(field[0]), field[1].trimmingCharacters(in: .whitespaces))
        do throws(AddressRulesError) {
          access.fields.append(try OriginFields(String(parts[0]), [name: value]))
        } catch {
          throw UsageError("origin_fields: \(error.description)")
        }
      }
      return access
    }

    func fallback() throws(UsageError) -> FallbackPicture? {
      let (path, status) = (self["fallback"], self["fallback_status"])
      let lifetime = try integer("fallback_age", in: 0...31_536_000)
      guard !path.isEmpty else {
        guard status.isEmpty else { throw UsageError("fallback_status is set, but no fallback") }
        return nil
      }
      do {
        var fallback = FallbackPicture(try Data(contentsOf: URL(fileURLWithPath: path)))
        fallback.lifetime = lifetime
        if !status.isEmpty {
          let number = try integer("fallback_status", in: 200...599)
          // Answers with these have no body, or a part of one.
          guard ![204, 205, 206, 304].contains(number) else {
            throw UsageError("fallback_status = \(status): browsers show no picture with this status")
          }
          fallback.status = number
        }
        return fallback
      } catch let error as UsageError {
        throw error
      } catch {
        throw UsageError("fallback = \(path): \(error.oneLine)")
      }
    }

    private func buckets() throws(UsageError) -> S3Buckets? {
      let names = list("buckets")
      guard !names.isEmpty else {
        // Keys in the environment may be for other programs.
        let given = ["buckets_endpoint", "buckets_style", "buckets_ca"].first { !self[$0].isEmpty }
        if let given { throw UsageError("\(given) is set, but no buckets") }
        return nil
      }
      var endpoint: URL?
      if !self["buckets_endpoint"].isEmpty {
        guard let url = URL(string: self["buckets_endpoint"]) else {
          throw UsageError("buckets_endpoint = \(self["buckets_endpoint"]): an address is needed")
        }
        endpoint = url
      }
      let style = S3Buckets.Style(rawValue: self["buckets_style"])
      guard style != nil || self["buckets_style"].isEmpty else {
        throw UsageError("buckets_style = \(self["buckets_style"]): host or path is needed")
      }
      let (key, secret, token) = (
        self["buckets_access_key"], self["buckets_secret_key"], self["buckets_session_token"]
      )
      guard key.isEmpty == secret.isEmpty else {
        throw UsageError("buckets_access_key and buckets_secret_key belong together")
      }
      let authorities = try certificateAuthorities("buckets_ca")
      do throws(S3Store.InvalidConfiguration) {
        var buckets = try S3Buckets(
          endpoint: endpoint, names: Set(names), region: self["buckets_region"], style: style,
          credentials: key.isEmpty
            ? nil
            : S3Credentials(accessKey: key, secretKey: secret, sessionToken: token.isEmpty ? nil : token))
        buckets.connections.certificateAuthorities = authorities
        return buckets
      } catch {
        throw UsageError("buckets: \(error.description)")
      }
    }
  }
#endif
