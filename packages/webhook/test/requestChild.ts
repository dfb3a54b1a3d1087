/**
 * A process that makes requests. Tests stop and kill it.
 *
 * Arguments: the place of the store as JSON, the service's port, and the inputs as JSON. It prints
 * `ready`, and for each call the transaction id or the tag of the error.
 */
import { OutcomeUnknown, Unreachable } from "@pawl/core/PaymentsError"
import { type RequestKind, RequestSender } from "@pawl/core/RequestSender"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { writeSync } from "node:fs"
import * as Requests from "../src/Requests.ts"
import * as Seal from "../src/Seal.ts"
import { ledgerOf, type Place } from "@pawl/test-support/Places"
import { callbackUrl } from "./requestService.ts"
import { secret } from "@pawl/test-support/Service"

const [place = "", port = "", calls = "[]"] = process.argv.slice(2)

interface Call {
  readonly kind: RequestKind
  readonly input: { readonly requestId: string }
}

const sender = Layer.succeed(RequestSender, {
  encode: (kind, input) =>
    Effect.succeed({ kind, requestId: input.requestId ?? "", body: JSON.stringify(input) }),
  send: ({ body, requestId }) =>
    Effect.tryPromise({
      try: async () => {
        const response = await fetch(`http://127.0.0.1:${port}`, { method: "POST", body })
        return (await response.json()) as never
      },
      catch: () =>
        new OutcomeUnknown({
          requestId,
          cause: new Unreachable({ reason: "reset", sent: true, attempts: 1 })
        })
    }),
  encodeOutcome: (_, outcome) => JSON.stringify(outcome._tag === "Success" ? outcome.success : {}),
  decodeOutcome: (_, text) => Effect.succeed(JSON.parse(text) as never)
})

const layer = Requests.layer().pipe(
  Layer.provide([
    sender,
    callbackUrl,
    ledgerOf(JSON.parse(place) as Place),
    Layer.provide(Seal.layer({ current: Redacted.make(secret) }), NodeHmac.layer)
  ])
)

const print = (line: string) => Effect.sync(() => writeSync(1, `${line}\n`))

const program = Effect.gen(function* () {
  const requests = yield* Requests.Requests
  yield* print("ready")
  yield* Effect.forEach(
    JSON.parse(calls) as ReadonlyArray<Call>,
    ({ input, kind }) =>
      requests.send(kind, input as never).pipe(
        Effect.matchEffect({
          onSuccess: (response) =>
            print("transactionId" in response ? String(response.transactionId) : "no id"),
          onFailure: ({ _tag }) => print(_tag)
        })
      ),
    { concurrency: "unbounded" }
  )
  return yield* Effect.never
})

await Effect.runPromise(Effect.provide(program, layer))
