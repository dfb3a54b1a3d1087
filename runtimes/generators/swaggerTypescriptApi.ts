import { Api } from "./dist/swaggerTypescriptApi"
import { type IsListed, origin, paymentOf, subscriptionId, token } from "./inputs"

const { api } = new Api({
  baseUrl: origin,
  baseApiParams: { headers: { authorization: `Bearer ${token}` } }
})
const made = await api.apmPaymentsCreateApmPayment(paymentOf("swagger-typescript-api"))
const id = made.data.transactionId
const read = await api.apmPaymentsReadApmPaymentStatus(id)
const isListed: IsListed<typeof read.data> = true
await api.subscriptionsCancelSubscription(subscriptionId)
console.log(JSON.stringify({ id, isListed, status: read.data }))
