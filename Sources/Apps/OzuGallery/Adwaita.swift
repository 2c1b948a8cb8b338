#if GTK
  import CGTK
  import Foundation

  /// GNOME's library for the appearance of programs, loaded at run time if it is installed: its style sheet, and light or dark
  /// by the setting of the desktop. Without it the gallery is a plain GTK program. The build needs no headers and no
  /// package for it.
  @MainActor
  enum Adwaita {
    private typealias Start = @convention(c) () -> Void
    private typealias StyleManager = @convention(c) () -> OpaquePointer?
    private typealias SetColorScheme = @convention(c) (OpaquePointer?, guint) -> Void

    /// Set this variable to use plain GTK; the drills do too.
    private static let isUnwanted = ProcessInfo.processInfo.environment["OZU_PLAIN_GTK"] != nil

    private static let library: UnsafeMutableRawPointer? =
      isUnwanted ? nil : dlopen("libadwaita-1.so.0", RTLD_NOW | RTLD_GLOBAL)

    private static func function<Function>(_ name: String, as type: Function.Type) -> Function? {
      // The types above are those of the library's headers, which promises to keep them in all versions of 1.
      library.flatMap { dlsym($0, name) }.map { unsafeBitCast($0, to: type) }
    }

    /// Whether the library is installed.
    static var isThere: Bool { library != nil }

    /// Starts the library, if it is installed.
    static func start() { function("adw_init", as: Start.self)?() }

    /// Chooses between light and dark.
    ///
    /// - Returns: whether the library is installed.
    static func setAppearance(_ appearance: Look.Appearance) -> Bool {
      guard let manager = function("adw_style_manager_get_default", as: StyleManager.self)?(),
        let set = function("adw_style_manager_set_color_scheme", as: SetColorScheme.self)
      else { return false }
      // ADW_COLOR_SCHEME_DEFAULT, _FORCE_LIGHT and _FORCE_DARK.
      switch appearance {
      case .system: set(manager, 0)
      case .light: set(manager, 1)
      case .dark: set(manager, 4)
      }
      return true
    }
  }
#endif
