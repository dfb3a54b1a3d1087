/** The API documentation: Scalar, which `effect` includes, made accessible. */
import { Api } from "../contract/Api.ts"
import type * as HttpApiScalar from "effect/http-api/HttpApiScalar"
import * as OpenApi from "effect/http-api/OpenApi"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Predicate from "effect/Predicate"

/** The contract for Scalar, which shows the `examples` of a response, and copies its `example`. */
export const api = Api.annotate(
  OpenApi.Transform,
  () =>
    JSON.parse(JSON.stringify(OpenApi.fromApi(Api)), (_, value: unknown) =>
      Predicate.hasProperty(value, "schema") && Predicate.hasProperty(value, "example")
        ? { ...value, examples: { usual: { value: value.example } } }
        : value
    ) as OpenApi.OpenAPISpec
)

/** Colours with the contrast of WCAG AA, and the way back. */
const customCss = `
.light-mode { --scalar-color-2: #4a4a4a; --scalar-color-3: #595959; --scalar-color-green: #00613d;
  --scalar-color-blue: #00508a; --scalar-color-orange: #8a4000; --scalar-color-red: #a3001b;
  --scalar-color-yellow: #6b5000; --scalar-color-purple: #5203a3 }
.dark-mode { --scalar-color-2: #c4c4c4; --scalar-color-3: #a8a8a8; --scalar-color-red: #ff8080 }
.endpoints { max-height: none !important }
#back { box-sizing: border-box; height: 36px; padding: 8px 16px; font: 14px/20px system-ui, sans-serif;
  color: #1b1b1b; background: #fff }
#back a { color: inherit }
@media (prefers-color-scheme: dark) { #back { color: #e7e7e7; background: #0f0f0f } }`

/**
 * Settings that keep the page from loading or linking to other hosts, and leave out the parts that
 * a screen reader cannot use. `ScalarConfig` types only some of them.
 */
export const scalar: Record<string, unknown> & HttpApiScalar.ScalarConfig = {
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: "never",
  hideClientButton: true,
  hideModels: true,
  hideSearch: true,
  hiddenClients: true,
  defaultOpenAllTags: true,
  authentication: { preferredSecurityScheme: "bearer" },
  agent: { disabled: true },
  mcp: { disabled: true },
  favicon: "/console/icon.svg",
  customCss
}

/** Mends the markup of Scalar: a state that a button cannot have, and buttons without a name. */
const mend = `
const mend = () => {
  for (const button of document.querySelectorAll("button[aria-selected]:not([role=tab])")) {
    button.removeAttribute("aria-selected")
  }
  for (const button of document.querySelectorAll("button.code-copy:not([aria-label])")) {
    button.setAttribute("aria-label", "Copy")
  }
  for (const list of document.querySelectorAll(".endpoints:not([tabindex])")) list.tabIndex = 0
}
new MutationObserver(mend).observe(document.body, { attributes: true, childList: true, subtree: true })`

const back = '<nav id="back" aria-label="Sandbox"><a href="/">← Console of the sandbox</a></nav>'

export const finish = (
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse =>
  response.body._tag === "Uint8Array"
    ? HttpServerResponse.html(
        new TextDecoder()
          .decode(response.body.body)
          .replace("<html>", '<html lang="en">')
          .replace("<body>", () => `<body>${back}<script>${mend}</script>`)
      )
    : response
