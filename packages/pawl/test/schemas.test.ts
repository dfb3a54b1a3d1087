import { ValidationFailed } from "pawl"
import * as schemas from "pawl/schemas"
import { open } from "pawl/testing"
import { expect, it } from "vitest"
import { order } from "./doors.ts"

const { requestId: _, ...payment } = order

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
