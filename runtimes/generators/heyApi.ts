import { client } from "./dist/heyApi/client.gen"
import * as api from "./dist/heyApi/sdk.gen"
import { type IsListed, origin, paymentOf, subscriptionId, token } from "./inputs"

client.setConfig({ auth: token, baseUrl: origin })
const throwOnError = true
const made = await api.apmPaymentsCreateApmPayment({ body: paymentOf("hey-api"), throwOnError })
const id = made.data.transactionId
const read = await api.apmPaymentsReadApmPaymentStatus({ path: { id }, throwOnError })
const isListed: IsListed<typeof read.data> = true
await api.subscriptionsCancelSubscription({ path: { subscriptionId }, throwOnError })
console.log(JSON.stringify({ id, isListed, status: read.data }))
