/**
 * Works on a claimed request: gets its bytes, and sends them if they may be sent.
 */
import type { EncodedRequest, RequestInput, RequestKind } from "@pawl/core/RequestSender"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { LeasedRequest, ParkReason } from "../rule/RequestRow.ts"
import * as RequestRule from "../rule/RequestRule.ts"
import * as Attempt from "./Attempt.ts"
import * as Lease from "./Lease.ts"

/** The services and settings of the work on claimed requests. */
export interface Tools extends Attempt.Tools {
  /** Encodes the input of a request with card data again; undefined if the merchant cannot make it. */
  readonly rebuild: Rebuild | undefined
}

/** Returns the request with a requestId, encoded from the same input as before. */
export type Rebuild = (
  requestId: string,
  kind: RequestKind
) => Effect.Effect<EncodedRequest, unknown>

/** The function of a merchant that returns the input of a request with card data once more. */
export type InputOf = (
  requestId: string,
  kind: RequestKind
) => Effect.Effect<RequestInput<RequestKind>, unknown>

/** The most time that a merchant's function has. It is shorter than a lease. */
const rebuildTimeout = Duration.seconds(20)

/** The bytes of a request, the reason to park it, or an error that may pass. */
type Body = Result.Result<
  EncodedRequest,
  { readonly park: ParkReason } | { readonly later: unknown }
>

const bodyOf = Effect.fnUntraced(function* (
  { rebuild, seal }: Tools,
  { body, digest, hasCardData, kind, requestId }: LeasedRequest
): Effect.fn.Return<Body> {
  const park = (reason: ParkReason): Body => Result.fail({ park: reason })
  if (!hasCardData) {
    if (body === undefined) return park("unreadable")
    const opened = yield* Effect.result(seal.open({ requestId, part: "body" }, body))
    if (Result.isSuccess(opened)) {
      return Result.succeed({ kind, requestId, body: opened.success })
    }
    return park(Attempt.reasonToPark(opened.failure))
  }
  if (rebuild === undefined) return park("card-data")
  const rebuilt = yield* Effect.result(Effect.timeout(rebuild(requestId, kind), rebuildTimeout))
  if (Result.isFailure(rebuilt)) return Result.fail({ later: rebuilt.failure })
  const match = seal.compare(digest, kind, rebuilt.success.body)
  if (match === "same") return Result.succeed(rebuilt.success)
  return park(match === "no-key" ? "no-key" : "rebuilt-differently")
})

/** Works on a request that nobody waits for. */
export const run = Effect.fnUntraced(function* (tools: Tools, leased: LeasedRequest) {
  const { store, window } = tools
  const at = yield* Lease.timeOf(store)
  if (RequestRule.isExpired(leased, at, window)) {
    yield* Attempt.settleWithout(tools, leased, { _tag: "NotSent", reason: "expired" })
    return
  }
  if (RequestRule.isPastWindow(leased, at, window)) {
    yield* Attempt.park(tools, leased, "window")
    return
  }
  const body = yield* bodyOf(tools, leased)
  if (Result.isFailure(body)) {
    if ("park" in body.failure) {
      yield* Attempt.park(tools, leased, body.failure.park)
      return
    }
    yield* Effect.annotateLogs(
      Effect.logWarning("A request could not be made again; it is tried later"),
      { requestId: leased.requestId }
    )
    const dueAt = at + RequestRule.waitAfter(leased.attempts)
    yield* store.release(leased, { at, dueAt })
    return
  }
  const begun = yield* store.begin(leased, { at: yield* Lease.timeOf(store), window })
  if (begun === undefined) return
  yield* Attempt.run(tools, begun, body.success, false)
})
