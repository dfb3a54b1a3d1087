/**
 * Makes `openapi.json` of the generated document: adds descriptions, examples and callbacks, and
 * narrows the types.
 */
import * as Predicate from "effect/Predicate"
import * as Descriptions from "./OpenApiDescriptions.ts"
import * as Examples from "./OpenApiExamples.ts"

interface Node {
  readonly [key: string]: unknown
}

export const asPublished = (document: Node): Node => {
  const { components, paths, ...rest } = document
  const { schemas, ...others } = asNode(components)
  return {
    ...asSpecified(rest),
    paths: mapValues(asNode(paths), (operations) => mapValues(asNode(operations), operation)),
    webhooks,
    components: {
      ...asSpecified(others),
      schemas: mapValues(asNode(schemas), (schema, name) => ({
        ...asNode(described(walk(schema), name)),
        ...(open.has(name) && { additionalProperties: true })
      }))
    }
  }
}

/**
 * Schemas whose fields depend on the payment method, or are not specified. On any other object
 * `additionalProperties` makes generators write a map without getters.
 */
const open = new Set(["ApmPayload", "ApmResponseData", "CardPaymentRequest", "TokenizeRequest"])

const isNode = (value: unknown): value is Node => Predicate.isObject(value)
const asNode = (value: unknown): Node => (isNode(value) ? value : {})

const mapValues = (node: Node, map: (value: unknown, key: string) => unknown): Node =>
  Object.fromEntries(Object.entries(node).map(([key, value]) => [key, map(value, key)]))

const asSpecified = (node: Node): Node => mapValues(node, walk)

const walk = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(walk)
  if (!isNode(value)) return value
  const { allOf: _allOf, anyOf, maximum: _maximum, minimum: _minimum, ...node } = value
  if (Array.isArray(anyOf)) return asSpecified({ ...node, ...narrowed(anyOf) })
  const { pattern } = node
  return asSpecified({
    ...node,
    ...(typeof pattern === "string" && { pattern: portable(pattern) }),
    // Some tools accept only the registered spelling.
    ...(node["scheme"] === "Bearer" && { scheme: "bearer" })
  })
}

/**
 * Narrows a number or its source text to a number, an id to text, and a status to the listed
 * values: TypeScript reads a union with text as any text.
 */
const narrowed = (union: ReadonlyArray<unknown>): Node => {
  const isListed = union.some((member) => isNode(member) && "enum" in member)
  const members = isListed
    ? union.filter((member) => !isNode(member) || "enum" in member || member["type"] !== "string")
    : union
  if (isListed && members.length === 1) return asNode(members[0])
  const [first, second] = members
  const isExact = members.some((member) => isNode(member) && Object.keys(member).length === 0)
  const isText =
    isNode(first) && first["type"] === "string" && isNode(second) && second["type"] === "integer"
  if (!(isExact || isText) || !isNode(first)) return { anyOf: members }
  const { maximum: _maximum, minimum: _minimum, ...node } = first
  return node
}

/** Go has neither JavaScript's Unicode escapes nor lone surrogates. */
const portable = (pattern: string): string =>
  pattern.replaceAll("\\p{Cc}\\p{Cs}", "\\x00-\\x1f\\x7f-\\x9f").replaceAll("\\/", "/")

const described = (schema: unknown, name = ""): unknown => {
  if (!isNode(schema)) return schema
  const { items, properties } = schema
  return {
    ...schema,
    ...(items !== undefined && { items: described(items) }),
    ...(isNode(properties) && {
      properties: mapValues(properties, (value, field) => {
        const property = asNode(described(value))
        const text = Descriptions.special[`${name}.${field}`] ?? Descriptions.fields[field]
        const description = [text, property["description"]].filter(Boolean).join(". ")
        // Java's default is 32 bits, which hold no identifier of the sandbox.
        const isId = property["type"] === "integer" && field.endsWith("Id")
        return { ...property, ...(isId && { format: "int64" }), description }
      })
    })
  }
}

const operation = (value: unknown): Node => {
  const { parameters, requestBody, responses, ...rest } = asSpecified(asNode(value))
  const [, name = ""] = String(rest["operationId"]).split(".")
  const { request, response = Examples.status } = Examples.bodies[name] ?? {}
  return {
    ...rest,
    ...(Array.isArray(parameters) && { parameters: parameters.map(asParameter) }),
    ...(isNode(requestBody) && { requestBody: withExample(requestBody, request) }),
    responses: mapValues(asNode(responses), (body, code) =>
      withExample(asNode(body), Examples.errors[code] ?? response)
    )
  }
}

const asParameter = (parameter: unknown): Node => {
  const node = asNode(parameter)
  return { ...node, description: Descriptions.parameters[String(node["name"])] }
}

const withExample = (body: Node, example: unknown): Node =>
  isNode(body["content"])
    ? {
        ...body,
        content: mapValues(body["content"], (media) => {
          const { schema, ...rest } = asNode(media)
          return { ...rest, schema: described(schema), example }
        })
      }
    : body

/** Makes the callback of one layout (`spec.md`, "Events"). */
const webhook = (
  name: "cardCallback" | "apmCallback",
  schema: string,
  summary: string,
  query: ReadonlyArray<Node>
) => ({
  post: {
    operationId: name,
    summary,
    description:
      "Posted to the callbackUrl of the request for every change of the status, at least once and in any order. An answer other than 2xx is retried after 2, 4, 8, 16 and 32 minutes.",
    security: [],
    parameters: [
      ...query.map((parameter) => ({ in: "query", required: true, ...parameter })),
      {
        name: "X-Checksum",
        in: "header",
        required: true,
        description:
          "Base64 of the HMAC-SHA256, keyed with the merchant secret, of the signed fields joined with `|`",
        schema: { type: "string" }
      }
    ],
    requestBody: withExample(
      {
        required: true,
        content: { "application/json": { schema: { $ref: `#/components/schemas/${schema}` } } }
      },
      Examples.bodies[name]?.request
    ),
    responses: { "200": { description: "The callback is taken, and is not sent again" } }
  }
})

const paymentMethod = (value: string) => ({
  name: "paymentMethod",
  description: "Layout of the callback",
  schema: { type: "string", enum: [value] }
})

const webhooks = {
  cardCallback: webhook(
    "cardCallback",
    "CardCallback",
    "Reports the status of a card payment, card payout, refund or charge of a subscription; signed are mid, orderAmount, orderCurrency and transactionId",
    [paymentMethod("card")]
  ),
  apmCallback: webhook(
    "apmCallback",
    "ApmCallback",
    "Reports the status of an APM payment or payout; signed are accountId, amount, currency and transactionId",
    [
      paymentMethod("apm"),
      { name: "apmType", description: "Name of the payment method", schema: { type: "string" } }
    ]
  )
}
