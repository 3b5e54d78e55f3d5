import NIOCore

/// The way from another thread to a sending stage.
package struct SendingInlet: Sendable {
  private let stage: NIOLoopBound<SendingStage>
  private let loop: any EventLoop

  init(_ stage: SendingStage, _ loop: any EventLoop) {
    self.stage = NIOLoopBound(stage, eventLoop: loop)
    self.loop = loop
  }

  /// Does something on the stage's thread, and waits for it: who feeds is never ahead by more. Nil where
  /// the stage has ended.
  @discardableResult
  package func perform<Result: Sendable>(
    _ work: @escaping @Sendable (SendingStage) -> Result
  ) -> Result? {
    let stage = stage
    return try? loop.submit { work(stage.value) }.wait()
  }
}
