/**
 * Responses and callbacks as a service on a JVM often writes them: an absent field is null, and a
 * time is milliseconds since the epoch.
 */
import { ApmCallback, CardCallback } from "@pawl/core/internal/CallbackBody"
import { methodOf } from "@pawl/core/Kind"
import type { Behaviour, CallbackParts } from "@pawl/testkit/internal/Behaviour"
import * as Endpoints from "@pawl/testkit/internal/gateway/Endpoints"
import { identity } from "effect/Function"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { rawJSON, timeNames } from "./Edits.ts"

type Rewrite = (body: unknown) => unknown

/** Fields that may not be null stay absent. */
export const behaviour: Pick<Behaviour, "callback" | "response"> = {
  response: (response, { method, path }) => {
    const [rewrite] = response.status === 200 ? (rewriteFor(method, path) ?? []) : []
    return rewrite === undefined
      ? response
      : { ...response, body: JSON.stringify(rewrite(JSON.parse(response.body, exactly))) }
  },
  callback: (callback) => {
    const rewrite = methodOf(callback.kind) === "card" ? card : apm
    return { ...callback, body: rewrite(callback.body) as CallbackParts["body"] }
  }
}

/** Keeps the digits of a number. */
const exactly = (_: string, value: unknown, context?: { readonly source: string }): unknown =>
  typeof value === "number" && context !== undefined ? rawJSON(context.source) : value

const rewriting = (schema: Schema.Top): Rewrite =>
  rewritingOf(SchemaAST.toEncoded(schema.ast)) ?? identity

const rewritingOf = (ast: SchemaAST.AST): Rewrite | undefined => {
  if (SchemaAST.isUnion(ast)) return ast.types.map(rewritingOf).find(Predicate.isNotUndefined)
  if (!SchemaAST.isObjects(ast)) return undefined
  const fields = ast.propertySignatures.map(({ name, type }) => ({
    name: String(name),
    mayBeNull: mayBeNull(type),
    rewrite: rewritingOf(type)
  }))
  return (body) => {
    if (!Predicate.isObject(body)) return body
    const rewritten: Record<string, unknown> = { ...body }
    for (const { mayBeNull, name, rewrite } of fields) {
      const value = rewritten[name]
      if (value === undefined) {
        if (mayBeNull) rewritten[name] = null
      } else if (typeof value === "string" && timeNames.has(name))
        rewritten[name] = Date.parse(value)
      else if (rewrite !== undefined) rewritten[name] = rewrite(value)
    }
    return rewritten
  }
}

const mayBeNull = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isNull(ast) || (SchemaAST.isUnion(ast) && ast.types.some(mayBeNull))

const card = rewriting(CardCallback)
const apm = rewriting(ApmCallback)

const rewriteFor = Endpoints.finder(
  Endpoints.all.map((endpoint) => [
    endpoint,
    "success" in endpoint ? rewriting(endpoint.success) : identity
  ])
)
