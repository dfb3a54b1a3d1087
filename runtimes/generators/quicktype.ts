/** Drives the service with the types and readers of `quicktype`, which makes no requests. */
import { type ApmPaymentRequest, Convert, type TransactionStatus } from "./dist/quicktype"
import { type IsListed, origin, paymentOf, subscriptionId, token } from "./inputs"

const isListed: IsListed<TransactionStatus> = true
const authorization = `Bearer ${token}`
const call = async (method: string, path: string, body?: string): Promise<string> => {
  const response = await fetch(`${origin}/api/v1${path}`, {
    method,
    headers:
      body === undefined
        ? { authorization }
        : { authorization, "content-type": "application/json" },
    body
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status} ${text}`)
  return text
}

const request: ApmPaymentRequest = paymentOf("quicktype")
const made = await call("POST", "/payments/apm", Convert.apmPaymentRequestToJson(request))
const { transactionId: id } = Convert.toApmPaymentResponse(made)
const status = JSON.parse(await call("GET", `/payments/apm/status/${id}`)) as TransactionStatus
await call("DELETE", `/payments/card/recurring/${subscriptionId}`)
console.log(JSON.stringify({ id, isListed, status }))
