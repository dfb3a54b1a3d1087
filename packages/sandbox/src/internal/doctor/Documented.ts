/** The fields and statuses of the contract, so that others are found. */
import { statuses } from "@pawl/core/Status"
import { ApmCallback, CardCallback } from "@pawl/core/internal/CallbackBody"
import { subscriptionStatuses } from "@pawl/core/Subscription"
import { Api } from "../contract/Api.ts"
import * as HttpApi from "effect/http-api/HttpApi"
import * as SchemaAST from "effect/SchemaAST"

const collect = (ast: SchemaAST.AST, into: Set<string>): void => {
  if (SchemaAST.isUnion(ast)) for (const type of ast.types) collect(type, into)
  if (!SchemaAST.isObjects(ast)) return
  for (const { name, type } of ast.propertySignatures) {
    into.add(String(name))
    collect(type, into)
  }
}

export const documentedFields: ReadonlySet<string> = (() => {
  const names = new Set<string>()
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, successes }) => {
      for (const [, schemas] of successes) {
        for (const schema of schemas) collect(SchemaAST.toEncoded(schema.ast), names)
      }
      for (const { schemas } of endpoint.payload.values()) {
        for (const schema of schemas) collect(SchemaAST.toEncoded(schema.ast), names)
      }
    }
  })
  for (const { ast } of [ApmCallback, CardCallback]) collect(SchemaAST.toEncoded(ast), names)
  return names
})()

export const documentedStatuses: ReadonlySet<string> = new Set<string>([
  ...statuses,
  ...subscriptionStatuses
])
