import { forAll } from "@pawl/test-support/Properties"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import * as Reply from "../src/internal/admin/Response.ts"
import { AdminReader, layer } from "../src/internal/mcp/AdminReader.ts"
import { toolkit } from "../src/internal/mcp/Tools.ts"

const id = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 128 })
  .filter((text) => /^[^\p{Cc}\p{Cs}]{1,128}$/u.test(text))

it("the next page begins behind the last id, whatever characters it has", () =>
  forAll([id], async (last) => {
    const cursor = `1795895242360.${last}`
    const { body, headers } = Reply.page("/parked-requests", new URLSearchParams(), [last], {
      limit: 1,
      show: String,
      cursorOf: () => cursor
    })
    const client = HttpClient.make((request) =>
      Effect.succeed(HttpClientResponse.fromWeb(request, new Response(body, { headers })))
    )
    const page = await Effect.runPromise(
      AdminReader.use(({ read }) => read(["parked-requests"])).pipe(
        Effect.provide(layer({ base: "http://127.0.0.1:1", token: undefined })),
        Effect.provideService(HttpClient.HttpClient, client)
      )
    )
    expect(page?.next).toBe(cursor)
    const { parametersSchema } = toolkit.tools.list_parked_requests
    expect(Schema.is(parametersSchema)({ after: page?.next })).toBe(true)
  }))
