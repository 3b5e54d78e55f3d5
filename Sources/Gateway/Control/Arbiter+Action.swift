extension Arbiter {
  /// Something to be done for a client, or to be written down.
  enum Action: Hashable, Sendable {
    case tell(Notice, ClientID)
    /// What the board has sent goes to this client, in this kind of message.
    case reply([UInt8], MessageKind, ClientID)
    /// Nothing more is read from this client for now.
    case hold(ClientID)
    /// All those that were held are read again.
    case letGo
    case remark(Remark)
  }
}
