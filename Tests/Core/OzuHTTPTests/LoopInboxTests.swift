#if os(Linux)
  import Glibc
  import OzuTesting
  import Testing

  @testable import OzuHTTP

  @Suite("The inbox of a loop's thread")
  struct LoopInboxTests {
    /// An inbox whose thread is this test.
    private final class Loop {
      var inbox = LoopInbox<Int>()
      private(set) var waker: LoopWaker?

      func put(_ command: Int) -> LoopInbox<Int>.Refusal? {
        var started: LoopWaker?
        let refusal = inbox.put(command) { waker in
          started = waker
          return true
        }
        if let started { waker = started }
        return refusal
      }

      /// Whether the thread was woken; it may sleep again.
      func wasWoken() -> Bool {
        guard let waker else { return false }
        var entry = pollfd(fd: waker.descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, 0) == 1 else { return false }
        LoopWaker.clear(waker.descriptor)
        return true
      }

      deinit { waker?.close() }
    }

    @Test(
      "wakes the thread once, only when it sleeps, and keeps the order of the commands", arguments: 1...40)
    func model(seed: UInt64) {
      var random = SeededGenerator(seed: seed)
      let loop = Loop()
      var left: [Int] = []
      var sleeps = false
      #expect(loop.put(-1) == nil)
      #expect(loop.inbox.take().commands == [-1])
      for number in 0..<300 {
        switch Int.random(in: 0..<4, using: &random) {
        case 0, 1:
          #expect(loop.put(number) == nil)
          left.append(number)
          #expect(loop.wasWoken() == sleeps)
          sleeps = false
        case 2:
          let (commands, isStopping) = loop.inbox.take()
          #expect(commands == left && !isStopping)
          left = []
          sleeps = false
        default:
          let mayRest = loop.inbox.mayRest()
          #expect(mayRest == left.isEmpty)
          if mayRest { sleeps = true }
        }
      }
      loop.inbox.stop()
      #expect(loop.wasWoken())
      #expect(loop.put(0) == .ended && !loop.inbox.mayRest())
      let (commands, isStopping) = loop.inbox.take()
      #expect(commands == left && isStopping && !loop.inbox.hasEnded)
      loop.inbox.end()
      #expect(loop.inbox.hasEnded && loop.put(0) == .ended && !loop.wasWoken())
    }

    @Test("if no thread can be started, has no thread and drops the command; the next command tries again")
    func failedStart() {
      let loop = Loop()
      #expect(loop.inbox.put(1) { _ in false } == .noThread)
      #expect(loop.put(2) == nil)
      #expect(loop.inbox.take().commands == [2])
    }

    @Test(
      "answers the remaining commands when its thread fails, and ends if that was requested",
      arguments: [false, true])
    func givingUp(isStopped: Bool) {
      let loop = Loop()
      #expect(loop.put(1) == nil)
      if isStopped { loop.inbox.stop() }
      #expect(loop.inbox.giveUp() == [1])
      #expect(loop.inbox.hasEnded == isStopped)
      let second = loop.inbox.put(2) { waker in
        waker.close()
        return true
      }
      #expect(second == (isStopped ? .ended : nil))
    }

    @Test("ends at once without a thread")
    func unborn() {
      let loop = Loop()
      loop.inbox.stop()
      #expect(loop.inbox.hasEnded && loop.put(1) == .ended)
    }
  }
#endif
