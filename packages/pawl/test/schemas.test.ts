import { ValidationFailed } from "pawl"
import * as schemas from "pawl/schemas"
import { open } from "pawl/testing"
import { expect, it } from "vitest"
import { order } from "./doors.ts"

const { requestId: _, ...payment } = order

it("returns a valid input as it is, without what the client adds", async () => {
  expect(await schemas.apmPayment["~standard"].validate(payment)).toEqual({ value: payment })
  const card = { number: "4242424242424242", expMonth: "04", expYear: "2030" }
  const tokenize = { mid: "4711", card }
  expect(await schemas.tokenize["~standard"].validate(tokenize)).toEqual({ value: tokenize })
  expect(await schemas.subscriptionUpdate["~standard"].validate({ status: "PAUSED" })).toEqual({
    value: { status: "PAUSED" }
  })
})

it.for(Object.entries(schemas))(
  "%s names no value, and refuses what is no object",
  async ([, schema]) => {
    for (const value of ["hunter2", null, 7, []]) {
      const { issues } = await schema["~standard"].validate(value)
      expect(issues?.length).toBeGreaterThan(0)
      expect(JSON.stringify(issues)).not.toContain("hunter2")
    }
  }
)

it.for([
  { amount: "a lot" },
  { amount: 10 },
  { currency: "euro" },
  { accountId: undefined },
  { apmPayload: "WALLET" },
  { requestId: "" }
])("refuses the fields that a create refuses: %o", async (wrong) => {
  await using pawl = await open()
  const input = { ...payment, requestId: "order-1", ...wrong } as never
  const { issues = [] } = await schemas.apmPayment["~standard"].validate(input)
  const error = await pawl.apmPayments.create(input).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(ValidationFailed)
  expect(issues.map(({ path = [] }) => path.map(String).join("."))).toEqual(
    expect.arrayContaining((error as ValidationFailed).fields.map(({ path }) => path))
  )
})
