import * as Effect from "effect/Effect"
import type { Kind } from "../../Faults.ts"
import type { Response } from "../Behaviour.ts"
import { jsonResponse } from "../gateway/Contract.ts"

export type FaultedResponse =
  | { readonly _tag: "whole" | "half"; readonly response: Response }
  | { readonly _tag: "reset" }

export const make = (
  fault: Kind | undefined,
  respond: Effect.Effect<Response>
): Effect.Effect<FaultedResponse> => {
  switch (fault) {
    case undefined:
      return Effect.map(respond, whole)
    case "500":
    case "401":
      return Effect.succeed(whole(refusal(Number(fault))))
    case "503":
      return Effect.succeed(whole(refusal(503, { "retry-after": "1" })))
    case "delay":
      return Effect.tap(Effect.map(respond, whole), Effect.sleep("5 seconds"))
    case "content-type":
      return Effect.map(respond, (response) =>
        whole({ ...response, headers: { ...response.headers, "content-type": "text/html" } })
      )
    case "truncate":
      return Effect.map(respond, (response) => ({ _tag: "half", response }))
    case "reset-before":
      return Effect.succeed({ _tag: "reset" })
    case "reset-after":
      return Effect.as(respond, { _tag: "reset" })
  }
}

const whole = (response: Response): FaultedResponse => ({ _tag: "whole", response })

const refusal = (status: number, headers: Readonly<Record<string, string>> = {}) => {
  const message = `A fault of the sandbox makes this response ${status}`
  const response = jsonResponse(status, { message })
  return { ...response, headers: { ...response.headers, ...headers } }
}
