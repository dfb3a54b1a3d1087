/**
 * The server process of `client.ts`. Its arguments are the milliseconds before each response, and
 * the status of all transactions.
 */
import { createServer } from "node:http"
import { keepAlive, listen } from "./processes.ts"

let transactions = 100_000

const delay = Number(process.argv[2] ?? 0)
const status = process.argv[3]

const responseTo = (method: string | undefined, url: string | undefined, body: string): unknown => {
  if (method === "GET") return status ?? "PENDING"
  if (url?.endsWith("/v1/auth")) return { accessToken: "a.e30.b" }
  const requestId = /requestId(?:":"|=)([^"&]*)/u.exec(body)?.[1]
  return {
    requestId,
    transactionId: String(++transactions),
    transactionStatus: status ?? "NEW",
    apmResponseData: {
      actionType: "REDIRECTION",
      redirectUrl: "https://payments.example/wallet/100001",
      paymentType: "APM",
      paymentMethod: "EWALLET"
    },
    createdTime: "2030-01-01T00:00:00Z",
    paymentType: "APM",
    metadata: { basket: "7" }
  }
}

const server = createServer((request, response) => {
  let body = ""
  request
    .setEncoding("utf8")
    .on("data", (chunk: string) => (body += chunk))
    .on("end", () => {
      const bytes = JSON.stringify(responseTo(request.method, request.url, body))
      const respond = () =>
        response
          .writeHead(200, { "content-type": "application/json", "content-length": bytes.length })
          .end(bytes)
      if (delay === 0) respond()
      else setTimeout(respond, delay)
    })
})
listen(keepAlive(server))
