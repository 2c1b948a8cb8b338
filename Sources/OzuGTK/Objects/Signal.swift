#if GTK
  import CGTK

  // Closures for GTK's signals. GLib hands the arguments of a signal to a closure as typed values, so that one C function
  // serves all of them, whatever their number; those that nobody wants are left alone.

  /// An instance of any GObject class, as C passes it around. Valid as long as somebody holds a reference.
  public typealias ObjectPointer = UnsafeMutableRawPointer

  /// Calls a closure whenever an object emits a signal, whatever its arguments are.
  ///
  /// - Parameter handler: gets the object. It lives as long as the connection does.
  /// - Returns: the connection's number, for `g_signal_handler_disconnect`.
  @MainActor
  @discardableResult
  public func connect(
    _ object: ObjectPointer, _ signal: String, _ handler: @escaping @MainActor (ObjectPointer) -> Void
  ) -> gulong {
    attach(object, signal, argumentCount: 0) { _, _ in handler(object) }
  }

  /// Calls a closure whenever an object emits a signal whose first argument is an object: a list item of a
  /// `GtkSignalListItemFactory`, the property of a `notify`.
  @MainActor
  @discardableResult
  public func connect(
    _ object: ObjectPointer, _ signal: String,
    withArgument handler: @escaping @MainActor (ObjectPointer, ObjectPointer?) -> Void
  ) -> gulong {
    attach(object, signal, argumentCount: 1) { arguments, _ in
      handler(object, g_value_peek_pointer(arguments))
    }
  }

  /// Calls a closure whenever an object emits a signal with a position, as a list's `activate`.
  @MainActor
  @discardableResult
  public func connect(
    _ object: ObjectPointer, _ signal: String,
    withNumber handler: @escaping @MainActor (ObjectPointer, Int) -> Void
  ) -> gulong {
    attach(object, signal, argumentCount: 1) { arguments, _ in
      handler(object, Int(g_value_get_uint(arguments)))
    }
  }

  /// Calls a closure whenever an object emits a signal with one measure, as a zoom gesture's `scale-changed`.
  @MainActor
  @discardableResult
  public func connect(
    _ object: ObjectPointer, _ signal: String,
    withDouble handler: @escaping @MainActor (ObjectPointer, Double) -> Void
  ) -> gulong {
    attach(object, signal, argumentCount: 1) { arguments, _ in
      handler(object, g_value_get_double(arguments))
    }
  }

  /// Calls a closure whenever an object emits a signal with a place, as a drag gesture's.
  @MainActor
  @discardableResult
  public func connect(
    _ object: ObjectPointer, _ signal: String,
    withDoubles handler: @escaping @MainActor (ObjectPointer, Double, Double) -> Void
  ) -> gulong {
    attach(object, signal, argumentCount: 2) { arguments, _ in
      handler(object, g_value_get_double(arguments), g_value_get_double(arguments + 1))
    }
  }

  /// Calls a closure for each key that a `GtkEventControllerKey` sees pressed.
  ///
  /// - Parameter handler: gets the key's value and the modifiers; returns whether the key is used up.
  @MainActor
  @discardableResult
  public func connectKeys(
    _ controller: ObjectPointer, _ handler: @escaping @MainActor (guint, GdkModifierType) -> Bool
  ) -> gulong {
    attach(controller, "key-pressed", argumentCount: 3) { arguments, answer in
      let modifiers = GdkModifierType(rawValue: g_value_get_flags(arguments + 2))
      let isUsed = handler(g_value_get_uint(arguments), modifiers)
      if let answer { g_value_set_boolean(answer, isUsed ? 1 : 0) }
    }
  }

  /// A closure in the hands of GLib, which frees it with its connection.
  @MainActor
  final class SignalHandler {
    /// Gets the arguments of the signal, and where its answer goes when it has one.
    typealias Body = @MainActor (UnsafePointer<GValue>, UnsafeMutablePointer<GValue>?) -> Void

    private let argumentCount: Int
    private let body: Body

    init(argumentCount: Int, _ body: @escaping Body) {
      self.argumentCount = argumentCount
      self.body = body
    }

    /// The same as a `GClosure`, whose owner it belongs to.
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

  /// Has a closure hear of a signal, and answer it where it wants an answer.
  @MainActor
  @discardableResult
  func attach(
    _ object: ObjectPointer, _ signal: String, argumentCount: Int, _ body: @escaping SignalHandler.Body
  ) -> gulong {
    g_signal_connect_closure(
      object, signal, SignalHandler(argumentCount: argumentCount, body).closure(), 0)
  }
#endif
