/** The operations of openapi.json, read from the document alone. */
import * as JsonSchema from "effect/JsonSchema"
import type * as Schema from "effect/Schema"
import * as SchemaRepresentation from "effect/SchemaRepresentation"
import { readFileSync } from "node:fs"

export interface Body {
  readonly schema: JsonSchema.JsonSchema
  readonly example: object | string
}

interface Contents {
  readonly content?: { readonly "application/json": Body }
}

interface OperationObject {
  readonly operationId: string
  readonly requestBody?: Contents
  readonly responses: Readonly<Record<string, Contents>>
}

/** One operation. `responses` has any body of each status that the document allows. */
export interface Operation {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly request: Body | undefined
  readonly responses: Readonly<Record<string, Body | undefined>>
}

type Paths = Readonly<Record<string, Readonly<Record<string, OperationObject>>>>

export const file = new URL("../../openapi.json", import.meta.url).pathname

const document = JSON.parse(readFileSync(file, "utf8")) as {
  readonly paths: Paths
  readonly webhooks: Paths
  readonly components: { readonly schemas: JsonSchema.Definitions }
}

const bodyOf = (contents: Contents | undefined) => contents?.content?.["application/json"]

const operationsOf = (paths: Paths): ReadonlyArray<Operation> =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, requestBody, responses }]) => ({
      name: operationId.replace(/^.*\./u, ""),
      method: method.toUpperCase(),
      path,
      request: bodyOf(requestBody),
      responses: Object.fromEntries(
        Object.entries(responses).map(([status, contents]) => [status, bodyOf(contents)])
      )
    }))
  )

export const operations = operationsOf(document.paths)

export const webhooks = operationsOf(document.webhooks)

export const schemaOf = ({ schema }: Body): Schema.Codec<unknown> =>
  SchemaRepresentation.fromJsonSchemaDocument(
    JsonSchema.fromSchemaOpenApi3_1({ ...schema, $defs: document.components.schemas }),
    { patterns: "apply" }
  ) as Schema.Codec<unknown>
