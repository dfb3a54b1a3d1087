/** The error responses that every endpoint declares (`spec.md`, "Errors"). */
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"

export const ErrorBody = Schema.Struct({
  message: Schema.String,
  errors: Schema.optionalKey(
    Schema.Array(Schema.Struct({ field: Schema.String, message: Schema.String }))
  )
})

const errorResponse = (status: number, description: string) =>
  ErrorBody.annotate({ identifier: `Failure${status}`, description }).pipe(
    HttpApiSchema.status(status)
  )

export const unauthorized = errorResponse(401, "Missing, expired or invalid bearer token")

export const errors = [
  errorResponse(400, "Missing or invalid parameters"),
  unauthorized,
  errorResponse(404, "The requested resource does not exist"),
  errorResponse(500, "Unexpected error")
]
