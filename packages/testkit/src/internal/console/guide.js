/**
 * The first steps in an empty sandbox: two curl commands that make the first payment.
 */
import { h } from "./dom.js"

/**
 * Makes the guide to the first payment.
 *
 * @param {string} origin of the sandbox
 */
export const guide = (origin) => {
  const lines = curl(origin)
  const copied = h("span", { role: "status", class: "fine" })
  return h("div", { class: "empty", "data-testid": "empty" }, [
    h("h2", {}, ["No transactions yet"]),
    h("p", {}, ["Make the first payment, and watch its status here:"]),
    h("pre", { tabindex: "0" }, [h("code", { "data-testid": "curl" }, [lines])]),
    h("p", {}, [
      h(
        "button",
        {
          type: "button",
          "data-testid": "copy",
          click: () =>
            void navigator.clipboard.writeText(lines).then(
              () => (copied.textContent = "Copied."),
              () => (copied.textContent = "Select the text and copy it.")
            )
        },
        ["Copy"]
      ),
      " ",
      copied
    ]),
    h("p", { class: "fine" }, [
      "The key and the secret are the defaults; replace them if the sandbox was started with others. Or use your own client with ",
      h("code", {}, [`${origin}/api`]),
      ", and read ",
      h("a", { href: "/docs" }, ["the API documentation"]),
      "."
    ])
  ])
}

/** @param {string} origin */
const curl = (origin) => `TOKEN=$(curl -s ${origin}/api/v1/auth \\
  -H 'content-type: application/json' \\
  -d '{"merchantKey":"sandbox-key","merchantSecret":"sandbox-secret"}' | cut -d '"' -f 4)

curl ${origin}/api/v1/payments/card \\
  -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' \\
  -d '{"requestId":"first-1","mid":"1","amount":"10.50","currency":"EUR",
       "card":{"number":"4242424242424242"}}'
`

/**
 * Makes the message for an unknown transaction.
 *
 * @param {string} id
 */
export const missing = (id) =>
  h("div", { class: "empty", "data-testid": "missing" }, [
    h("h2", {}, [`There is no transaction ${id}`]),
    h("p", {}, ["A reset removes transactions, and so does a restart without a file."]),
    h("p", {}, [h("a", { href: "#/transactions" }, ["Show the newest transaction"])])
  ])
