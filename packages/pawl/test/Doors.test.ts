// oxlint-disable-next-line import/no-unassigned-import -- Nest needs it
import "reflect-metadata"
import { Body, Controller, Module, Post } from "@nestjs/common"
import { NestFactory } from "@nestjs/core"
import type { NestExpressApplication } from "@nestjs/platform-express"
import express, { type Express } from "express"
import fastify from "fastify"
import { Hono } from "hono"
import { createServer, request, type RequestListener } from "node:http"
import { buffer } from "node:stream/consumers"
import type { Pawl } from "pawl"
import { open } from "pawl/testing"
import { describe, expect, it } from "vitest"
import { type App, forge, pays, takes, takesBesideJson, withShop } from "./doors.ts"

const listen = (listener: RequestListener, port: number) =>
  new Promise<App>((resolve) => {
    const server = createServer(listener).listen(port, "127.0.0.1", () =>
      resolve({
        close: () => {
          server.closeAllConnections()
          server.close()
        }
      })
    )
  })

const serve = (handler: (request: Request) => Response | Promise<Response>, port: number) =>
  listen((incoming, outgoing) => {
    void (async () => {
      const { headers, method = "GET", url = "/" } = incoming
      const body = await buffer(incoming)
      const response = await handler(
        new Request(`http://127.0.0.1:${port}${url}`, {
          method,
          headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
          ...(method === "POST" && { body })
        })
      )
      outgoing.writeHead(response.status).end(Buffer.from(await response.arrayBuffer()))
    })()
  }, port)

const orders = (app: Express) =>
  app.post("/orders", (request, response) => void response.json({ read: request.body }))

describe("express", () => {
  it.for<[string, (app: Express, pawl: Pawl) => unknown]>([
    ["before express.json()", (app, pawl) => app.use(pawl.express()).use(express.json())],
    [
      "on its route, before express.json()",
      (app, pawl) => app.all("/callback", pawl.express()).use(express.json())
    ],
    [
      "mounted at its path",
      (app, pawl) => app.use("/callback", pawl.express()).use(express.json())
    ],
    [
      "after express.raw() of its route",
      (app, pawl) =>
        app.post("/callback", express.raw({ type: "*/*" }), pawl.express()).use(express.json())
    ],
    [
      "after an express.json() that keeps the bytes",
      (app, pawl) =>
        app
          .use(
            express.json({
              verify: (request, _, bytes) => Object.assign(request, { rawBody: bytes })
            })
          )
          .use(pawl.express())
    ]
  ])("takes callbacks %s", ([, mount]) =>
    withShop(
      (pawl, port) => {
        const app = express()
        mount(app, pawl)
        orders(app)
        return listen(app as RequestListener, port)
      },
      async (shop) => {
        await takesBesideJson(shop)
        expect((await fetch(`${shop.url}/nothing`)).status).toBe(404)
      }
    )
  )

  it("answers 500 after a parser that kept no bytes", () =>
    withShop(
      (pawl, port) => {
        const app = express().use(express.json()).use(pawl.express())
        return listen(app as RequestListener, port)
      },
      async ({ url }) => {
        expect(await forge(url)).toBe(500)
        const headers = { "content-type": "application/json" }
        const empty = await fetch(`${url}/callback`, { method: "POST", headers, body: "" })
        expect(empty.status).toBe(500)
      }
    ))
})

describe("fastify", () => {
  it("takes callbacks and the options of a plugin, and the routes beside it parse JSON", () => {
    const lines: Array<string> = []
    const stream = { write: (line: string) => void lines.push(line) }
    return withShop(
      async (pawl, port) => {
        const app = fastify({ logger: { stream } })
        await app.register(pawl.fastify(), { logLevel: "silent" })
        app.post("/orders", ({ body }) => ({ read: body }))
        await app.listen({ host: "127.0.0.1", port })
        return app
      },
      async (shop) => {
        await takesBesideJson(shop)
        expect((await fetch(`${shop.url}/callback`)).status).toBe(405)
        expect(lines.filter((line) => line.includes("/callback"))).toEqual([])
        expect(lines.filter((line) => line.includes("/orders"))).not.toEqual([])
      }
    )
  })
})

describe("hono", () => {
  it.for<[string, (app: Hono, pawl: Pawl) => unknown]>([
    ["as middleware", (app, pawl) => app.use(pawl.hono())],
    ["on its route", (app, pawl) => app.all("/callback", pawl.hono())],
    [
      "after middleware that read the body",
      (app, pawl) =>
        app
          .use(async ({ req }, next) => {
            if (req.method === "POST") await req.json()
            await next()
          })
          .use(pawl.hono())
    ]
  ])("takes callbacks %s", ([, mount]) =>
    withShop((pawl, port) => {
      const app = new Hono()
      mount(app, pawl)
      app.post("/orders", async (context) => context.json({ read: await context.req.json() }))
      return serve(app.fetch, port)
    }, takesBesideJson)
  )
})

it("hono answers 500 after middleware that kept no body, and the log names the cause", () =>
  withShop(
    (pawl, port) =>
      serve(
        new Hono()
          .use(async ({ req }, next) => {
            await req.raw.text()
            await next()
          })
          .use(pawl.hono()).fetch,
        port
      ),
    async ({ errors, url }) => {
      expect(await forge(url)).toBe(500)
      expect(errors).toEqual([expect.stringMatching(/^Other code read the body of a callback/u)])
    }
  ))

describe("next", () => {
  it("takes callbacks in a route handler", () =>
    withShop((pawl, port) => {
      const POST = pawl.next()
      return serve(POST, port)
    }, takes))
})

describe("node and fetch", () => {
  it("take callbacks, and node answers other paths with 404", () =>
    withShop(
      (pawl, port) => listen(pawl.node(), port),
      async (shop) => {
        await takes(shop)
        expect((await fetch(`${shop.url}/nothing`)).status).toBe(404)
        const request = new Request(`${shop.url}/callback`, { method: "POST", body: "{}" })
        expect((await shop.pawl.fetch()(request)).status).toBe(415)
      }
    ))
})

type Start = (pawl: Pawl, port: number) => Promise<App>

const onFastify = async (pawl: Pawl, port: number, options = {}): Promise<App> => {
  const app = fastify()
  await app.register(pawl.fastify(), options)
  await app.listen({ host: "127.0.0.1", port })
  return app
}

/** An application that applies a global prefix, which the path of callbacks does not have. */
const onNest = async (pawl: Pawl, port: number, all = [pawl]): Promise<App> => {
  // oxlint-disable-next-line typescript/no-extraneous-class -- a module of Nest
  class AppModule {}
  Module({ imports: all.map((each) => each.nest()) })(AppModule)
  const app = await NestFactory.create(AppModule, { logger: false })
  app.setGlobalPrefix("api")
  await app.listen(port, "127.0.0.1")
  return app
}

const doors: ReadonlyArray<[string, Start]> = [
  ["node", (pawl, port) => listen(pawl.node(), port)],
  ["express", (pawl, port) => listen(express().use(pawl.express()) as RequestListener, port)],
  ["hono", (pawl, port) => serve(new Hono().use(pawl.hono()).fetch, port)],
  ["fastify", onFastify],
  ["nest", (pawl, port) => onNest(pawl, port)]
]

describe("a callback at another path", () => {
  const underPrefix: Start = (pawl, port) => onFastify(pawl, port, { prefix: "/pay" })
  it.for([...doors, ["fastify under a prefix", underPrefix] as const])(
    "%s logs the first one, with the expected path",
    ([, start]) =>
      withShop(start, async ({ url, warnings }) => {
        expect((await fetch(`${url}/favicon.ico`)).status).toBe(404)
        expect(warnings).toEqual([])
        expect(await forge(url, "/callbacks/secret")).toBe(404)
        expect(await forge(url, "/callbacks/secret")).toBe(404)
        expect(warnings).toEqual([
          expect.stringMatching(/^A callback came at another path than \/callback: (?!.*secret)/u)
        ])
      })
  )

  it.for(["before", "after"])(
    "is not logged in Nest while another Pawl of the application, imported %s it, takes it",
    async (place) => {
      await using other = await open({ callbackPath: "/other" })
      await withShop(
        (pawl, port) => onNest(pawl, port, place === "before" ? [other, pawl] : [pawl, other]),
        async ({ url, warnings }) => {
          expect(await forge(url, "/other")).toBe(401)
          expect(warnings).toEqual([])
          await other.close()
          await forge(url, "/other")
          expect(warnings).toEqual(place === "before" ? [expect.stringContaining("another")] : [])
        }
      )
    }
  )
})

describe("a public URL with a path", () => {
  it.for(doors)("%s takes callbacks with it, and without it behind a proxy", ([, start]) =>
    withShop(
      start,
      async (shop) => {
        await pays(shop)
        expect(await forge(shop.url, "/pay/callback")).toBe(401)
        expect(await forge(shop.url)).toBe(401)
      },
      "/pay"
    )
  )
})

it("node takes a callback whose request line has the whole address", () =>
  withShop(
    (pawl, port) => listen(pawl.node(), port),
    async ({ url }) => {
      const path = `${url}/callback?paymentMethod=apm`
      const { promise, resolve } = Promise.withResolvers<number | undefined>()
      request(url, { method: "POST", path }, ({ statusCode }) => resolve(statusCode)).end("{}")
      expect(await promise).toBe(415)
    }
  ))

describe("nest", () => {
  /** Decorators are syntax that Node does not strip, so they are called. */
  class Orders {
    create(body: unknown) {
      return { read: body }
    }
  }
  Controller("orders")(Orders)
  const method = Object.getOwnPropertyDescriptor(Orders.prototype, "create")!
  Post()(Orders.prototype, "create", method)
  Body()(Orders.prototype, "create", 0)

  const application = (pawl: Pawl, isImported: boolean) => {
    // oxlint-disable-next-line typescript/no-extraneous-class -- a module of Nest
    class AppModule {}
    const imports = isImported ? [Promise.resolve(pawl).then((opened) => opened.nest())] : []
    Module({ imports, controllers: [Orders] })(AppModule)
    return AppModule
  }

  const create = (pawl: Pawl, isImported: boolean, options: object) =>
    NestFactory.create<NestExpressApplication>(application(pawl, isImported), {
      ...options,
      logger: false
    })

  it.for<[string, boolean, object]>([
    ["as a module", true, {}],
    ["as a module, without body parsers", true, { bodyParser: false }],
    ["as middleware of the application", false, {}]
  ])("takes callbacks %s", ([, isImported, options]) =>
    withShop(
      async (pawl, port) => {
        const app = await create(pawl, isImported, options)
        if (!isImported) app.use(pawl.express())
        await app.listen(port, "127.0.0.1")
        return app
      },
      "bodyParser" in options ? takes : takesBesideJson
    )
  )

  it("takes callbacks on another server, from parsers that keep the bytes", () =>
    withShop(async (pawl, port) => {
      const app = await create(pawl, true, { rawBody: true })
      await app.init()
      return listen(app.getHttpAdapter().getInstance(), port)
    }, takesBesideJson))

  it("gives the Pawl to injection, and closes it with the application", () =>
    withShop(
      async (pawl) => {
        const app = await create(pawl, true, {})
        await app.init()
        expect(app.get("pawl")).toBe(pawl)
        return app
      },
      async () => {}
    ))
})
