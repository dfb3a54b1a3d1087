/**
 * A customer without a browser: what is shown are the forms of a page, what is sent is one of them. So
 * it works as it does with JavaScript turned off.
 */
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import type { HttpClientError } from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Schedule from "effect/Schedule"

/** Where the customer is. A page of another site than it began on is left unread. */
export interface Page {
  readonly url: string
  readonly html: string
}

const go = (
  request: HttpClientRequest.HttpClientRequest
): Effect.Effect<Page, HttpClientError, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const response = yield* HttpClient.execute(request)
    const { location } = response.headers
    if (location === undefined) return { url: request.url, html: yield* response.text }
    const { href, origin } = new URL(location, request.url)
    return origin === new URL(request.url).origin
      ? yield* go(HttpClientRequest.get(href))
      : { url: href, html: "" }
  })

/** Opens a page, and goes where it sends the customer. */
export const open = (url: string) => go(HttpClientRequest.get(url))

/** Fills in the form of a button, and presses it. */
export const press = (
  { html, url }: Page,
  button: string,
  fields: Readonly<Record<string, string>> = {}
) => {
  const mark = `data-testid="${button}"`
  const form = html.split("</form>").find((each) => each.includes(mark))
  const [, action] = /<form [^>]*action="([^"]*)"[^>]*>(?!.*<form )/su.exec(form ?? "") ?? []
  if (form === undefined || action === undefined)
    return Effect.die(new Error(`${url} shows no ${button}`))
  const hidden = form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/gu)
  const [, act = ""] = new RegExp(`value="([^"]*)"[^<>]* ${mark}`, "u").exec(form) ?? []
  return HttpClientRequest.post(new URL(action, url).href).pipe(
    HttpClientRequest.bodyUrlParams({
      ...Object.fromEntries(Array.from(hidden, ([, name, value]) => [name, value])),
      ...fields,
      act
    }),
    go
  )
}

/** A card that pays, of which another number may be given. */
export const card = (number = "4242424242424242") => ({
  number,
  expiry: "04/30",
  cvc: "737",
  name: "Ada Lovelace"
})

/** Looks at a page again until it sends the customer back to the merchant. */
export const untilBack = (page: Page) =>
  Effect.suspend(() => (page.html === "" ? Effect.succeed(page) : open(page.url))).pipe(
    Effect.repeat({ until: ({ html }) => html === "", schedule: Schedule.spaced("100 millis") })
  )
