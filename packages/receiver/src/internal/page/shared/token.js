/**
 * Requests with the token of the server. The page asks for the token when the server first refuses a request, and keeps it
 * while the tab is open. The attribute `data-token-hint` of its body says where the token comes from.
 */
import { h, setText } from "./dom.js"

/**
 * Sends a request with the token, if there is one. After a 401 the person gives a token, and the request is sent again with
 * another `timeout`, in milliseconds.
 *
 * @param {string} path
 * @param {Omit<RequestInit, "headers"> & { readonly headers?: Readonly<Record<string, string>> }} init
 * @param {number} [timeout]
 * @returns {Promise<Response>}
 */
export const send = async (path, init, timeout) => {
  const token = sessionStorage.getItem("token")
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` }
  const response = await fetch(path, {
    ...init,
    headers: { ...init.headers, ...authorization },
    ...(timeout !== undefined && { signal: AbortSignal.timeout(timeout) })
  })
  if (response.status !== 401) return response
  await askForToken(token)
  return send(path, init, timeout)
}

/**
 * Returns once there is a token other than the refused one.
 *
 * @param {string | null} refused
 * @returns {Promise<void>}
 */
const askForToken = (refused) => {
  if (!dialog.open && sessionStorage.getItem("token") === refused) {
    setText(heading, refused === null ? "A token is required" : "The server refused the token")
    dialog.showModal()
  }
  return new Promise((resolve) => {
    if (dialog.open) dialog.addEventListener("close", () => resolve(), { once: true })
    else resolve()
  })
}

/** @param {Event} event */
const keepToken = (event) => {
  event.preventDefault()
  sessionStorage.setItem("token", input.value.trim())
  input.value = ""
  dialog.close()
}

const input = h("input", {
  id: "token",
  type: "password",
  required: true,
  // No header can have another character.
  pattern: "\\s*[!-~]+\\s*",
  title: "ASCII text without white space",
  autocomplete: "off",
  "data-testid": "token"
})

const heading = h("h2", { id: "token-heading" })

const dialog = h(
  "dialog",
  {
    "aria-labelledby": "token-heading",
    "data-testid": "token-dialog",
    cancel: (event) => event.preventDefault()
  },
  [
    h("form", { submit: keepToken }, [
      heading,
      h("p", {}, [`${document.body.dataset["tokenHint"]} This tab keeps it until it is closed.`]),
      h("label", { for: "token" }, ["Token"]),
      input,
      h("div", { class: "ends" }, [
        h("button", { class: "main", "data-testid": "use-token" }, ["Continue"])
      ])
    ])
  ]
)

document.body.append(dialog)
