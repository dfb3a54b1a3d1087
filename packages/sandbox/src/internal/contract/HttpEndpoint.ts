/** Makes the endpoints of the contract from the client's records. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import type { HttpMethod } from "effect/http/HttpMethod"
import type * as HttpRouter from "effect/http/HttpRouter"
import type * as Schema from "effect/Schema"
import { errors as error } from "./ErrorBody.ts"

export const make = <
  Method extends HttpMethod,
  Name extends string,
  Path extends HttpRouter.PathInput,
  Params extends Schema.Top = never,
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- it is in the result
  Payload extends HttpApiEndpoint.PayloadConstraintCodecs<Method> = never,
  Success extends Schema.Top = HttpApiSchema.NoContent
>(
  {
    identifier,
    method,
    params,
    path,
    payload,
    success
  }: {
    readonly method: Method
    readonly identifier: Name
    readonly path: Path
    readonly params?: Params
    readonly payload?: Payload
    readonly success?: Success
  },
  summary: string
) =>
  HttpApiEndpoint.make(method)(identifier, path, { params, payload, success, error }).annotate(
    OpenApi.Summary,
    summary
  )
