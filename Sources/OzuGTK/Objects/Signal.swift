#if GTK
  import CGTK

  // Closures for GTK's signals. Each shape of signal has its own C function, because GLib calls it with the signal's
  // own arguments; what they share is that GTK emits on the thread of its main loop, which is the main actor's, and
  // that addresses cross the border to the actor as numbers, since pointers are not Sendable.

  /// An instance of any GObject class, as C passes it around. Valid as long as somebody holds a reference.
  public typealias ObjectPointer = UnsafeMutableRawPointer

  /// Calls a closure whenever an object emits a signal without arguments, or without any that matter here.
  ///
  /// - Parameter handler: gets the object. It lives as long as the connection does.
  /// - Returns: the connection's number, for `g_signal_handler_disconnect`.
  @MainActor
  @discardableResult
  public func connect(
    _ object: ObjectPointer, _ signal: String, _ handler: @escaping @MainActor (ObjectPointer) -> Void
  ) -> gulong {
    // Signals whose argument is not wanted pass it before the context. Told apart by how many arguments they have.
    var query = GSignalQuery()
    g_signal_query(g_signal_lookup(name(of: signal), ozu_instance_type(object)), &query)
    guard query.n_params == 0 else {
      return connect(object, signal, withArgument: { object, _ in handler(object) })
    }
    let function: @convention(c) (ObjectPointer, ObjectPointer) -> Void = { object, context in
      Handler<@MainActor (ObjectPointer) -> Void>.call(context, object) { handler, object in handler(object) }
    }
    return attach(object, signal, unsafeBitCast(function, to: GCallback.self), handler)
  }

  /// Calls a closure whenever an object emits a signal with one argument that is an object: a list item of a
  /// `GtkSignalListItemFactory`, the property of a `notify`.
  @MainActor
  @discardableResult
  public func connect(
    _ object: ObjectPointer, _ signal: String,
    withArgument handler: @escaping @MainActor (ObjectPointer, ObjectPointer?) -> Void
  ) -> gulong {
    let function: @convention(c) (ObjectPointer, ObjectPointer?, ObjectPointer) -> Void = {
      object, argument, context in
      let argument = UInt(bitPattern: argument)
      Handler<@MainActor (ObjectPointer, ObjectPointer?) -> Void>.call(context, object) { handler, object in
        handler(object, ObjectPointer(bitPattern: argument))
      }
    }
    return attach(object, signal, unsafeBitCast(function, to: GCallback.self), handler)
  }

  /// Calls a closure whenever an object emits a signal with a position, as a list's `activate`.
  @MainActor
  @discardableResult
  public func connect(
    _ object: ObjectPointer, _ signal: String,
    withNumber handler: @escaping @MainActor (ObjectPointer, Int) -> Void
  ) -> gulong {
    let function: @convention(c) (ObjectPointer, guint, ObjectPointer) -> Void = { object, number, context in
      Handler<@MainActor (ObjectPointer, Int) -> Void>.call(context, object) { handler, object in
        handler(object, Int(number))
      }
    }
    return attach(object, signal, unsafeBitCast(function, to: GCallback.self), handler)
  }

  /// Calls a closure whenever an object emits a signal with one measure, as a zoom gesture's `scale-changed`.
  @MainActor
  @discardableResult
  public func connect(
    _ object: ObjectPointer, _ signal: String,
    withDouble handler: @escaping @MainActor (ObjectPointer, Double) -> Void
  ) -> gulong {
    let function: @convention(c) (ObjectPointer, Double, ObjectPointer) -> Void = { object, value, context in
      Handler<@MainActor (ObjectPointer, Double) -> Void>.call(context, object) { handler, object in
        handler(object, value)
      }
    }
    return attach(object, signal, unsafeBitCast(function, to: GCallback.self), handler)
  }

  /// Calls a closure whenever an object emits a signal with a place, as a drag gesture's.
  @MainActor
  @discardableResult
  public func connect(
    _ object: ObjectPointer, _ signal: String,
    withDoubles handler: @escaping @MainActor (ObjectPointer, Double, Double) -> Void
  ) -> gulong {
    let function: @convention(c) (ObjectPointer, Double, Double, ObjectPointer) -> Void = {
      object, x, y, context in
      Handler<@MainActor (ObjectPointer, Double, Double) -> Void>.call(context, object) { handler, object in
        handler(object, x, y)
      }
    }
    return attach(object, signal, unsafeBitCast(function, to: GCallback.self), handler)
  }

  /// Calls a closure for each key that a `GtkEventControllerKey` sees pressed.
  ///
  /// - Parameter handler: gets the key's value and the modifiers; returns whether the key is used up.
  @MainActor
  @discardableResult
  public func connectKeys(
    _ controller: ObjectPointer, _ handler: @escaping @MainActor (guint, GdkModifierType) -> Bool
  ) -> gulong {
    let function: @convention(c) (ObjectPointer, guint, guint, GdkModifierType, ObjectPointer) -> gboolean = {
      controller, key, _, state, context in
      Handler<@MainActor (guint, GdkModifierType) -> Bool>.call(context, controller) { handler, _ in
        handler(key, state) ? 1 : 0
      }
    }
    return attach(controller, "key-pressed", unsafeBitCast(function, to: GCallback.self), handler)
  }

  /// A closure in the hands of GLib, which frees it with its connection.
  @MainActor
  private final class Handler<Closure> {
    let closure: Closure

    init(_ closure: Closure) {
      self.closure = closure
    }

    nonisolated static func call<Result: Sendable>(
      _ context: ObjectPointer, _ object: ObjectPointer,
      _ body: @MainActor (Closure, ObjectPointer) -> Result
    ) -> Result {
      let (context, object) = (UInt(bitPattern: context), UInt(bitPattern: object))
      return MainActor.assumeIsolated {
        let handler = Unmanaged<Handler>.fromOpaque(ObjectPointer(bitPattern: context)!).takeUnretainedValue()
        return body(handler.closure, ObjectPointer(bitPattern: object)!)
      }
    }
  }

  /// The name of a signal without its detail: `notify` of `notify::active`.
  private func name(of signal: String) -> String {
    signal.firstIndex(of: ":").map { String(signal[..<$0]) } ?? signal
  }

  @MainActor
  private func attach<Closure>(
    _ object: ObjectPointer, _ signal: String, _ function: GCallback, _ closure: Closure
  ) -> gulong {
    g_signal_connect_data(
      object, signal, function, Unmanaged.passRetained(Handler(closure)).toOpaque(),
      { context, _ in
        if let context { Unmanaged<AnyObject>.fromOpaque(context).release() }
      }, GConnectFlags(rawValue: 0))
  }
#endif
