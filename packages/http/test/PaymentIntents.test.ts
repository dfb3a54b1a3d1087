import * as NextAction from "@pawl/core/NextAction"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { expect, it } from "vitest"
import { PaymentIntents } from "../src/PaymentIntents.ts"
import * as Memory from "./support/memory.ts"

const url = "https://shop.example"

const create = (answer: object) =>
  PaymentIntents.use((intents) =>
    Effect.result(
      intents.create({
        requestId: "request-1",
        type: "PAYMENT",
        lang: "en",
        mid: "mid-1",
        billingDetails: { email: "ada@shop.example" },
        callbackUrl: url,
        successRedirectUrl: url,
        failureRedirectUrl: url,
        order: {},
        device: {}
      })
    )
  ).pipe(
    Effect.provide(Memory.client(new Memory.Service({ answer: () => Memory.answer(200, answer) }))),
    Memory.virtual
  )

it("returns the page where the customer pays", async () => {
  const answer = { redirectUrl: `${url}/pay`, iframeUrl: `${url}/frame` }
  for (const errorCode of [null, undefined, "", "0", "000", "OK", "ok"]) {
    const page = Result.getOrThrow(await create({ ...answer, errorCode }))
    expect([page.redirectUrl, page.iframeUrl]).toEqual([`${url}/pay`, `${url}/frame`])
    expect(NextAction.of(page)).toEqual({
      _tag: "Redirect",
      url: `${url}/pay`,
      iframeUrl: `${url}/frame`
    })
  }
})

it("is rejected with an error code of no error when there is no page", async () => {
  for (const errorCode of ["0", "OK"]) {
    expect(Result.merge(await create({ errorCode }))).toMatchObject({ _tag: "IntentRejected" })
  }
})

it("fails with IntentRejected when there is an error code, also beside a page", async () => {
  for (const page of [{}, { redirectUrl: `${url}/pay` }, { redirectUrl: null, iframeUrl: null }]) {
    const error = Result.merge(await create({ ...page, errorCode: "LIMIT_EXCEEDED" }))
    expect(error).toMatchObject({
      _tag: "IntentRejected",
      errorCode: "LIMIT_EXCEEDED",
      requestId: "request-1",
      isRetryable: false,
      message: "Intent request-1 was rejected with error code LIMIT_EXCEEDED"
    })
  }
})

it("fails with OutcomeUnknown when the response has neither a page nor an error code", async () => {
  for (const answer of [
    {},
    { errorCode: null },
    { iframeUrl: `${url}/frame`, redirectUrl: null }
  ]) {
    expect(Result.merge(await create(answer))).toMatchObject({
      _tag: "OutcomeUnknown",
      requestId: "request-1",
      cause: { _tag: "UnexpectedResponse", status: 200 }
    })
  }
})
