#if GTK
  import CGTK
  import Foundation
  import OzuGTK

  @MainActor
  enum Look {
    /// Whether windows are light or dark.
    enum Appearance: Int, Codable, CaseIterable {
      /// By the setting of the desktop.
      case system
      case light
      case dark
    }

    private static let sheet = """
      gridview { padding: 6px; }
      gridview > child { padding: 4px; border-radius: 8px; }
      gridview > child:selected { background: @theme_selected_bg_color; color: @theme_selected_fg_color; }
      .stars { margin: 6px; padding: 0 6px; border-radius: 999px; background: rgba(0, 0, 0, 0.6); color: white;
        font-size: 0.8em; }
      .folder { padding: 6px; }
      .ozu-cell { background: alpha(currentColor, 0.07); border-radius: 4px; }
      .rounded { border-radius: 16px; }
      .ozu-cell-name { font-size: 0.85em; padding: 2px 2px 0 2px; }
      .detail { background: #1c1c1c; color: #f2f2f2; }
      .detail .ozu-failure { padding: 24px; }
      .caption-heading { font-size: 0.82em; font-weight: 600; }
      .ozu-progress { margin: 0; }
      .ozu-progress trough, .ozu-progress progress { min-height: 3px; min-width: 0; border-radius: 0; }
      .ozu-progress trough { background: rgba(0, 0, 0, 0.25); }
      .floating { margin: 12px; min-width: 36px; min-height: 36px; }
      .toast-box { margin: 18px; padding: 8px 8px 8px 18px; border-radius: 999px; background: rgba(56, 56, 56, 0.96);
        color: white; box-shadow: 0 2px 8px rgba(0, 0, 0, 0.4); }
      .toast-box button { color: white; border-radius: 999px; }
      .start-page { padding: 36px; }
      .start-title { font-size: 1.7em; font-weight: 800; }
      .window-title { font-weight: bold; }
      .window-subtitle { font-size: 0.82em; }
      .drop-here { box-shadow: inset 0 0 0 3px @theme_selected_bg_color; }
      .filmstrip { background: #141414; padding: 4px; }
      .filmstrip > row { padding: 3px; border-radius: 6px; background: none; opacity: 0.6; }
      .filmstrip > row:selected { background: alpha(white, 0.35); opacity: 1; }
      .property-name { opacity: 0.65; }
      .property-link { padding: 0; min-height: 0; }
      """

    /// Adds the style sheet to the display, once, over Adwaita's if that is installed.
    static let applied: Void = {
      Adwaita.start()
      let provider = gtk_css_provider_new()
      ozu_css_provider_load(provider, sheet)
      gtk_style_context_add_provider_for_display(
        gdk_display_get_default(), OpaquePointer(provider), guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION))
      prefersDark = isDark
    }()

    /// The setting of the desktop, if plain GTK knows it.
    private static var prefersDark = false

    /// Whether windows are light or dark; the desktop's choice at first.
    static var appearance = Appearance.system {
      didSet {
        _ = applied
        if Adwaita.setAppearance(appearance) { return }
        switch appearance {
        case .system: isDark = prefersDark
        case .light: isDark = false
        case .dark: isDark = true
        }
      }
    }

    private static var isDark: Bool {
      get {
        var value = GValue()
        g_value_init(&value, ozu_type_boolean())
        defer { g_value_unset(&value) }
        g_object_get_property(settings, "gtk-application-prefer-dark-theme", &value)
        return g_value_get_boolean(&value) != 0
      }
      set {
        var value = GValue()
        g_value_init(&value, ozu_type_boolean())
        defer { g_value_unset(&value) }
        g_value_set_boolean(&value, newValue ? 1 : 0)
        g_object_set_property(settings, "gtk-application-prefer-dark-theme", &value)
      }
    }

    private static var settings: UnsafeMutablePointer<GObject> {
      UnsafeMutableRawPointer(gtk_settings_get_default()!).assumingMemoryBound(to: GObject.self)
    }
  }

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
