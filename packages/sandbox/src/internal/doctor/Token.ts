/** The access token in the response of `/auth`, and the lifetime that it claims. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Base64Url from "effect/encoding/Base64Url"
import { json } from "./Recording.ts"

/** Text, and its place in the response: `accessToken`, `data.token`, or `a bare string`. */
export interface Found {
  readonly value: string
  readonly place: string
}

/** The access token is the longest text of at least 20 characters without spaces. */
export const find = (body: string): Found | undefined =>
  texts(json(body), "")
    .filter(({ value }) => /^[\x21-\x7e]{20,}$/u.test(value) || value.startsWith("<token"))
    .toSorted((left, right) => right.value.length - left.value.length)[0]

const texts = (value: unknown, place: string): ReadonlyArray<Found> =>
  typeof value === "string"
    ? [{ value, place: place || "a bare string" }]
    : Predicate.isObject(value)
      ? Object.entries(value).flatMap(([name, member]) =>
          texts(member, place === "" ? name : `${place}.${name}`)
        )
      : []

/** `now` is in seconds since the epoch. */
export const lifetime = (token: string, now: number): string => {
  const claims = Result.flatMap(Base64Url.decodeString(token.split(".")[1] ?? ""), decodeClaims)
  if (Result.isFailure(claims) || claims.success.exp === undefined) return "not stated"
  const { exp, iat = now } = claims.success
  const minutes = Math.round((exp - iat) / 60)
  const [unit, count] =
    minutes < 90
      ? (["minute", minutes] as const)
      : minutes < 2160 && minutes !== 1440
        ? (["hour", Math.round(minutes / 60)] as const)
        : (["day", Math.round(minutes / 1440)] as const)
  return `${count} ${unit}${count === 1 ? "" : "s"}`
}

const decodeClaims = Schema.decodeUnknownResult(
  Schema.fromJsonString(
    Schema.Struct({
      exp: Schema.optionalKey(Schema.Finite),
      iat: Schema.optionalKey(Schema.Finite)
    })
  )
)
