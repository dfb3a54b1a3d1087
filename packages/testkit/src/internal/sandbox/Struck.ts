/**
 * What a caller gets to see of the service when a fault strikes.
 */
import * as Effect from "effect/Effect"
import type { Kind } from "../../Faults.ts"
import * as Contract from "../gateway/Contract.ts"

/** What a caller gets to see: an answer, the first half of one, or no answer at all. */
export type Seen =
  | { readonly _tag: "whole" | "half"; readonly answer: Contract.Answer }
  | { readonly _tag: "reset" }

/** Returns what the caller sees when a request meets a fault; `answer` processes it. */
export const meet = (
  fault: Kind | undefined,
  answer: Effect.Effect<Contract.Answer>
): Effect.Effect<Seen> => {
  switch (fault) {
    case undefined:
      return Effect.map(answer, whole)
    case "500":
    case "401":
      return Effect.succeed(whole(refusal(Number(fault))))
    case "503":
      return Effect.succeed(whole(refusal(503, { "retry-after": "1" })))
    case "delay":
      return Effect.tap(Effect.map(answer, whole), Effect.sleep("5 seconds"))
    case "content-type":
      return Effect.map(answer, (answer) =>
        whole({ ...answer, headers: { ...answer.headers, "content-type": "text/html" } })
      )
    case "truncate":
      return Effect.map(answer, (answer) => ({ _tag: "half", answer }))
    case "reset-before":
      return Effect.succeed({ _tag: "reset" })
    case "reset-after":
      return Effect.as(answer, { _tag: "reset" })
  }
}

const whole = (answer: Contract.Answer): Seen => ({ _tag: "whole", answer })

const refusal = (status: number, headers: Readonly<Record<string, string>> = {}) => {
  const answer = Contract.answer(status, { message: `The sandbox was told to answer ${status}` })
  return { ...answer, headers: { ...answer.headers, ...headers } }
}
