#if os(Linux) && canImport(CIsolation)
  import Glibc

  /// The usual folders of fonts and of fontconfig's files.
  package enum FontPaths {
    package static var all: [String] {
      let home = variable("HOME")
      let data = variable("XDG_DATA_HOME") ?? home.map { $0 + "/.local/share" }
      let configuration = variable("XDG_CONFIG_HOME") ?? home.map { $0 + "/.config" }
      let cache = variable("XDG_CACHE_HOME") ?? home.map { $0 + "/.cache" }
      let own = [
        home.map { $0 + "/.fonts" }, data.map { $0 + "/fonts" }, configuration.map { $0 + "/fontconfig" },
        cache.map { $0 + "/fontconfig" }, variable("FONTCONFIG_PATH"), variable("FONTCONFIG_FILE"),
      ]
      return [
        "/etc/fonts", "/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/fontconfig",
        "/var/cache/fontconfig",
        "/usr/share/texmf/fonts", "/usr/X11R6/lib/X11/fonts",
      ] + own.compactMap(\.self)
    }

    private static func variable(_ name: String) -> String? {
      guard let text = getenv(name).map({ String(cString: $0) }), text.hasPrefix("/") else { return nil }
      return text
    }
  }
#endif
