#if GTK
  import CGTK

  /// A widget's state as a GObject with properties, for `g_object_bind_property` and `notify`.
  ///
  /// The GObject is of a type that is registered at the first use. Its instances have one pointer, to this object.
  @MainActor
  final class StateObject {
    /// The GObject; owned.
    let pointer: ObjectPointer
    private var state: PictureState

    fileprivate enum Property: guint, CaseIterable {
      case state = 1
      case progress, reason, isLoading, isFailed

      var name: String {
        switch self {
        case .state: "state"
        case .progress: "progress"
        case .reason: "reason"
        case .isLoading: "is-loading"
        case .isFailed: "is-failed"
        }
      }
    }

    init(_ state: PictureState) {
      self.state = state
      pointer = ObjectPointer(g_object_new_with_properties(stateType, 0, nil, nil)!)
      instance.pointee.state = Unmanaged.passUnretained(self).toOpaque()
    }

    isolated deinit {
      // Others may hold the GObject longer; its properties are then those of an empty widget.
      instance.pointee.state = nil
      g_object_unref(pointer)
    }

    private var instance: UnsafeMutablePointer<OzuInstance> {
      pointer.assumingMemoryBound(to: OzuInstance.self)
    }

    /// Changes the state, and notifies about the properties that changed.
    func set(_ new: PictureState) {
      let old = state
      state = new
      let object = pointer.assumingMemoryBound(to: GObject.self)
      if old.name != new.name {
        for property in [Property.state, .isLoading, .isFailed] { g_object_notify(object, property.name) }
      }
      if old.fraction != new.fraction { g_object_notify(object, Property.progress.name) }
      if old.reason != new.reason { g_object_notify(object, Property.reason.name) }
    }

    fileprivate static func read(_ property: Property, of state: PictureState, into value: inout GValue) {
      switch property {
      case .state: g_value_set_string(&value, state.name)
      case .progress: g_value_set_double(&value, state.fraction ?? -1)
      case .reason: g_value_set_string(&value, state.reason)
      case .isLoading: if case .loading = state { g_value_set_boolean(&value, 1) }
      case .isFailed: if case .failed = state { g_value_set_boolean(&value, 1) }
      }
    }

    fileprivate static func state(of object: UnsafeMutablePointer<GObject>) -> PictureState {
      let instance = UnsafeMutableRawPointer(object).assumingMemoryBound(to: OzuInstance.self)
      guard let state = instance.pointee.state else { return .empty }
      return Unmanaged<StateObject>.fromOpaque(state).takeUnretainedValue().state
    }
  }

  /// The type of the state objects, registered once. Properties are read on the main actor's thread.
  @MainActor
  private let stateType: GType = g_type_register_static_simple(
    ozu_type_object(), "OzuPictureState", guint(MemoryLayout<GObjectClass>.size),
    { type, _ in
      guard let type = type?.assumingMemoryBound(to: GObjectClass.self) else { return }
      type.pointee.get_property = { object, number, value, _ in
        let addresses = (UInt(bitPattern: object), UInt(bitPattern: value))
        MainActor.assumeIsolated {
          guard let object = UnsafeMutablePointer<GObject>(bitPattern: addresses.0),
            let value = UnsafeMutablePointer<GValue>(bitPattern: addresses.1),
            let property = StateObject.Property(rawValue: number)
          else { return }
          StateObject.read(property, of: StateObject.state(of: object), into: &value.pointee)
        }
      }
      let flags = GParamFlags(rawValue: G_PARAM_READABLE.rawValue | G_PARAM_EXPLICIT_NOTIFY.rawValue)
      g_object_class_install_property(
        type, 1, g_param_spec_string("state", nil, nil, "empty", flags))
      g_object_class_install_property(
        type, 2, g_param_spec_double("progress", nil, nil, -1, 1, -1, flags))
      g_object_class_install_property(type, 3, g_param_spec_string("reason", nil, nil, nil, flags))
      g_object_class_install_property(type, 4, g_param_spec_boolean("is-loading", nil, nil, 0, flags))
      g_object_class_install_property(type, 5, g_param_spec_boolean("is-failed", nil, nil, 0, flags))
    }, guint(MemoryLayout<OzuInstance>.size), nil, GTypeFlags(rawValue: 0))
#endif
