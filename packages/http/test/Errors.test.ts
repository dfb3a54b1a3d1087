/** A response's status and request id are in its error. */
import { Unreachable } from "@pawl/core/PaymentsError"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import type { ApmPayments } from "../src/ApmPayments.ts"
import type { ApmPayouts } from "../src/ApmPayouts.ts"
import type { CardPayments } from "../src/CardPayments.ts"
import type { CardPayouts } from "../src/CardPayouts.ts"
import type { PaymentIntents } from "../src/PaymentIntents.ts"
import type { Refunds } from "../src/Refunds.ts"
import type { Subscriptions } from "../src/Subscriptions.ts"
import * as Memory from "./support/memory.ts"
import { type Operation, operations } from "./support/operations.ts"

interface Services {
  readonly ApmPayments: ApmPayments["Service"]
  readonly ApmPayouts: ApmPayouts["Service"]
  readonly CardPayments: CardPayments["Service"]
  readonly CardPayouts: CardPayouts["Service"]
  readonly PaymentIntents: PaymentIntents["Service"]
  readonly Refunds: Refunds["Service"]
  readonly Subscriptions: Subscriptions["Service"]
}

type TagOf<Method> = Method extends (
  ...args: never
) => Effect.Effect<unknown, infer Failure extends { readonly _tag: string }>
  ? Failure["_tag"]
  : never

type Cause = (operation: Operation) => Memory.Options

type Table = {
  readonly [Service in keyof Services]: {
    readonly [Method in keyof Services[Service]]: {
      readonly [Tag in TagOf<Services[Service][Method]>]: Cause
    }
  }
}

const always =
  (code: number, body: unknown = ""): Cause =>
  () => ({ answer: () => Memory.answer(code, body, headers) })

const headers = { "x-request-id": "service-1" }

const reads = {
  Unauthorized: always(401),
  ValidationFailed: always(400, { errors: { mid: "unknown" } }),
  NotFound: always(404),
  ServiceFailed: always(500),
  RateLimited: always(429),
  Unreachable: () => ({
    answer: () => Effect.fail(new Unreachable({ reason: "refused", sent: false, attempts: 1 }))
  }),
  UnexpectedResponse: always(302)
} satisfies Record<string, Cause>

const creates = {
  ...reads,
  // After these failures of the create itself: OutcomeUnknown.
  ServiceFailed: () => ({ auth: () => Memory.answer(500, "", headers) }),
  UnexpectedResponse: () => ({ auth: () => Memory.answer(302, "", headers) }),
  OutcomeUnknown: always(500)
} satisfies Record<string, Cause>

const transactions = {
  ...creates,
  Declined: ({ answer }) => ({
    answer: () =>
      Memory.answer(200, { ...JSON.parse(answer), transactionStatus: "FAILED" }, headers)
  })
} satisfies Record<string, Cause>

const pages = {
  ...creates,
  IntentRejected: always(200, { errorCode: "LIMIT_EXCEEDED" })
} satisfies Record<string, Cause>

const table: Table = {
  ApmPayments: { create: transactions, status: reads },
  ApmPayouts: { create: transactions, info: reads, status: reads },
  CardPayments: { create: transactions, charge: transactions, tokenize: creates, status: reads },
  CardPayouts: { create: transactions, info: reads, status: reads },
  PaymentIntents: { create: pages },
  Refunds: { create: transactions, info: reads, status: reads },
  Subscriptions: {
    create: transactions,
    get: reads,
    update: reads,
    setStatus: reads,
    pause: reads,
    resume: reads,
    cancel: reads
  }
}

const rows = Object.entries(table).flatMap(([service, methods]) =>
  Object.entries(methods).map(([method, causes]) => ({
    name: `${service}.${method}`,
    causes: Object.entries<Cause>(causes)
  }))
)

it("has a row for every operation", () => {
  expect(rows.map(({ name }) => name).toSorted()).toEqual(
    operations.map(({ name }) => name).toSorted()
  )
})

describe.each(rows)("$name", ({ causes, name }) => {
  it.each(causes)("fails with %s", async (tag, cause) => {
    const operation = operations.find((each) => each.name === name)
    if (operation === undefined) throw new Error("no such operation")
    const error = await operation
      .call({ requestId: "request-1" })
      .pipe(
        Effect.flip,
        Memory.settled,
        Effect.provide(Memory.client(new Memory.Service(cause(operation)))),
        Memory.virtual
      )
    expect(error._tag).toBe(tag)
    if (tag !== "Unreachable") {
      expect(error).toMatchObject({ status: expect.any(Number), serviceRequestId: "service-1" })
    }
  })
})

it.each([
  [300, "redirects are not followed"],
  [399, "redirects are not followed"],
  [402, "that status is not documented"],
  [499, "that status is not documented"]
])(
  "the status %i is an error with a reason, and without fields that its body does not have",
  async (status, reason) => {
    const [operation] = operations
    const service = new Memory.Service(always(status)(operation as Operation))
    const error = await (operation as Operation)
      .call({ requestId: "request-1" })
      .pipe(Effect.flip, Memory.settled, Effect.provide(Memory.client(service)), Memory.virtual)
    // A redirect leaves a create in doubt.
    const found = (error as { readonly cause?: unknown }).cause ?? error
    expect(found).toMatchObject({ _tag: "UnexpectedResponse", status, reason })
    expect(found).not.toHaveProperty("fields")
  }
)

it.each([
  [408, "ServiceFailed"],
  [425, "ServiceFailed"],
  [409, "UnexpectedResponse"],
  [426, "UnexpectedResponse"],
  [429, "RateLimited"]
])(
  "the status %i is %s, with the reasons of its body and the wait that it asks for",
  async (status, tag) => {
    const [operation] = operations
    const body = { errors: { amount: "too small" } }
    const answer = () => Memory.answer(status, body, { "retry-after": "7" })
    const error = await (operation as Operation)
      .call({ requestId: "request-1" })
      .pipe(
        Effect.flip,
        Memory.settled,
        Effect.provide(Memory.client(new Memory.Service({ answer }))),
        Memory.virtual
      )
    const found = (error as { readonly cause?: unknown }).cause ?? error
    expect(found).toMatchObject({ _tag: tag, status })
    if (tag === "RateLimited") expect(found).toMatchObject({ retryAfter: expect.any(Number) })
    else expect(found).toMatchObject({ fields: [expect.anything()] })
  }
)
