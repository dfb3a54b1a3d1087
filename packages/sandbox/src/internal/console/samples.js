/**
 * Programs that make the first payment of a sandbox: one for each tab of the guide.
 */

const body = `{"requestId":"first-1","mid":"1","amount":"10.50","currency":"EUR",
       "card":{"number":"4242424242424242"}}`

/** @type {ReadonlyArray<{ readonly name: string, readonly write: (origin: string) => string }>} */
export const samples = [
  {
    name: "curl",
    write: (origin) => `TOKEN=$(curl -s ${origin}/api/v1/auth \\
  -H 'content-type: application/json' \\
  -d '{"merchantKey":"sandbox-key","merchantSecret":"sandbox-secret"}' | cut -d '"' -f 4)

curl ${origin}/api/v1/payments/card \\
  -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' \\
  -d '${body}'
`
  },
  {
    name: "Node",
    write: (origin) => `const post = async (path, body, token) => {
  const response = await fetch("${origin}/api/v1" + path, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer " + token },
    body: JSON.stringify(body)
  })
  return response.json()
}

const { accessToken } = await post("/auth", {
  merchantKey: "sandbox-key",
  merchantSecret: "sandbox-secret"
})
console.log(
  await post(
    "/payments/card",
    {
      requestId: "first-2",
      mid: "1",
      amount: "10.50",
      currency: "EUR",
      card: { number: "4242424242424242" }
    },
    accessToken
  )
)
`
  },
  {
    name: "Python",
    write: (origin) => `import json
from urllib.request import Request, urlopen

def post(path, body, token=""):
    headers = {"content-type": "application/json", "authorization": "Bearer " + token}
    request = Request("${origin}/api/v1" + path, json.dumps(body).encode(), headers)
    with urlopen(request) as response:
        return json.load(response)

credentials = {"merchantKey": "sandbox-key", "merchantSecret": "sandbox-secret"}
token = post("/auth", credentials)["accessToken"]
payment = {
    "requestId": "first-3",
    "mid": "1",
    "amount": "10.50",
    "currency": "EUR",
    "card": {"number": "4242424242424242"},
}
print(post("/payments/card", payment, token))
`
  }
]
