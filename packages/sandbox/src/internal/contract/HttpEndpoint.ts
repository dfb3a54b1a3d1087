/**
 * Makes the endpoints of the contract from the client's records, with a summary and the error
 * responses.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as OpenApi from "effect/http-api/OpenApi"
import type * as HttpRouter from "effect/http/HttpRouter"
import type * as Schema from "effect/Schema"
import { errors as error } from "./ErrorBody.ts"

interface Named<Name extends string, Path extends HttpRouter.PathInput> {
  readonly identifier: Name
  readonly path: Path
}

export const get = <
  Name extends string,
  Path extends HttpRouter.PathInput,
  Params extends Schema.Top,
  Success extends Schema.Top
>(
  {
    identifier,
    params,
    path,
    success
  }: Named<Name, Path> & {
    readonly method: "GET"
    readonly params: Params
    readonly success: Success
  },
  summary: string
) =>
  HttpApiEndpoint.get(identifier, path, { params, success, error }).annotate(
    OpenApi.Summary,
    summary
  )

export const post = <
  Name extends string,
  Path extends HttpRouter.PathInput,
  Payload extends Schema.Top,
  Success extends Schema.Top
>(
  {
    identifier,
    path,
    payload,
    success
  }: Named<Name, Path> & {
    readonly method: "POST"
    readonly payload: Payload
    readonly success: Success
  },
  summary: string
) =>
  HttpApiEndpoint.post(identifier, path, { payload, success, error }).annotate(
    OpenApi.Summary,
    summary
  )

export const put = <
  Name extends string,
  Path extends HttpRouter.PathInput,
  Params extends Schema.Top,
  Payload extends Schema.Top,
  Success extends Schema.Top
>(
  {
    identifier,
    params,
    path,
    payload,
    success
  }: Named<Name, Path> & {
    readonly method: "PUT"
    readonly params: Params
    readonly payload: Payload
    readonly success: Success
  },
  summary: string
) =>
  HttpApiEndpoint.put(identifier, path, { params, payload, success, error }).annotate(
    OpenApi.Summary,
    summary
  )

export const remove = <
  Name extends string,
  Path extends HttpRouter.PathInput,
  Params extends Schema.Top
>(
  {
    identifier,
    params,
    path
  }: Named<Name, Path> & { readonly method: "DELETE"; readonly params: Params },
  summary: string
) => HttpApiEndpoint.delete(identifier, path, { params, error }).annotate(OpenApi.Summary, summary)
