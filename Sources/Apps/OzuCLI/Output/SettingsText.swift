#if canImport(OzuServer)
  extension ServeSettings {
    /// The settings that count, as a file of settings: what is as by default is a comment, and so are secrets, without their
    /// values.
    var text: String {
      Self.groups.map { group in
        (["# \(group.title)"] + group.settings.map(line)).joined(separator: "\n")
      }.joined(separator: "\n\n")
    }

    private func line(_ setting: Setting) -> String {
      let value = self[setting.name]
      if setting.isSecret { return "# \(setting.name) \(value.isEmpty ? "=" : "is set, and secret")" }
      let text = value.isEmpty ? "\(setting.name) =" : "\(setting.name) = \(value)"
      return value == setting.standard ? "# \(text)" : text
    }

    /// The tables of all settings, for the page about them.
    static var tables: String {
      groups.map { group in
        let rows = group.settings.map { setting in
          let standard = setting.standard.isEmpty ? "" : "`\(setting.standard)`"
          return
            "| `\(setting.name)` | \(standard) | \(setting.help) | \(setting.isReloadable ? "yes" : "") |"
        }
        return "## \(group.title)\n\n| setting | by default | meaning | at SIGHUP |\n|---|---|---|---|\n"
          + rows.joined(separator: "\n")
      }.joined(separator: "\n\n")
    }
  }
#endif
