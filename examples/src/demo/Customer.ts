/**
 * A customer of the hosted page without a browser: reads the HTML forms of a page and submits one of them,
 * as a browser without JavaScript does.
 */
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import type { HttpClientError } from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Schedule from "effect/Schedule"

/** The page that the customer sees. `html` is empty when the page is on another site than the first one. */
export interface Page {
  readonly url: string
  readonly html: string
}

const follow = (
  request: HttpClientRequest.HttpClientRequest
): Effect.Effect<Page, HttpClientError, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const response = yield* HttpClient.execute(request)
    const { location } = response.headers
    if (location === undefined) return { url: request.url, html: yield* response.text }
    const { href, origin } = new URL(location, request.url)
    return origin === new URL(request.url).origin
      ? yield* follow(HttpClientRequest.get(href))
      : { url: href, html: "" }
  })

export const open = (url: string) => follow(HttpClientRequest.get(url))

/** Fills in the form of a button, given by its `data-testid`, and submits it. */
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
    follow
  )
}

/** The default number succeeds. */
export const card = (number = "4242424242424242") => ({
  number,
  expiry: "04/30",
  cvc: "737",
  name: "Ada Lovelace"
})

/** Reloads a page every 100 ms until it redirects the customer back to the merchant. */
export const untilBack = (page: Page) =>
  Effect.suspend(() => (page.html === "" ? Effect.succeed(page) : open(page.url))).pipe(
    Effect.repeat({ until: ({ html }) => html === "", schedule: Schedule.spaced("100 millis") })
  )
