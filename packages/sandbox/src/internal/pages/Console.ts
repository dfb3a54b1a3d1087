/**
 * The console at `/` and the API documentation at `/docs`.
 *
 * `docs/decisions/0033-pages.md` explains both.
 */
import * as Status from "@pawl/core/Status"
import { Api } from "../contract/Api.ts"
import * as PageFiles from "@pawl/receiver/internal/admin/PageFiles"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiScalar from "effect/http-api/HttpApiScalar"
import * as OpenApi from "effect/http-api/OpenApi"
import type * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Scope from "effect/Scope"
import * as Courier from "@pawl/testkit/Courier"
import * as Faults from "@pawl/testkit/Faults"
import * as DocsPage from "./DocsPage.ts"
import { RouteGuards } from "../http/RouteGuards.ts"
import * as Scenario from "@pawl/testkit/Scenario"

export interface Facts {
  readonly statuses: ReadonlyArray<{ readonly status: Status.Status; readonly isFinal: boolean }>
  readonly retryGaps: ReadonlyArray<number>
  readonly stories: ReadonlyArray<string>
  readonly faults: ReadonlyArray<Faults.Kind>
  readonly endpoints: ReadonlyArray<string>
}

/**
 * The same folder from `src` and from `dist`: the browser files are published as they are in `src`.
 */
const folder = new URL("../../../src/internal/console/", import.meta.url)

const { "content-security-policy": _, ...headers } = PageFiles.headers

/** The policy of a page that has inline scripts and styles, and no text of a merchant. */
const docsPolicy =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src 'self' data: blob:; " +
  "font-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const filesIn = Effect.fnUntraced(function* (folder: URL) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const root = yield* path.fromFileUrl(folder)
  const names = yield* files.readDirectory(root)
  return yield* Effect.forEach(names, (name) =>
    Effect.map(files.readFileString(path.join(root, name)), (text) => PageFiles.make(name, text))
  )
})

const assets = Effect.map(
  Effect.all([filesIn(PageFiles.shared), filesIn(folder)]),
  (files) =>
    new Map(
      files
        .flat(2)
        .map(({ body, contentType, name }) => [
          name,
          HttpServerResponse.text(body, { contentType, headers: PageFiles.headers })
        ])
    )
)

const facts = (): Facts => ({
  statuses: Status.statuses.map((status) => ({ status, isFinal: Status.isTerminal(status) })),
  retryGaps: Courier.retryGaps.map(Duration.toMillis),
  stories: Scenario.stories.map((story) => story.replace("<code>", "51").replace(/\[.*\]/u, "")),
  faults: Faults.kinds,
  endpoints: Object.entries(OpenApi.fromApi(Api).paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/^\/api/u, "")}`)
  )
})

const notFound = HttpServerResponse.text(
  "No such path. The console is at /, the service under /api, its contract at /openapi.json and /docs, " +
    "the pages for customers under /pay, /apm and /challenge, the control API under /sandbox.\n",
  { status: 404, headers }
)

const notFoundPage = HttpServerResponse.text(
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><title>No such page · pawl sandbox</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="/console/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/console/base.css"><link rel="stylesheet" href="/console/panels.css">
</head>
<body>
<main class="page">
<h1>There is nothing at this address</h1>
<p>The link may have a typing error. This is what the sandbox has:</p>
<ul>
<li><a href="/">The console</a>: transactions, callbacks, the clock and faults</li>
<li><a href="/docs">The API documentation</a>, also as <a href="/openapi.json">openapi.json</a></li>
<li>Pages for customers: follow the redirectUrl or challengeUrl of a response</li>
</ul>
</main>
</body>
</html>
`,
  {
    status: 404,
    contentType: "text/html; charset=utf-8",
    headers: PageFiles.headers
  }
)

const elsewhere = Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) =>
  headers["accept"]?.includes("text/html") === true ? notFoundPage : notFound
)

export const routes: Layer.Layer<
  never,
  never,
  HttpRouter.HttpRouter | RouteGuards | FileSystem.FileSystem | Path.Path
> = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { page } = yield* RouteGuards
    const files = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
    const scope = yield* Effect.scope

    const served = yield* Effect.cached(Effect.provideContext(Effect.orDie(assets), files))
    const asset = (name: string) =>
      page(Effect.map(served, (served) => served.get(name) ?? notFound))

    // The documentation is 3 MB, so the first request makes it.
    const docs = yield* HttpRouter.toHttpEffect(
      HttpApiScalar.layer(DocsPage.api, { scalar: DocsPage.scalar })
    ).pipe(
      Effect.provideService(Scope.Scope, scope),
      Effect.flatten,
      Effect.map((page) =>
        HttpServerResponse.setHeaders(DocsPage.finish(page), {
          ...headers,
          "content-security-policy": docsPolicy
        })
      ),
      Effect.orDie,
      Effect.cached
    )

    yield* router.add("GET", "/", asset("index.html"))
    yield* router.add(
      "GET",
      "/console/facts.json",
      page(Effect.sync(() => HttpServerResponse.jsonUnsafe(facts(), { headers })))
    )
    yield* router.add(
      "GET",
      "/console/:name",
      Effect.flatMap(HttpRouter.params, ({ name = "" }) => asset(name))
    )
    yield* router.add("GET", "/docs", page(docs))
    yield* router.add("*", "/*", page(elsewhere))
  })
)
