#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The files that text in a drawing needs.
enum FontFiles {
  /// Fonts, the settings and caches of fontconfig, and what libraries ask of the system about languages.
  static var paths: [String] {
    let environment = ProcessInfo.processInfo.environment
    let home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 }
    func inHome(_ name: String, _ path: String) -> [String] {
      if let folder = environment[name], !folder.isEmpty { return [folder] }
      return home.map { ["\($0)/\(path)"] } ?? []
    }
    var paths = [
      "/etc/fonts", "/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/fontconfig", "/usr/share/X11/fonts",
      "/usr/share/texmf/fonts", "/var/cache/fontconfig", "/usr/share/locale", "/usr/lib/locale",
      "/etc/ld.so.cache", "/etc/localtime",
    ]
    paths += home.map { ["\($0)/.fonts"] } ?? []
    paths += inHome("XDG_DATA_HOME", ".local/share").map { "\($0)/fonts" }
    paths += inHome("XDG_CACHE_HOME", ".cache").map { "\($0)/fontconfig" }
    paths += inHome("XDG_CONFIG_HOME", ".config").map { "\($0)/fontconfig" }
    paths += ["FONTCONFIG_PATH", "FONTCONFIG_FILE"].compactMap { environment[$0] }.filter { !$0.isEmpty }
    return paths
  }
}
