import { forAll } from "@pawl/test-support/Properties"
import * as NextAction from "@pawl/core/NextAction"
import { statuses } from "@pawl/core/Status"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const url = "https://bank.example"

describe("the next action", () => {
  it("is the challenge while one is open", () => {
    const challenge = { challengeUrl: `${url}/3ds`, challengeUrlIframe: `${url}/frame` }
    const transactionStatus = "CUSTOMER_VERIFICATION"
    const apmResponseData = { redirectUrl: url }
    expect(NextAction.of({ ...challenge, transactionStatus, apmResponseData })).toEqual({
      _tag: "Challenge",
      url: `${url}/3ds`,
      iframeUrl: `${url}/frame`
    })
    expect(NextAction.of({ ...challenge, transactionStatus: "PENDING" })).toBeUndefined()
    expect(NextAction.of({ transactionStatus, apmResponseData })).toEqual({
      _tag: "Redirect",
      url
    })
  })

  it("is the one of the method, with a QR code before a page unless actionType is REDIRECTION", () => {
    const qr = { qrData: "00020101", qrDeepLink: "bank://pay" }
    const pages = { redirectUrl: url, iframeUrl: `${url}/frame` }
    const redirect = { _tag: "Redirect", url, iframeUrl: `${url}/frame` }
    const show = { _tag: "ShowQr", data: "00020101", deepLink: "bank://pay" }
    for (const [apmResponseData, action] of [
      [{}, undefined],
      [null, undefined],
      [{ redirectUrl: null, iframeUrl: "", qrData: null }, undefined],
      [pages, redirect],
      [{ redirectUrl: url }, { _tag: "Redirect", url }],
      [{ iframeUrl: url }, { _tag: "Iframe", url }],
      [qr, show],
      [{ ...pages, ...qr }, show],
      [{ ...pages, ...qr, actionType: "REDIRECTION" }, redirect],
      [{ ...qr, actionType: "REDIRECTION" }, show],
      [{ qrData: "00020101" }, { _tag: "ShowQr", data: "00020101" }],
      [{ qrDeepLink: "bank://pay" }, { _tag: "Redirect", url: "bank://pay" }]
    ] as const) {
      expect(NextAction.of({ transactionStatus: "NEW", apmResponseData })).toEqual(action)
    }
  })

  it("is the page of an intent, which has no status", () => {
    expect(NextAction.of({ redirectUrl: url, iframeUrl: `${url}/frame` })).toEqual({
      _tag: "Redirect",
      url,
      iframeUrl: `${url}/frame`
    })
  })

  it("is undefined for a final transaction, and never has an empty text", () => {
    const text = fc.option(fc.constantFrom("", url, `${url}/2`), { nil: null })
    const ways = fc.record(
      { actionType: text, redirectUrl: text, iframeUrl: text, qrData: text, qrDeepLink: text },
      { requiredKeys: [] }
    )
    const answers = fc.record(
      {
        transactionStatus: fc.option(fc.constantFrom(...statuses, "ON_HOLD"), { nil: null }),
        challengeUrl: text,
        challengeUrlIframe: text,
        apmResponseData: fc.option(ways, { nil: null })
      },
      { requiredKeys: [] }
    )
    const ended = ["SUCCEED", "FAILED", "CANCELLED", "REFUNDED", "CHARGEBACK"]
    return forAll([answers, ways], (answer, intent) => {
      const action = NextAction.of({ ...intent, ...answer })
      if (ended.includes(answer.transactionStatus ?? "")) expect(action).toBeUndefined()
      for (const value of Object.values(action ?? {})) expect(value).toMatch(/./u)
    })
  })
})
