import OzuBase

/// A view that plays animations.
@MainActor
package protocol MotionFollowing: AnyObject {
  /// Called after the system's settings for animations may have changed.
  func motionSettingsDidChange()
}

/// The settings of the system for people who want fewer animations. Tells views when they change; does not retain them. The
/// adapter of a toolkit has one of these.
@MainActor
package final class MotionSettings {
  private let isAllowed: @MainActor () -> Bool
  private var observers: [ObjectIdentifier: Observer] = [:]
  private struct Observer {
    weak var view: (any MotionFollowing)?
  }

  /// - Parameters:
  ///   - changes: the notifications of changes, which are followed for ever, like this object.
  ///   - isAllowed: reads the settings.
  package init(
    changes: [NotificationSource], isAllowed: @escaping @MainActor () -> Bool
  ) {
    self.isAllowed = isAllowed
    for change in changes {
      // They may be posted on any thread.
      _ = change.observe { [weak self] in Task { @MainActor in self?.tell() } }
    }
  }

  package var allowsAnimations: Bool { isAllowed() }

  /// Tells a view about changes, as long as it lives. A second call does nothing.
  package func follow(_ view: any MotionFollowing) {
    let identity = ObjectIdentifier(view)
    guard observers[identity]?.view == nil else { return }
    observers = observers.filter { $0.value.view != nil }
    observers[identity] = Observer(view: view)
  }

  package var count: Int { observers.count { $0.value.view != nil } }

  private func tell() {
    for observer in observers.values { observer.view?.motionSettingsDidChange() }
  }
}
