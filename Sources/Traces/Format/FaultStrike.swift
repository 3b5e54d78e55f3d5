package import Sketches

/// A fault that struck: what it did to the sender's bytes at one place on their way to the board.
///
/// Faults act one after the other along the wire, so `took` is what came in at that place. With one
/// fault, that is what the sender sent.
package struct FaultStrike: Hashable, Sendable {
  /// What happened. The raw value is the trace format's word.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case drop, dup, burst, flip, noise, clock, cut, merge, delay, stall, jitter, reset, unplug
    /// An adapter's buffer was full.
    case overflow
    /// An adapter forwarded bytes later than they arrived, because it forwards packets.
    case packet
    /// A radio lost a packet.
    case radio
    /// The supply's voltage fell so low that the board restarted.
    case brownOut = "brown-out"
    /// The supply gave up, and with it the computer's port: a USB port's current limit.
    case dropOut = "drop-out"
  }

  /// Where it happened. The raw value is the trace format's word.
  package enum Place: String, Hashable, Sendable, CaseIterable {
    case wire, network, board, supply
    /// The line on which the board sends.
    case wireBack = "wire-tx"
    case ft232r, ch340, cp2102
    case usb16u2 = "16u2"
    case hm10 = "hm-10"
    case bridge

    /// Whether it is an adapter between the computer and the board.
    package var isAdapter: Bool {
      switch self {
      case .wire, .wireBack, .network, .board, .supply: false
      case .ft232r, .ch340, .cp2102, .usb16u2, .hm10, .bridge: true
      }
    }

    var phrase: String {
      switch self {
      case .wire: "on the wire"
      case .wireBack: "on the wire from the board"
      case .network: "in the network"
      case .board: "on the board"
      case .supply: "in the supply"
      case .ft232r: "in the adapter (FT232R)"
      case .ch340: "in the adapter (CH340)"
      case .cp2102: "in the adapter (CP2102)"
      case .usb16u2: "in the adapter (16U2)"
      case .hm10: "in the radio (HM-10)"
      case .bridge: "in the bridge"
      }
    }
  }

  /// The bytes that the fault replaced or removed, and those that it let through instead. Both are
  /// empty if it changed only times.
  package var took: [UInt8]
  package var gave: [UInt8]
  package var kind: Kind
  package var place: Place

  package init(_ kind: Kind, at place: Place, took: [UInt8] = [], gave: [UInt8] = []) {
    self.kind = kind
    self.place = place
    self.took = took
    self.gave = gave
  }

  /// Whether it removed bytes and let none through instead.
  package var isLoss: Bool { !took.isEmpty && gave.isEmpty }

  package var sentence: String {
    let scene = place.phrase
    guard took.isEmpty && gave.isEmpty else {
      let (took, gave) = (ByteText.quoted(took), ByteText.quoted(gave))
      if isLoss { return "\(took) was lost \(scene)" }
      return self.took.isEmpty
        ? "\(gave) appeared \(scene)" : "\(took) became \(gave) \(scene)"
    }
    switch kind {
    case .clock: return "the sender's clock changed its speed"
    case .reset: return "the board restarted"
    case .brownOut: return "the board had too little voltage and restarted"
    case .unplug: return "the cable was plugged in again, and the board restarted"
    case .dropOut: return "the computer's port was without power"
    default: return "the bytes of a write came later \(scene)"
    }
  }

  /// Whether it struck what the board sent. The board knows nothing of it.
  package var isReturn: Bool { place == .wireBack }

  /// The sender's bytes that it removed, with their fate; none if it is not a loss.
  package func losses(at time: Instant) -> [(time: Instant, byte: UInt8, fate: Fate)] {
    isLoss && !isReturn ? took.map { (time, $0, place.isAdapter ? .adapterLost : .wireLost) } : []
  }
}
