#if GTK
  import CGTK
  import OzuGTK

  /// The actions of a window, by name: a group of GTK's actions that menus and buttons find as `win.NAME`.
  @MainActor
  final class WindowActions {
    /// The group, to be put into the window; owned.
    let group = g_simple_action_group_new()!

    isolated deinit { g_object_unref(ObjectPointer(group)) }

    private var map: OpaquePointer { OpaquePointer(group) }

    func add(_ name: String, _ action: @escaping @MainActor () -> Void) {
      let simple = g_simple_action_new(name, nil)!
      SignalSource(simple).on("activate") { _ in action() }
      g_action_map_add_action(map, simple)
      g_object_unref(ObjectPointer(simple))
    }

    /// Adds an action that is on or off, which menus show.
    func addSwitch(_ name: String, isOn: Bool = false, _ action: @escaping @MainActor (Bool) -> Void) {
      let simple = g_simple_action_new_stateful(name, nil, g_variant_new_boolean(isOn ? 1 : 0))!
      SignalSource(simple).on("activate") { [weak self] _ in
        guard let self else { return }
        let isOn = !self.isOn(name)
        set(name, isOn)
        action(isOn)
      }
      g_action_map_add_action(map, simple)
      g_object_unref(ObjectPointer(simple))
    }

    /// Adds an action with a text as its value, such as the identifier of a program.
    func add(_ name: String, withText action: @escaping @MainActor (String) -> Void) {
      add(g_simple_action_new(name, ozu_variant_type_string()), action)
    }

    /// Adds a choice of one of several texts, which menus show.
    func addChoice(_ name: String, _ value: String, _ action: @escaping @MainActor (String) -> Void) {
      let simple = g_simple_action_new_stateful(name, ozu_variant_type_string(), g_variant_new_string(value))
      add(simple) { [weak self] value in
        if let action = self.flatMap({ g_action_map_lookup_action($0.map, name) }) {
          g_simple_action_set_state(action, g_variant_new_string(value))
        }
        action(value)
      }
    }

    private func add(_ simple: OpaquePointer?, _ action: @escaping @MainActor (String) -> Void) {
      guard let simple else { return }
      SignalSource(simple).onText("activate", action)
      g_action_map_add_action(map, simple)
      g_object_unref(ObjectPointer(simple))
    }

    func isOn(_ name: String) -> Bool {
      guard let state = g_action_group_get_action_state(map, name) else { return false }
      defer { g_variant_unref(state) }
      return g_variant_get_boolean(state) != 0
    }

    /// Shows a switch as on or off without its action.
    func set(_ name: String, _ isOn: Bool) {
      guard let action = g_action_map_lookup_action(map, name) else { return }
      g_simple_action_set_state(action, g_variant_new_boolean(isOn ? 1 : 0))
    }

    func activate(_ name: String) { g_action_group_activate_action(map, name, nil) }
  }
#endif
