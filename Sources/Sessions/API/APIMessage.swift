/// A message from a session to its client.
package enum APIMessage: Hashable, Sendable {
  /// The answer to a request.
  case answer(APIRequest.ID, APIAnswer)
  /// The answer to a request that cannot be carried out.
  case refusal(APIRequest.Mistake)
  /// A rule about the session as a whole has been broken since it was stated.
  case verdict(APIVerdict)
  /// Events that follow a subscription.
  case events(APIEvents)
  /// This many events were not kept long enough for the client's subscription.
  case lost(Int)
  /// The session has ended for a reason other than a request.
  case over(APIEnd)
}
