/**
 * Responses and callbacks as a service on a JVM often writes them: an absent field is null, and a time is a number of
 * milliseconds since the epoch.
 *
 * **Details**
 *
 * The specification does not say which fields may be null, nor how most times are written. A client has to accept all of it.
 */
import { ApmCallback, CardCallback } from "@pawl/core/internal/CallbackBody"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type { Message } from "../../Courier.ts"
import type { Transaction } from "./Transaction.ts"

/** Rewrites the body of a response. */
export type Rewrite = (body: unknown) => unknown

/** Makes the function that rewrites the bodies of a schema. Fields that may not be null stay absent. */
export const rewriting = (schema: Schema.Codec<unknown>): Rewrite =>
  rewritingOf(SchemaAST.toEncoded(schema.ast)) ?? ((body) => body)

/** Makes the function that returns a callback whose absent fields are null. */
export const message =
  (write: (transaction: Transaction) => Message | undefined): typeof write =>
  (transaction) => {
    const message = write(transaction)
    const rewrite = transaction.accountId === undefined ? card : apm
    // A rewritten object is an object, too.
    return message && { ...message, body: rewrite(message.body) as Message["body"] }
  }

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
      } else if (typeof value === "string" && times.has(name)) rewritten[name] = Date.parse(value)
      else if (rewrite !== undefined) rewritten[name] = rewrite(value)
    }
    return rewritten
  }
}

const mayBeNull = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isNull(ast) || (SchemaAST.isUnion(ast) && ast.types.some(mayBeNull))

/** The fields that have a time of the service. */
const times: ReadonlySet<string> = new Set([
  "createdAt",
  "createdTime",
  "nextChargeDate",
  "lastChargeDate"
])

const card = rewriting(CardCallback)
const apm = rewriting(ApmCallback)
