import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Courier from "@pawl/testkit/Courier"
import { body } from "@pawl/test-support/Creates"
import { api } from "./sandbox.ts"

type Body = Readonly<Record<string, unknown>>

export const createAt = Effect.fnUntraced(function* (path: string, over: Body = {}) {
  const asked = body(path, { cardToken: "", paymentId: 0 }, over)
  const { json, status, text } = yield* api("POST", `/v1${path}`, asked)
  if (status !== 200) return yield* Effect.die(`${path} answered ${status} ${text}`)
  return json as Readonly<Record<string, string>>
})

export const intentAt = Effect.fnUntraced(function* (over: Body = {}) {
  const { iframeUrl = "", redirectUrl = "" } = yield* createAt("/payments/intent", over)
  return { iframeUrl, redirectUrl }
})

export const untilTold = Effect.fnUntraced(function* (status: string) {
  const { changes, deliveries } = yield* Courier.Courier
  yield* Stream.fromEffect(deliveries).pipe(
    Stream.flatMap(Stream.fromIterable),
    Stream.concat(changes),
    Stream.filter((delivery) => delivery.status === status),
    Stream.take(1),
    Stream.runDrain
  )
})

/** Requests a page, or submits a form; does not follow redirects. */
export const visit = (
  url: string,
  form?: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {}
) =>
  Effect.promise(async () => {
    const response = await fetch(url, {
      redirect: "manual",
      headers,
      ...(form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) })
    })
    return {
      status: response.status,
      headers: response.headers,
      location: response.headers.get("location"),
      text: await response.text()
    }
  })
