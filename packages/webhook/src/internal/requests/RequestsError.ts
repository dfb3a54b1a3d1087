import * as Data from "effect/Data"
import { cures } from "./Cures.ts"
import type { ParkReason } from "../rule/RequestRow.ts"

/**
 * Error raised when the requestId was used before with another body or kind. Nothing was written or
 * sent.
 */
export class RequestConflict extends Data.TaggedError("RequestConflict")<{
  readonly requestId: string
}> {
  readonly code = "RequestConflict"
  override get message() {
    return `Request ${this.requestId} was stored before with another body: read the stored one with requests.get first, because it may have taken effect`
  }
}

/** Error raised when a request was cancelled or expired before it was sent. */
export class RequestNotSent extends Data.TaggedError("RequestNotSent")<{
  readonly requestId: string
  readonly reason: "cancelled" | "expired"
}> {
  readonly code = "RequestNotSent"
  override get message() {
    return `Request ${this.requestId} was ${this.reason} before it was sent`
  }
}

/** Error raised when a person has to decide on a request. The message says how. */
export class RequestParked extends Data.TaggedError("RequestParked")<{
  readonly requestId: string
  readonly reason: ParkReason
}> {
  readonly code = "RequestParked"
  override get message() {
    return `Request ${this.requestId} is parked (${this.reason}): ${cures[this.reason]}`
  }
}

/**
 * Error raised when a request took effect, as a callback or a read showed, and its response is not
 * known.
 */
export class ResponseLost extends Data.TaggedError("ResponseLost")<{
  readonly requestId: string
  readonly transactionId: string
}> {
  readonly code = "ResponseLost"
  override get message() {
    return `Request ${this.requestId} made transaction ${this.transactionId}, and its response is not known`
  }
}

/**
 * Error raised when a request with card data is enqueued. Card data is never stored: enqueue a card
 * token.
 */
export class CardDataRefused extends Data.TaggedError("CardDataRefused")<{
  readonly requestId: string
}> {
  readonly code = "CardDataRefused"
  override get message() {
    return `Request ${this.requestId} has card data and cannot be enqueued: enqueue a card token, or send it`
  }
}
