#if GTK
  import CGTK

  // Closures for GTK's signals. GLib passes the arguments of a signal to a closure as typed values, so that one C function
  // serves signals with any number of arguments.

  /// A pointer to an instance of any GObject class, valid while there is a reference to it.
  public typealias ObjectPointer = UnsafeMutableRawPointer

  /// A GObject whose signals call closures.
  ///
  /// ```swift
  /// SignalSource(button).on("clicked") { _ in … }
  /// SignalSource(list).on("activate", withNumber: { _, position in … })
  /// ```
  ///
  /// A closure lives as long as its connection, which ends with the object or by `disconnect`. If the object's class lacks
  /// the signal, or its arguments have other types than those of the closure, the program stops when it connects.
  @MainActor
  public struct SignalSource {
    /// The object.
    public let pointer: ObjectPointer

    /// Takes any pointer to an instance of a GObject class.
    ///
    /// - Precondition: it points to one.
    public init(_ pointer: ObjectPointer) {
      precondition(ozu_is_a(pointer, ozu_type_object()) != 0, "only GObjects have signals")
      self.pointer = pointer
    }

    /// Takes a pointer of a type whose structure GTK hides.
    ///
    /// - Precondition: it points to an instance of a GObject class.
    public init(_ pointer: OpaquePointer) { self.init(ObjectPointer(pointer)) }

    /// Takes a pointer of a type whose structure GTK shows.
    ///
    /// - Precondition: it points to an instance of a GObject class.
    public init<Instance>(_ pointer: UnsafeMutablePointer<Instance>) { self.init(ObjectPointer(pointer)) }

    /// Calls a closure whenever the object emits a signal; its arguments are ignored.
    ///
    /// - Parameter handler: gets the object.
    /// - Returns: the connection's number, for `disconnect`.
    @discardableResult
    public func on(_ signal: String, _ handler: @escaping @MainActor (ObjectPointer) -> Void) -> gulong {
      connect(signal, []) { [pointer] _, _ in handler(pointer) }
    }

    /// Calls a closure whenever the object emits a signal whose first argument is an object or a parameter's
    /// specification: a list item of a `GtkSignalListItemFactory`, the property of a `notify`.
    @discardableResult
    public func on(
      _ signal: String, withArgument handler: @escaping @MainActor (ObjectPointer, ObjectPointer?) -> Void
    ) -> gulong {
      connect(signal, [ozu_type_pointers()]) { [pointer] arguments, _ in
        handler(pointer, g_value_peek_pointer(arguments))
      }
    }

    /// Calls a closure whenever the object emits a signal with a position, such as a list's `activate`.
    @discardableResult
    public func on(
      _ signal: String, withNumber handler: @escaping @MainActor (ObjectPointer, Int) -> Void
    ) -> gulong {
      connect(signal, [ozu_type_uint()]) { [pointer] arguments, _ in
        handler(pointer, Int(g_value_get_uint(arguments)))
      }
    }

    /// Calls a closure whenever the object emits a signal with a code, such as a dialogue's `response`.
    @discardableResult
    public func on(
      _ signal: String, withCode handler: @escaping @MainActor (ObjectPointer, Int) -> Void
    ) -> gulong {
      connect(signal, [ozu_type_int()]) { [pointer] arguments, _ in
        handler(pointer, Int(g_value_get_int(arguments)))
      }
    }

    /// Calls a closure whenever the object emits a signal with one number, such as a zoom gesture's `scale-changed`.
    @discardableResult
    public func on(
      _ signal: String, withDouble handler: @escaping @MainActor (ObjectPointer, Double) -> Void
    ) -> gulong {
      connect(signal, [ozu_type_double()]) { [pointer] arguments, _ in
        handler(pointer, g_value_get_double(arguments))
      }
    }

    /// Calls a closure whenever the object emits a signal with a place, such as those of a drag gesture.
    @discardableResult
    public func on(
      _ signal: String, withDoubles handler: @escaping @MainActor (ObjectPointer, Double, Double) -> Void
    ) -> gulong {
      connect(signal, [ozu_type_double(), ozu_type_double()]) { [pointer] arguments, _ in
        handler(pointer, g_value_get_double(arguments), g_value_get_double(arguments + 1))
      }
    }

    /// Calls a closure for each click of a `GtkGestureClick`: `pressed` or `released`.
    ///
    /// - Parameter handler: gets how many clicks came in a row, and the place.
    @discardableResult
    public func onClick(
      _ signal: String = "pressed", _ handler: @escaping @MainActor (Int, Double, Double) -> Void
    ) -> gulong {
      connect(signal, [ozu_type_int(), ozu_type_double(), ozu_type_double()]) { arguments, _ in
        handler(
          Int(g_value_get_int(arguments)), g_value_get_double(arguments + 1),
          g_value_get_double(arguments + 2))
      }
    }

    /// Calls a closure for each turn of the wheel that a `GtkEventControllerScroll` sees.
    ///
    /// - Parameter handler: gets how far it turned; returns true to stop the signal.
    @discardableResult
    public func onScroll(_ handler: @escaping @MainActor (Double, Double) -> Bool) -> gulong {
      connect("scroll", [ozu_type_double(), ozu_type_double()]) { arguments, answer in
        let isUsed = handler(g_value_get_double(arguments), g_value_get_double(arguments + 1))
        if let answer { g_value_set_boolean(answer, isUsed ? 1 : 0) }
      }
    }

    /// Calls a closure for each key that a `GtkEventControllerKey` sees pressed.
    ///
    /// - Parameter handler: gets the key's value and the modifiers; returns true to stop the signal.
    @discardableResult
    public func onKeys(_ handler: @escaping @MainActor (guint, GdkModifierType) -> Bool) -> gulong {
      connect("key-pressed", [ozu_type_uint(), ozu_type_uint(), gdk_modifier_type_get_type()]) {
        arguments, answer in
        let modifiers = GdkModifierType(rawValue: g_value_get_flags(arguments + 2))
        let isUsed = handler(g_value_get_uint(arguments), modifiers)
        if let answer { g_value_set_boolean(answer, isUsed ? 1 : 0) }
      }
    }

    /// Calls a closure that may prevent the usual effect of a signal, such as a window's `close-request`.
    ///
    /// - Parameter handler: returns true to prevent the effect.
    @discardableResult
    public func onRequest(_ signal: String, _ handler: @escaping @MainActor () -> Bool) -> gulong {
      connect(signal, []) { _, answer in
        let isUsed = handler()
        if let answer { g_value_set_boolean(answer, isUsed ? 1 : 0) }
      }
    }

    /// Calls a closure whenever the object emits a signal with a value of an enumeration, such as the `done` of a
    /// `GtkPrintOperation`.
    @discardableResult
    package func on(
      _ signal: String, withValueOf enumeration: GType, _ handler: @escaping @MainActor (Int) -> Void
    ) -> gulong {
      connect(signal, [enumeration]) { arguments, _ in handler(Int(g_value_get_enum(arguments))) }
    }

    /// Calls a closure with the value that is dropped on a `GtkDropTarget`.
    ///
    /// - Parameter handler: gets the value, of a type that the target accepts; returns whether it was accepted.
    @discardableResult
    public func onDrop(_ handler: @escaping @MainActor (UnsafePointer<GValue>) -> Bool) -> gulong {
      connect("drop", [ozu_type_value(), ozu_type_double(), ozu_type_double()]) { arguments, answer in
        // A value in a value: GTK boxes it.
        let boxed = g_value_get_boxed(arguments)?.assumingMemoryBound(to: GValue.self)
        let isUsed = boxed.map { handler(UnsafePointer($0)) } ?? false
        if let answer { g_value_set_boolean(answer, isUsed ? 1 : 0) }
      }
    }

    /// Calls a closure for each page that a `GtkPrintOperation` wants to have drawn.
    ///
    /// - Parameter handler: gets the `GtkPrintContext`, and the number of the page from 0.
    @discardableResult
    package func onPage(
      _ signal: String, _ handler: @escaping @MainActor (ObjectPointer, Int) -> Void
    ) -> gulong {
      connect(signal, [ozu_type_pointers(), ozu_type_int()]) { arguments, _ in
        guard let context = g_value_peek_pointer(arguments) else { return }
        handler(context, Int(g_value_get_int(arguments + 1)))
      }
    }

    /// Calls a closure whenever the object emits a signal with a variant that is a text, such as the `activate` of an action.
    @discardableResult
    package func onText(_ signal: String, _ handler: @escaping @MainActor (String) -> Void) -> gulong {
      connect(signal, [ozu_type_variant()]) { arguments, _ in
        guard let variant = g_value_get_variant(arguments),
          g_variant_is_of_type(variant, ozu_variant_type_string()) != 0
        else { return }
        handler(String(cString: g_variant_get_string(variant, nil)))
      }
    }

    /// Ends a connection.
    public func disconnect(_ connection: gulong) { g_signal_handler_disconnect(pointer, connection) }

    /// Connects a closure to a signal. It gives the answer of signals that have one.
    ///
    /// - Parameter types: the types of the arguments that the closure reads.
    @discardableResult
    func connect(_ signal: String, _ types: [GType], _ body: @escaping SignalHandler.Body) -> gulong {
      precondition(has(signal, types), "there is no signal '\(signal)' with such arguments")
      return g_signal_connect_closure(
        pointer, signal, SignalHandler(argumentCount: types.count, body).closure(), 0)
    }

    /// Whether the object's class has the signal, and the types are those of its first arguments.
    private func has(_ signal: String, _ types: [GType]) -> Bool {
      var (number, detail) = (guint(0), GQuark(0))
      let type = ozu_type_of(pointer)
      guard g_signal_parse_name(signal, type, &number, &detail, 1) != 0 else { return false }
      var query = GSignalQuery()
      g_signal_query(number, &query)
      guard types.count <= Int(query.n_params) else { return false }
      return types.indices.allSatisfy { index in
        // The lowest bit is a flag of GLib, not part of the type.
        let actual = query.param_types[index] & ~GType(1)
        if types[index] == ozu_type_pointers() {
          return g_type_is_a(actual, ozu_type_object()) != 0 || g_type_is_a(actual, ozu_type_parameter()) != 0
        }
        return actual == types[index]
      }
    }
  }

  /// A closure that GLib owns and frees with its connection.
  @MainActor
  final class SignalHandler {
    /// Gets the arguments of the signal, and the place for the answer if it has one.
    typealias Body = @MainActor (UnsafePointer<GValue>, UnsafeMutablePointer<GValue>?) -> Void

    private let argumentCount: Int
    private let body: Body

    init(argumentCount: Int, _ body: @escaping Body) {
      self.argumentCount = argumentCount
      self.body = body
    }

    /// The same as a `GClosure`, which the caller owns.
    func closure() -> UnsafeMutablePointer<GClosure> {
      let owned = Unmanaged.passRetained(self).toOpaque()
      let closure = g_closure_new_simple(guint(MemoryLayout<GClosure>.size), owned)!
      g_closure_add_finalize_notifier(closure, owned) { handler, _ in
        if let handler { Unmanaged<SignalHandler>.fromOpaque(handler).release() }
      }
      g_closure_set_marshal(closure) { closure, answer, count, values, _, _ in
        guard let handler = closure?.pointee.data, let values else { return }
        // GTK emits on the thread of its main loop, which is the main actor's. Addresses cross the border to the actor
        // as numbers, because pointers are not Sendable.
        let addresses = (UInt(bitPattern: handler), UInt(bitPattern: values), UInt(bitPattern: answer))
        MainActor.assumeIsolated {
          guard let handler = ObjectPointer(bitPattern: addresses.0),
            let values = UnsafePointer<GValue>(bitPattern: addresses.1)
          else { return }
          // The first value is the object itself.
          Unmanaged<SignalHandler>.fromOpaque(handler).takeUnretainedValue()
            .call(values + 1, Int(count) - 1, UnsafeMutablePointer(bitPattern: addresses.2))
        }
      }
      return closure
    }

    private func call(
      _ arguments: UnsafePointer<GValue>, _ count: Int, _ answer: UnsafeMutablePointer<GValue>?
    ) {
      precondition(count >= argumentCount, "the signal has \(count) arguments, not \(argumentCount)")
      body(arguments, answer)
    }
  }
#endif
